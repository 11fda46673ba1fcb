// What a decision commits.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { storeOf } from '../../src/store/change.ts';
import { insert } from '../../src/store/store.ts';
import { attempts } from '../../src/store/tables/attempts.ts';
import { counter, countOf, eventSubjects, put, revisionOf, told } from './conformance/rows.ts';
import { sqliteDatabase } from './sqlite-database.ts';

async function opened(t: TestContext) {
  const database = await sqliteDatabase();
  t.after(() => database.remove());
  const backEnd = await database.open();
  return { backEnd, store: storeOf(backEnd) };
}

test('a decision with nothing to commit does not wait for the disk, and leaves the row unchanged', async (t) => {
  const { backEnd, store } = await opened(t);
  await put(store, attempts, counter('a', 1));
  const before = await revisionOf(backEnd, attempts, 'a');
  const reading = storeOf({ ...backEnd, commit: async () => assert.fail('a commit') });
  for (const nothing of [{}, { inserts: [], events: [] }])
    assert.equal(await reading.change(attempts, 'a', () => ({ outcome: 'no', ...nothing })), 'no');
  assert.equal(await revisionOf(backEnd, attempts, 'a'), before);
});

test('a decision that only inserts leaves the row that it read unchanged', async (t) => {
  const { backEnd, store } = await opened(t);
  await put(store, attempts, counter('a', 1));
  const before = await revisionOf(backEnd, attempts, 'a');
  await store.change(attempts, 'a', () => ({ outcome: undefined, inserts: [insert(attempts, counter('b', 7))] }));
  assert.equal(await countOf(backEnd, 'b'), 7);
  assert.equal(await revisionOf(backEnd, attempts, 'a'), before);
});

test('a decision that only has events writes them, and no row', async (t) => {
  const { backEnd, store } = await opened(t);
  await store.change(attempts, 'a', () => ({ outcome: undefined, events: [told(5)] }));
  assert.deepEqual(await eventSubjects(backEnd), [5]);
  assert.equal(await countOf(backEnd, 'a'), undefined);
});

test('a revision is never drawn twice in succession: the change would look like none', async (t) => {
  const { backEnd, store } = await opened(t);
  const drawn = [0.25, 0.25, 0.5];
  t.mock.method(Math, 'random', () => drawn.shift() ?? 0.75);
  for (const count of [1, 2]) await put(store, attempts, counter('a', count));
  assert.equal(await countOf(backEnd, 'a'), 2);
  assert.equal(await revisionOf(backEnd, attempts, 'a'), 1.5 * 2 ** 30);
});
