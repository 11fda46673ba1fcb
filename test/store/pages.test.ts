import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { epochSeconds } from '../../src/core/time.ts';
import type { BackEnd } from '../../src/store/back-end.ts';
import { changeEvery, eventPages, pages, rows } from '../../src/store/pages.ts';
import { pageStatement } from '../../src/store/sqlite/statements.ts';
import { attempts } from '../../src/store/tables/attempts.ts';
import { devices } from '../../src/store/tables/devices.ts';
import { put } from '../node.ts';
import { onSqlite } from '../operations/on-sqlite.ts';
import { NOW } from '../samples.ts';
import { withTurns } from '../turns.ts';
import { commitOf, counter, told } from './conformance/rows.ts';
import { sqliteDatabase } from './sqlite-database.ts';

/** A store of `count` rows and as many events. */
async function holding(count: number, t: TestContext): Promise<BackEnd> {
  const database = await sqliteDatabase();
  t.after(() => database.remove());
  const backEnd = await database.open();
  const inserts = Array.from({ length: count }, (_, n) => ({ table: attempts, row: counter(`row ${1000 + n}`) }));
  await backEnd.commit(commitOf({ inserts, events: inserts.map((_, n) => told(n)) }));
  return backEnd;
}

for (const [count, lengths] of [
  [0, []],
  [2, [2]],
  [3, [3]],
  [6, [3, 3]],
  [7, [3, 3, 1]],
] as const) {
  test(`${count} rows and events in pages of 3: ${lengths.join(', ') || 'none, not an empty one'}`, async (t) => {
    const store = await holding(count, t);
    const length = ({ length }: readonly unknown[]) => length;
    assert.deepEqual(await Array.fromAsync(pages(store, attempts, { limit: 3 }), length), lengths);
    assert.deepEqual(await Array.fromAsync(eventPages(store, 3), length), lengths);
  });
}

test('every row is read once, in key order, across pages', async (t) => {
  const store = await holding(1203, t);
  const keys = await Array.fromAsync(rows(store, attempts), ({ about }) => about);
  assert.deepEqual(keys, Array.from({ length: 1203 }, (_, n) => `row ${1000 + n}`).toSorted());
});

test('pages are read lazily', async (t) => {
  const store = await holding(9, t);
  let read = 0;
  const page: BackEnd['page'] = (table, query) => {
    read++;
    return store.page(table, query);
  };
  for await (const _ of pages({ page }, attempts, { limit: 3 })) break;
  assert.equal(read, 1);
});

test('other work gets a turn between two pages', async (t) => {
  const store = await holding(9, t);
  for (const read of [pages(store, attempts, { limit: 3 }), eventPages(store, 3)]) {
    const [, turns] = await withTurns(Array.fromAsync<unknown>(read));
    assert.ok(turns >= 3, `${turns}`);
  }
});

test('changing every row loads none that has ended', async (t) => {
  const { node } = await onSqlite(t);
  const { store } = node;
  for (const [about, endsAt] of Object.entries({ ended: NOW - 1, living: NOW, later: NOW + 1 }))
    await put(store, attempts, { ...counter(about), endsAt: epochSeconds(endsAt) });
  const loaded: string[] = [];
  const changed = await changeEvery(store, attempts, (row) => {
    loaded.push(row.about);
    return row.about === 'later' ? { ...row, count: 9 } : undefined;
  });
  assert.deepEqual([changed, new Set(loaded)], [1, new Set(['living', 'later'])]);
});

test('a page of codes that have not ended costs no sort of all of them', async (t) => {
  const { database } = await onSqlite(t);
  using opened = new DatabaseSync(database.path);
  for (const after of [{}, { after: '00' }]) {
    const { sql } = pageStatement(devices, { ...after, endingFrom: epochSeconds(NOW), limit: 200 });
    const plan = opened.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    assert.doesNotMatch(JSON.stringify(plan), /TEMP B-TREE/);
  }
});
