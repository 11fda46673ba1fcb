import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GrantId } from '../../src/core/grant.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { myGrants } from '../../src/operations/person/my-grants.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { ada, put } from '../node.ts';
import { aGrant } from '../samples.ts';
import { onSqlite } from './on-sqlite.ts';

test('of very many grants, a person is shown the newest; the others are not even read', async (t) => {
  const { node, clock } = await onSqlite(t);
  const idOf = (number: number) => number.toString(16).padStart(32, '0') as GrantId;
  const add = (number: number) => {
    const lifetime = [1_199, 1_200].includes(number) ? 120 : 60;
    return put(node.store, grants, aGrant({ id: idOf(number), refreshUntil: epochSeconds(clock.now() + lifetime) }));
  };
  await Promise.all(Array.from({ length: 200 }, (_, number) => add(number)));
  const all = await myGrants(ada, node);
  assert.deepEqual([all.newest.length, all.isComplete], [200, true]);
  assert.deepEqual([all.newest[0]?.grant.id, all.newest.at(-1)?.grant.id], [idOf(199), idOf(0)]);
  await Promise.all(Array.from({ length: 2_000 }, (_, number) => add(200 + number)));
  let read = 0;
  const counting = {
    ...node.store,
    page: (async (...query: Parameters<typeof node.store.page>) => {
      const rows = await node.store.page(...query);
      read += rows.length;
      return rows;
    }) as typeof node.store.page,
  };
  const { newest, isComplete } = await myGrants(ada, { ...node, store: counting });
  assert.deepEqual([newest.length, isComplete, newest[0]?.grant.id], [200, false, idOf(2_199)]);
  assert.ok(read <= 1_500, `${read} rows were read`);
  clock.move(60);
  const live = await myGrants(ada, node);
  assert.deepEqual(
    [live.newest.map(({ grant }) => grant.id), live.isComplete],
    [[idOf(1_200)], false],
    'of the newest 1,000',
  );
});
