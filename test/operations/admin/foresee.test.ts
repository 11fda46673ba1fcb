import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GrantId } from '../../../src/core/grant.ts';
import { epochSeconds } from '../../../src/core/time.ts';
import { readNewEvents, readOlderEvents } from '../../../src/operations/admin/acts/event.ts';
import { grantsOfThing } from '../../../src/operations/admin/foresee.ts';
import { search } from '../../../src/operations/admin/search.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { SERVICE, serviceTimes } from '../../../src/store/tables/service-times.ts';
import { put } from '../../node.ts';
import { aGrant, CLIENT } from '../../samples.ts';
import { withTurns } from '../../turns.ts';
import { onSqlite } from '../on-sqlite.ts';

const MANY = 10_000;

test('of very many grants, as many are counted as an operator can wait for, and other requests are answered meanwhile', async (t) => {
  const { node, clock } = await onSqlite(t);
  const add = (number: number) => {
    const id = number.toString(16).padStart(32, '0') as GrantId;
    return put(node.store, grants, aGrant({ id, refreshUntil: epochSeconds(clock.now() + 60) }));
  };
  await Promise.all(Array.from({ length: 1000 }, (_, number) => add(number)));
  const all = await grantsOfThing('integration', CLIENT, node.store);
  assert.deepEqual([all?.grants, all?.holders, all?.isComplete], [1000, 1, true]);

  await Promise.all(Array.from({ length: MANY + 1 - 1000 }, (_, number) => add(1000 + number)));
  const most = await grantsOfThing('integration', CLIENT, node.store);
  assert.deepEqual([most?.grants, most?.isComplete], [1000, false]);
  const [none, turns] = await withTurns(grantsOfThing('token-issuer', 'unknown', node.store));
  assert.deepEqual([none?.grants, none?.isComplete], [0, false]);
  assert.ok(turns >= 40, `other work had ${turns} turns`);
  const [, searching] = await withTurns(search('198.51.100.99', node));
  assert.ok(searching >= 20, `other work had ${searching} turns`);
});

test('a filter of events that nothing matches reads much of the log, and other requests are answered meanwhile', async (t) => {
  const { node, clock } = await onSqlite(t);
  for (let written = 0; written < MANY; written += 2000)
    await node.store.change(serviceTimes, SERVICE, () => ({
      outcome: undefined,
      events: Array.from({ length: 2000 }, () => ({ type: 'refreshed', at: clock.now() }) as const),
    }));
  const filter = { type: 'reused' } as const;
  const [older, backwards] = await withTurns(readOlderEvents({ limit: 10, filter }, node));
  assert.equal(older.items.length, 0);
  assert.ok(backwards >= 9, `other work had ${backwards} turns`);
  const [newer, forwards] = await withTurns(readNewEvents({ after: 0, limit: 10, filter }, node));
  assert.ok(newer.ok && newer.value.items.length === 0);
  assert.ok(forwards >= 9, `other work had ${forwards} turns`);
});

test('events before a moment are read up to it, not to the end of the log', async (t) => {
  const { node, clock } = await onSqlite(t);
  const write = () =>
    node.store.change(serviceTimes, SERVICE, () => ({
      outcome: undefined,
      events: Array.from({ length: 1500 }, () => ({ type: 'refreshed', at: clock.now() }) as const),
    }));
  await write();
  clock.move(3600);
  await write();
  const until = epochSeconds(clock.now() - 1800);
  const page = await readNewEvents({ after: 0, limit: MANY, filter: { until } }, node);
  assert.deepEqual(page.ok && [page.value.items.length, page.value.next], [1500, undefined]);
});
