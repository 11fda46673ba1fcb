import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GrantId } from '../../../src/core/grant.ts';
import { epochSeconds } from '../../../src/core/time.ts';
import { grantsOfThing } from '../../../src/operations/admin/foresee.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { put } from '../../node.ts';
import { aGrant, CLIENT } from '../../samples.ts';
import { onSqlite } from '../on-sqlite.ts';

test('of very many grants, as many are counted as an operator can wait for, and other requests are answered meanwhile', async (t) => {
  const { node, clock } = await onSqlite(t);
  const add = (number: number) => {
    const id = number.toString(16).padStart(32, '0') as GrantId;
    return put(node.store, grants, aGrant({ id, refreshUntil: epochSeconds(clock.now() + 60) }));
  };
  await Promise.all(Array.from({ length: 10_000 }, (_, number) => add(number)));
  const all = await grantsOfThing('integration', CLIENT, node.store);
  assert.deepEqual([all?.grants, all?.holders, all?.isComplete], [10_000, 1, true]);

  await add(10_000);
  let [turns, isCounting] = [0, true];
  const others = async () => {
    for (; isCounting; turns++) await new Promise(setImmediate);
  };
  const meanwhile = others();
  const most = await grantsOfThing('integration', CLIENT, node.store);
  isCounting = false;
  await meanwhile;
  assert.deepEqual([most?.grants, most?.isComplete], [10_000, false]);
  assert.ok(turns >= 40, `other work had ${turns} turns`);
});
