// Three complete services on one PostgreSQL that goes down and comes back.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { composeService, type Service } from '../../src/compose/service.ts';
import type { ClientId } from '../../src/core/integration.ts';
import { makeLog } from '../../src/log/log.ts';
import { openStore } from '../../src/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { systemClock } from '../../src/system.ts';
import { second } from '../e2e/registry-follows.ts';
import { makeHome, populate } from '../e2e/service.ts';
import { eventually } from '../eventually.ts';
import { given, prepare } from '../given.ts';
import { anotherNode, issue, put } from '../node.ts';
import { anIntegration, CLIENT } from '../samples.ts';
import { PostgresServer } from '../store/postgres-server.ts';

interface Running {
  readonly url: string;
  readonly service: Service;
}

let home: ReturnType<typeof makeHome>;
let own: Store;
const running: Running[] = [];

const server = given(() => PostgresServer.start());
prepare(async () => {
  home = makeHome({
    listeners: [{}],
    settings: { store: `${server.url()}?statement_timeout=4000`, limits: { stopTimeout: '1s' } },
  });
  own = await openStore(home.config, 'command');
  await populate(own, home.authority);
  for (let n = 0; n < 3; n++) running.push(await start());
});

after(async () => {
  await Promise.all([...running.map(({ service }) => service.stop()), own.close()]);
  rmSync(home.folder, { recursive: true });
});

async function start(): Promise<Running> {
  const log = makeLog({
    ...home.config.log,
    milliseconds: systemClock.milliseconds,
    destination: { write: () => undefined },
  });
  const service = await composeService(home.config, await openStore(home.config, 'service'), home.keyring, log);
  const [url = ''] = await service.listen();
  return { url, service };
}

async function aPair(): Promise<{ refreshToken: string }> {
  const node = await anotherNode(own, { keyring: home.keyring });
  const { refreshToken } = await issue(node);
  return { refreshToken: refreshToken?.reveal() ?? '' };
}

function refreshAt({ url }: Running, refreshToken: string): Promise<Response> {
  return fetch(`${url}/authsvc/Authorize/Token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: CLIENT, refresh_token: refreshToken }),
  });
}

/** On a busy machine a request may wait longer than the statement timeout, and is told to retry. */
async function refreshPatiently(node: Running, refreshToken: string): Promise<Response> {
  for (;;) {
    const response = await refreshAt(node, refreshToken);
    if (response.status !== 503) return response;
    assert.ok(Number(response.headers.get('retry-after')) > 0);
    await pause(100);
  }
}

const statusAt = async ({ url }: Running, path: string) => (await fetch(`${url}${path}`)).status;

test('64 refreshes of one token over HTTP on three nodes yield one pair', async () => {
  const { refreshToken } = await aPair();
  const answers = await Promise.all(
    Array.from({ length: 64 }, async (_, n) => {
      const response = await refreshPatiently(running[n % 3] as Running, refreshToken);
      assert.equal(response.status, 200);
      return (await response.json()) as Record<string, unknown>;
    }),
  );
  assert.equal(new Set(answers.map(({ access_token }) => access_token)).size, 1);
  assert.equal(new Set(answers.map(({ refresh_token }) => refresh_token)).size, 1);
});

test('an integration changed on one node is in force on the others within a second', async () => {
  const { refreshToken } = await aPair();
  await put(own, integrations, anIntegration({ enabled: false }));
  await second();
  for (const node of running) assert.equal((await refreshAt(node, refreshToken)).status, 400);
  await put(own, integrations, anIntegration());
  await put(own, integrations, anIntegration({ clientId: 'new' as ClientId }));
  await second();
  assert.equal((await refreshAt(running[2] as Running, refreshToken)).status, 200);
});

test('while the database is down: 503 with Retry-After and not ready; it recovers without a restart', async () => {
  const [node] = running as [Running];
  const { refreshToken } = await aPair();
  assert.equal(await statusAt(node, '/readyz'), 200);
  await server.kill();
  const refused = await refreshAt(node, refreshToken);
  assert.equal(refused.status, 503);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.equal(((await refused.json()) as Record<string, unknown>)['Error'], 'invalid_request');
  await untilReadiness(node, 503);
  assert.equal(await statusAt(node, '/healthz'), 200);
  await server.launch();
  assert.equal((await refreshPatiently(node, refreshToken)).status, 200);
  await untilReadiness(node, 200);
});

/** The result of /readyz is cached for a second. */
function untilReadiness(node: Running, status: number): Promise<void> {
  return eventually(`/readyz returns ${status}`, async () => (await statusAt(node, '/readyz')) === status);
}
