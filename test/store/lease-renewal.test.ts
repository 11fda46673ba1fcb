import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { seconds } from '../../src/core/time.ts';
import { storeOf } from '../../src/store/change.ts';
import { byOneNode } from '../../src/store/lease.ts';
import { sqliteDatabase } from '../store/sqlite-database.ts';

test('a lease is renewed while its work runs, and not for longer', async () => {
  const database = await sqliteDatabase();
  const store = storeOf(await database.open());
  const lease = { name: 'test', lasts: seconds(2) };
  let isDone = false;
  const working = byOneNode(lease, () => pause(4_500).then(() => (isDone = true)), { store });
  let others = 0;
  while (!isDone) {
    if (await byOneNode(lease, async () => undefined, { store })) others++;
    await pause(100);
  }
  assert.equal(await working, true);
  assert.equal(others, 0, 'nobody else took it up in the meantime');
  const next = await byOneNode(lease, async () => undefined, { store });
  assert.equal(next, true, 'the work took longer than the lease lasts: the next begins at once');
  await database.remove();
});
