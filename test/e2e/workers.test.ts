// Only in test:all: drill
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { populatedHome } from './service.ts';
import { removeAfter, serveWithWorkers, workersOf } from './supervised.ts';

async function onSqlite(t: TestContext) {
  const home = await populatedHome();
  removeAfter(t, home);
  return home;
}

test('a dead worker is replaced, and all workers stop on SIGTERM', async (t) => {
  const { supervisor, said } = serveWithWorkers(t, await onSqlite(t));
  await said('ready', 2);
  const [first, second] = workersOf(supervisor);
  process.kill(first ?? 0, 'SIGKILL');
  await said('ready', 3);
  const now = workersOf(supervisor);
  assert.equal(now.length, 2);
  assert.ok(now.includes(second ?? 0) && !now.includes(first ?? 0));
  supervisor.kill('SIGTERM');
  const [code] = await once(supervisor, 'exit');
  assert.equal(code, 0);
  for (const pid of now) assert.throws(() => process.kill(pid, 0), 'no worker outlives its supervisor');
});

test('the service ends, without restarts, when its workers cannot start', async (t) => {
  const { supervisor } = serveWithWorkers(t, await onSqlite(t), '--set', 'listeners.0.tls.certificate=/nowhere.crt');
  const [code] = await once(supervisor, 'exit');
  assert.equal(code, 6);
});
