// Only in test:all: drill
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ChildServer } from '../../lab/demo/child-server.ts';
import { type Contestant, startTessera } from '../../lab/demo/contestants.ts';
import { runOne } from '../../lab/demo/run.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const MAIN = fileURLToPath(new URL('../../lab/main.ts', import.meta.url));

test('the demonstration with Tessera: no client is logged out, no pair forks, no token works after revocation', async () => {
  const result = await runOne(startTessera, { seed: 4, clients: 12, seconds: 6 }, () => undefined);
  const { loggedOut, forked, tried, workedAfterRevocation, counts } = result;
  assert.deepEqual({ loggedOut, forked, workedAfterRevocation }, { loggedOut: 0, forked: 0, workedAfterRevocation: 0 });
  assert.ok(counts.dropped + counts.cut > 0, 'answers were lost');
  assert.ok(tried > 0, 'tokens were tried after revocation');
});

test('a server of the demonstration starts again although another program has taken its port', async (t) => {
  const tessera = await startTessera(temporaryFolder('demo'), 1);
  t.after(() => tessera.stop());
  const { port } = tessera;
  const restarted = tessera.restart();
  const other = createServer();
  t.after(() => other.close());
  for (other.on('error', () => other.listen(port, '127.0.0.1')).listen(port, '127.0.0.1'); !other.listening; )
    await new Promise((resolve) => setTimeout(resolve, 1));
  await restarted;
  assert.notEqual(tessera.port, port);
  assert.equal(await tessera.works('no token'), false, 'it answers');
});

/** A program that runs `code` as a server of the demonstration. */
function serverOf(t: TestContext, code: string, patienceMs?: number) {
  const file = join(temporaryFolder('demo'), 'server.mjs');
  writeFileSync(file, code);
  const server = new ChildServer('The server', patienceMs);
  t.after(() => server.stop());
  return { server, start: () => server.start(file, []) };
}

test('a server that ends before it is ready: the message has what it printed', async (t) => {
  const { start } = serverOf(t, 'console.error("EADDRINUSE"); process.exit(3)');
  await assert.rejects(start(), { message: 'The server ended with code 3. It printed:\nEADDRINUSE' });
});

test('a server that does not become ready: the message has what it printed, and the server ends', async (t) => {
  const { start, server } = serverOf(t, 'console.log("waiting"); setInterval(() => 0, 1000)', 1500);
  await assert.rejects(start(), { message: 'The server was not ready after 1.5 s. It printed:\nwaiting' });
  await server.stop();
});

test('a server that ends in the middle ends the run', async () => {
  const code = 'process.send({ port: 1 }); setTimeout(() => { console.log("out of memory"); process.exit(9) }, 500)';
  const start = async (folder: string): Promise<Contestant> => {
    const file = join(folder, 'server.mjs');
    writeFileSync(file, code);
    const server = new ChildServer('The server');
    await server.start(file, []);
    const paths = { token: '/', revoke: '/' };
    const { port, failed } = server;
    const stop = () => server.stop();
    return { name: 'x', port, failed, tokens: ['a', 'b'], paths, works: async () => false, restart: stop, stop };
  };
  await assert.rejects(
    runOne(start, { seed: 1, clients: 2, seconds: 60 }, () => undefined),
    { message: 'The server ended with code 9. It printed:\nout of memory' },
  );
});

test('wrong options end the demonstration with 1 and a message', () => {
  for (const [wrong, why] of [
    [['--seconds', 'ten'], '--seconds needs a whole number from 1 on, not "ten"'],
    [['--seeds', '1,'], '--seeds needs a whole number from 1 on, not ""'],
    [['--clints', '3'], "Unknown option '--clints'"],
  ] as const) {
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'demo', ...wrong], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    assert.deepEqual([status, stderr.includes(`The demonstration failed: ${why}`)], [1, true], stderr);
  }
});
