// The commands and settings of docs/agents.md, in the order of the page, as they are printed, with the programs of examples/mcp.
// Needs: curl
// Only in test:all: documents as printed
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../eventually.ts';
import { example } from './mcp-scene.ts';
import { blocksIn, confirmPrinted, PrintedCheckout } from './printed-checkout.ts';

const PAGE = 'docs/agents.md';

test('a newcomer protects an MCP server, runs an agent with four processes, and allows guests', async (t) => {
  const [register = '', serve = '', install = '', run = '', guests = '', ...more] = blocksIn(PAGE, 'sh');
  const [settings = ''] = blocksIn(PAGE, 'yaml');
  assert.deepEqual(more, [], 'all commands are known here');
  const place = await PrintedCheckout.open(t);
  const folder = join(place.folder, 'orders-mcp');
  mkdirSync(folder);

  const [registering = '', packing = ''] = register.split(/^(?=npm pack)/m);
  place.run(registering);
  place.install(packing, folder);
  writeFileSync(join(folder, 'server.mjs'), place.here(example('server.mjs')));
  place.start(serve, folder);
  const status = async () => (await fetch(`http://localhost:${place.apiPort}/mcp`)).status;
  await eventually('the MCP server listens', () => status().then(Boolean, () => false));
  assert.equal(await status(), 401);

  place.install(install, folder);
  writeFileSync(join(folder, 'agent.mjs'), place.here(example('agent.mjs')));
  const running = place.start(run, folder);
  await eventually('the agent says what to open', () => /^https:.+$/m.test(running.printed()));
  await confirmPrinted(running.printed(), { checkout: place.checkout, password: place.password });
  await running.ended;
  const workers = running.printed().match(/^worker . works for local:\{[0-9a-f-]+\}$/gm) ?? [];
  assert.deepEqual(workers.map((line) => line.slice(0, 8)).sort(), ['worker 1', 'worker 2', 'worker 3', 'worker 4']);

  place.run(guests);
  await place.restart(settings);
  const metadata = place.run(
    `curl --silent --cacert data/authority.crt https://localhost:8443/.well-known/oauth-authorization-server`,
  );
  assert.equal((JSON.parse(metadata) as Record<string, unknown>)['client_id_metadata_document_supported'], true);
});
