// SQLite loads, decides and commits in one transaction, which all changes of that moment share.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { storeOf } from '../../src/store/change.ts';
import { type Sync, syncInPool } from '../../src/store/sqlite/commits.ts';
import { OutcomeUnknown, StoreUnavailable } from '../../src/store/store.ts';
import { attempts } from '../../src/store/tables/attempts.ts';
import { counter, countOf, increment, put, told } from './conformance/rows.ts';
import { sqliteDatabase } from './sqlite-database.ts';

async function opened(t: TestContext, trouble?: { isFailing: boolean }) {
  let syncs = 0;
  const sync: Sync = (file) => {
    syncs += 1;
    return trouble?.isFailing ? Promise.reject(new Error('injected')) : syncInPool(file);
  };
  const database = await sqliteDatabase(undefined, sync);
  t.after(() => database.remove());
  const backEnd = await database.open();
  return { backEnd, database, store: storeOf(backEnd), syncs: () => syncs };
}

test('changes of one moment share one sync, and those of one row see each other', async (t) => {
  const { backEnd, store, syncs } = await opened(t);
  await put(store, attempts, counter('a', 0));
  const before = syncs();
  const counts = await Promise.all(Array.from({ length: 20 }, () => increment(store, 'a')));
  assert.deepEqual(
    counts,
    [...counts.keys()].map((at) => at + 1),
  );
  assert.equal(syncs() - before, 1);
  assert.equal(await countOf(backEnd, 'a'), 20);
});

test('a decision that throws fails alone, and writes nothing', async (t) => {
  const { backEnd, store } = await opened(t);
  const fault = new TypeError('injected');
  const throwing = store.change(attempts, 'b', () => {
    throw fault;
  });
  const [a, b, c] = await Promise.allSettled([increment(store, 'a'), throwing, increment(store, 'c')]);
  assert.deepEqual([a.status, c.status], ['fulfilled', 'fulfilled']);
  assert.equal(b.status === 'rejected' && b.reason, fault);
  assert.equal(await countOf(backEnd, 'b'), undefined);
});

test('a row that cannot be stored fails alone', async (t) => {
  const { backEnd, store } = await opened(t);
  const unstorable = store.change(attempts, 'b', () => ({ outcome: 0, next: counter('b', {} as number) }));
  const [a, b] = await Promise.allSettled([increment(store, 'a'), unstorable]);
  assert.deepEqual([a.status, b.status], ['fulfilled', 'rejected']);
  assert.equal(await countOf(backEnd, 'a'), 1);
  assert.equal(await countOf(backEnd, 'b'), undefined);
});

test('a decision that writes nothing waits for no disk; one that only has events does', async (t) => {
  const { store, syncs } = await opened(t);
  const before = syncs();
  assert.equal(await store.change(attempts, 'a', () => ({ outcome: 'no' })), 'no');
  assert.equal(syncs() - before, 0);
  await store.change(attempts, 'a', () => ({ outcome: undefined, events: [told(5)] }));
  assert.equal(syncs() - before, 1);
});

test('nodes on one file decide one after the other', async (t) => {
  const { backEnd, database, store } = await opened(t);
  const other = storeOf(await database.open());
  await Promise.all(Array.from({ length: 60 }, (_, at) => increment(at % 2 ? store : other, 'a')));
  assert.equal(await countOf(backEnd, 'a'), 60);
});

test('a failed sync is no answer: the change is found by its revision, or its outcome is unknown', async (t) => {
  const trouble = { isFailing: false };
  const { backEnd, store } = await opened(t, trouble);
  trouble.isFailing = true;
  const changed = await increment(store, 'a').catch((fault: unknown) => fault);
  assert.ok(changed === 1 || changed instanceof OutcomeUnknown, String(changed));
  trouble.isFailing = false;
  assert.equal(await countOf(backEnd, 'a'), 1, 'once, not twice');
});

test('a closed store decides nothing more', async (t) => {
  const { store } = await opened(t);
  await store.close();
  await assert.rejects(increment(store, 'a'), StoreUnavailable);
});
