// Races of operations, on every back end.
import assert from 'node:assert/strict';
import { storeOf } from '../../../src/store/change.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import {
  accepted,
  aNode,
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
} from '../../node.ts';
import type { Claim, TestDatabase } from '../conformance.ts';

const CALLERS = 64;
const ROUNDS = 25;

async function twoNodes(database: TestDatabase): Promise<[Node, Node]> {
  const one = await aNode(storeOf(await database.open()));
  const { keyring } = one;
  return [one, await anotherNode(storeOf(await database.open()), { keyring })];
}

export function operations(claim: Claim): void {
  claim(
    '64 parallel refreshes of one token at two nodes: exactly one successor pair (CVE-2026-1035)',
    async (database) => {
      const nodes = await twoNodes(database);
      const pair = await issue(nodes[0]);
      const refreshes = Array.from({ length: CALLERS }, (_, n) => refresh(nodes[n % 2] ?? nodes[0], pair));
      const pairs = (await Promise.all(refreshes)).map(accepted);
      assert.equal(new Set(pairs.map(textOf)).size, 1);
      const { found } = await nodes[0].store.load(grants, pair.grantId);
      assert.equal(found?.row.pair.generation, 1);
    },
  );

  claim('racing redemptions of one device code on two nodes yield one grant', async (database) => {
    const nodes = await twoNodes(database);
    const device = await confirmed(nodes[0]);
    const redemptions = Array.from({ length: CALLERS }, (_, n) => redeem(nodes[n % 2] ?? nodes[0], device));
    const answers = await Promise.all(redemptions.map(answer));
    assert.deepEqual(answers.toSorted(), ['accepted', ...Array(CALLERS - 1).fill('device-code-redeemed')]);
    assert.equal((await nodes[0].store.page(grants, { limit: 10 })).length, 1);
  });

  claim('after refresh and revoke race, no token works, whichever came first', async (database) => {
    const nodes = await twoNodes(database);
    for (let round = 0; round < ROUNDS; round++) {
      const pair = await issue(nodes[0]);
      const [refreshed, revoked] = await Promise.all([refresh(nodes[0], pair), revoke(nodes[1], pair)]);
      assert.ok(revoked.ok);
      const left = refreshed.ok ? [pair, refreshed.value] : [pair];
      for (const each of left) {
        assert.equal(await answer(check(nodes[0], each)), 'grant-revoked');
        assert.equal(await answer(refresh(nodes[0], each)), 'grant-revoked');
      }
    }
  });
}
