import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { endAll } from '../../src/operations/grant/end-all.ts';
import { storeOf } from '../../src/store/change.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import {
  accepted,
  anotherNode,
  answer,
  check,
  confirmed,
  issue,
  type Node,
  redeem,
  refresh,
  revoke,
  textOf,
} from '../node.ts';
import { ADA } from '../samples.ts';
import { Seeded } from '../seeded.ts';
import { type Faults, faultyBackEnd, NO_FAULTS } from '../store/faulty-back-end.ts';
import { onSqlite } from './on-sqlite.ts';

/** A healthy node, and one on the same database with `faults`. */
async function beside(t: TestContext, faults: Partial<Faults>): Promise<{ node: Node; faulty: Node }> {
  const { node, database } = await onSqlite(t);
  const backEnd = faultyBackEnd(await database.open(), () => ({ ...NO_FAULTS, ...faults }), new Seeded(7));
  const { keyring, clock } = node;
  return { node, faulty: await anotherNode(storeOf(backEnd), { keyring, clock }) };
}

test('a fault during revoke reports no success and leaves the grant unchanged (CVE-2020-15223)', async (t) => {
  const { node, faulty } = await beside(t, { unavailable: 1 });
  const pair = await issue(node);
  await assert.rejects(revoke(faulty, pair), StoreUnavailable);
  assert.equal(await answer(check(node, pair)), 'accepted');
});

test('a fault while revoking many grants reports no success, though some may have ended', async (t) => {
  const { node, faulty } = await beside(t, { unavailable: 0.5 });
  await Promise.all(Array.from({ length: 20 }, () => issue(node)));
  await assert.rejects(endAll({ holder: ADA }, 'by-operator', faulty), StoreUnavailable);
  const { grants: left } = await endAll({ holder: ADA }, 'by-operator', node);
  assert.ok(left > 0 && left <= 20);
  assert.deepEqual(await endAll({ holder: ADA }, 'by-operator', node), { codes: 0, grants: 0 });
});

test('a revoke whose acknowledgement is lost reports success once the store confirms it', async (t) => {
  const { node, faulty } = await beside(t, { lostAfter: 1 });
  const pair = await issue(node);
  assert.equal(await answer(revoke(faulty, pair)), 'accepted');
  assert.equal(await answer(check(node, pair)), 'grant-revoked');
  const events = await node.store.events({ after: 0, limit: 100 });
  assert.equal(events.filter(({ type }) => type === 'revoked').length, 1);
});

test('a refresh whose acknowledgement is lost returns the pair it made', async (t) => {
  const { node, faulty } = await beside(t, { lostAfter: 1 });
  const first = await issue(node);
  const second = accepted(await refresh(faulty, first));
  assert.equal(textOf(accepted(await refresh(node, first))), textOf(second));
  assert.equal(await answer(refresh(node, second)), 'accepted');
});

test('a redemption whose acknowledgement is lost returns the grant it made', async (t) => {
  const { node, faulty } = await beside(t, { lostAfter: 1 });
  const device = await confirmed(node);
  const pair = accepted(await redeem(faulty, device));
  assert.equal(await answer(check(node, pair)), 'accepted');
  assert.equal(await answer(redeem(node, device)), 'device-code-redeemed');
});

test('a fault during refresh or redemption spends nothing', async (t) => {
  const { node, faulty } = await beside(t, { unavailable: 1 });
  const [pair, device] = [await issue(node), await confirmed(node)];
  await assert.rejects(refresh(faulty, pair), StoreUnavailable);
  await assert.rejects(redeem(faulty, device), StoreUnavailable);
  assert.equal(await answer(refresh(node, pair)), 'accepted');
  assert.equal(await answer(redeem(node, device)), 'accepted');
});
