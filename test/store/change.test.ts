// What a decision commits.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Commit } from '../../src/store/back-end.ts';
import { storeOf } from '../../src/store/change.ts';
import { insert, type Store } from '../../src/store/store.ts';
import { attempts } from '../../src/store/tables/attempts.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { aGrant, anIdentity, anIntegration, CLIENT } from '../samples.ts';
import { counter, countOf, eventSubjects, put, revisionOf, told } from './conformance/rows.ts';
import { sqliteDatabase } from './sqlite-database.ts';

async function watched(t: TestContext) {
  const database = await sqliteDatabase();
  t.after(() => database.remove());
  const backEnd = await database.open();
  const commits: Commit[] = [];
  const commit = (each: Commit) => {
    commits.push(each);
    return backEnd.commit(each);
  };
  const store: Store = storeOf({ ...backEnd, commit });
  return { backEnd, store, commits };
}

test('a decision with nothing to commit commits nothing and leaves the row unchanged', async (t) => {
  const { backEnd, store, commits } = await watched(t);
  await put(store, attempts, counter('a', 1));
  const before = await revisionOf(backEnd, attempts, 'a');
  commits.length = 0;
  for (const nothing of [{}, { inserts: [], events: [] }])
    assert.equal(await store.change(attempts, 'a', () => ({ outcome: 'no', ...nothing })), 'no');
  assert.deepEqual(commits, []);
  assert.equal(await revisionOf(backEnd, attempts, 'a'), before);
});

test('a decision that only inserts writes the new row and not the row it read', async (t) => {
  const { backEnd, store, commits } = await watched(t);
  await put(store, attempts, counter('a', 1));
  const before = await revisionOf(backEnd, attempts, 'a');
  commits.length = 0;
  await store.change(attempts, 'a', () => ({ outcome: undefined, inserts: [insert(attempts, counter('b', 7))] }));
  assert.equal(commits.length, 1);
  assert.deepEqual(
    commits[0]?.swaps.map(({ table, row }) => table.keyOf(row)),
    ['b'],
  );
  assert.equal(await countOf(backEnd, 'b'), 7);
  assert.equal(await revisionOf(backEnd, attempts, 'a'), before);
});

test('a decision that only has events writes them', async (t) => {
  const { backEnd, store, commits } = await watched(t);
  await store.change(attempts, 'a', () => ({ outcome: undefined, events: [told(5)] }));
  assert.deepEqual(commits[0]?.swaps, []);
  assert.deepEqual(await eventSubjects(backEnd), [5]);
  assert.equal(await countOf(backEnd, 'a'), undefined);
});

test('the rows of a commit are in one order, so that commits do not deadlock: what others refer to, then new rows, by key', async (t) => {
  const { store, commits } = await watched(t);
  const ada = anIdentity();
  await put(store, identities, ada);
  commits.length = 0;
  const counters = ['b', 'a'].map((about) => insert(attempts, counter(about)));
  const inserts = [insert(grants, aGrant()), insert(integrations, anIntegration()), ...counters];
  await store.change(identities, ada.id, () => ({ outcome: undefined, next: ada, inserts }));
  assert.deepEqual(
    commits[0]?.swaps.map(({ table, row }) => `${table.name} ${table.keyOf(row)}`),
    ['attempts a', 'attempts b', `integrations ${CLIENT}`, `identities ${ada.id}`, `grants ${aGrant().id}`],
  );
});
