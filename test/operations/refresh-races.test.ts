import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raceRefreshAndRevoke } from '../../lab/chaos/race.ts';
import { storeOf } from '../../src/store/change.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { accepted, anotherNode, answer, check, confirmed, issue, type Node, redeem, refresh, textOf } from '../node.ts';
import { Seeded } from '../seeded.ts';
import { faultyBackEnd, NO_FAULTS } from '../store/faulty-back-end.ts';
import type { SqliteTestDatabase } from '../store/sqlite-database.ts';
import { onSqlite } from './on-sqlite.ts';

/** npm run lab -- race --cycles 10000 runs it long. */
const INTERLEAVINGS = 500;

/** A node with delayed loads and commits, so that races happen in every order. */
async function slowNode({ keyring, clock }: Node, database: SqliteTestDatabase, seed: number): Promise<Node> {
  const faults = { ...NO_FAULTS, delayed: 0.7 };
  const backEnd = faultyBackEnd(await database.open(), () => faults, new Seeded(seed));
  return anotherNode(storeOf(backEnd), { keyring, clock });
}

test('64 parallel refreshes of one token yield exactly one successor pair (CVE-2026-1035)', async (t) => {
  const { node } = await onSqlite(t);
  const pair = await issue(node);
  const pairs = (await Promise.all(Array.from({ length: 64 }, () => refresh(node, pair)))).map(accepted);
  assert.equal(new Set(pairs.map(textOf)).size, 1);
  assert.equal((await node.store.load(grants, pair.grantId)).found?.row.pair.generation, 1);
});

test('64 parallel refreshes with delays on two nodes yield one successor in every round', async (t) => {
  const { node, database } = await onSqlite(t);
  const other = await slowNode(node, database, 1);
  let pair = await issue(node);
  for (let round = 0; round < 10; round++) {
    const racing = Array.from({ length: 64 }, (_, n) => refresh(n % 2 ? node : other, pair));
    const pairs = (await Promise.all(racing)).map(accepted);
    assert.equal(new Set(pairs.map(textOf)).size, 1);
    pair = pairs[0] ?? pair;
  }
});

test('no token works after an acknowledged revoke that raced a refresh', async () => {
  const { refreshedFirst, worked } = await raceRefreshAndRevoke(INTERLEAVINGS, 2);
  assert.deepEqual(worked, []);
  assert.ok(refreshedFirst > 0 && refreshedFirst < INTERLEAVINGS, 'both orders were seen');
});

test('two racing redemptions of one device code yield one grant, which stays valid [contract 3]', async (t) => {
  const { node, database } = await onSqlite(t);
  const other = await slowNode(node, database, 3);
  for (let n = 0; n < 20; n++) {
    const device = await confirmed(node);
    const outcomes = await Promise.all([redeem(node, device), redeem(other, device)]);
    const answers = await Promise.all(outcomes.map(answer));
    assert.deepEqual(answers.toSorted(), ['accepted', 'device-code-redeemed']);
    for (const outcome of outcomes) if (outcome.ok) assert.equal(await answer(check(node, outcome.value)), 'accepted');
  }
});
