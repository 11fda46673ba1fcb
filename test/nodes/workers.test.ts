// Two workers of one service on PostgreSQL: each has its own connections, and both see the same state.
// Only in test:all: drill
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { after, test } from 'node:test';
import { openStore } from '../../src/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { type Home, makeHome, populate } from '../e2e/service.ts';
import { serveWithWorkers, workersOf } from '../e2e/supervised.ts';
import { freePort } from '../free-port.ts';
import { given, prepare } from '../given.ts';
import { anotherNode, issue } from '../node.ts';
import { CLIENT } from '../samples.ts';
import { PostgresServer } from '../store/postgres-server.ts';

let home: Home;
let own: Store;
let url: string;

const server = given(() => PostgresServer.start());
prepare(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  home = makeHome({ listeners: [{ port }], settings: { store: server.url() } });
  own = await openStore(home.config, 'command');
  await populate(own, home.authority);
});
after(async () => {
  await own.close();
  rmSync(home.folder, { recursive: true });
});

async function aRefreshToken(): Promise<string> {
  const { refreshToken } = await issue(await anotherNode(own, { keyring: home.keyring }));
  return refreshToken?.reveal() ?? '';
}

/** Over a new connection each time, so that both workers get requests. */
async function refreshed(refreshToken: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${url}/authsvc/Authorize/Token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ client_id: CLIENT, refresh_token: refreshToken }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Several requests, so that every worker answers some. */
async function statuses(refreshToken: string): Promise<Set<number>> {
  const answers = await Promise.all(Array.from({ length: 16 }, () => refreshed(refreshToken)));
  return new Set(answers.map(({ status }) => status));
}

test('two workers yield one pair for one token, replace a dead worker and survive a database restart', async (t) => {
  const { supervisor, said } = serveWithWorkers(t, home);
  await said('ready', 2);
  const token = await aRefreshToken();

  const answers = await Promise.all(Array.from({ length: 64 }, () => refreshed(token)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(answers.map(({ body }) => body['refresh_token'])).size, 1);

  const [first = 0] = workersOf(supervisor);
  process.kill(first, 'SIGKILL');
  await said('ready', 3);
  const successor = String(answers[0]?.body['refresh_token']);
  assert.deepEqual(await statuses(successor), new Set([200]));

  const workers = workersOf(supervisor);
  await server.kill();
  assert.deepEqual(await statuses(successor), new Set([503]));
  await server.launch();
  assert.deepEqual(await statuses(successor), new Set([200]));
  assert.deepEqual(workersOf(supervisor), workers, 'no worker was lost with the database');

  supervisor.kill('SIGTERM');
  assert.deepEqual(await once(supervisor, 'exit'), [0, null]);
  const [row] = await server.query("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'tessera'");
  assert.ok(Number(row?.['count']) <= 1, 'workers that stopped have left; the session of this test may be there');
});
