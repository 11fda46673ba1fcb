// Races of operations, on every back end.
import assert from 'node:assert/strict';
import { AssertionJudge } from '../../../src/assertions/assertion-judge.ts';
import { IssuerKeys } from '../../../src/assertions/issuer-keys.ts';
import { seconds } from '../../../src/core/time.ts';
import { authorizeAssertion } from '../../../src/operations/grant/authorize-assertion.ts';
import { storeOf } from '../../../src/store/change.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { tokenIssuers } from '../../../src/store/tables/token-issuers.ts';
import { systemClock } from '../../../src/system.ts';
import {
  accepted,
  aNode,
  anotherNode,
  answer,
  CURL,
  changeIntegration,
  check,
  confirmed,
  issue,
  type Node,
  put,
  redeem,
  refresh,
  revoke,
  textOf,
} from '../../node.ts';
import { Programs } from '../../operations/sibling-programs.ts';
import { aTokenIssuer, keySetOf, OUR_ISSUER, platformKey, rewriteSignature } from '../../platform.ts';
import { anIntegration, CLIENT } from '../../samples.ts';
import { Seeded } from '../../seeded.ts';
import type { Claim, TestDatabase } from '../conformance.ts';

const CALLERS = 64;
const ROUNDS = 25;

async function twoNodes(database: TestDatabase): Promise<[Node, Node]> {
  const one = await aNode(storeOf(await database.open()));
  const { keyring } = one;
  return [one, await anotherNode(storeOf(await database.open()), { keyring })];
}

/** A node that judges assertions by the clock of this machine, as a request does. */
async function withAssertions(node: Node): Promise<(assertion: string) => Promise<string>> {
  await node.registry.refresh();
  const keys = new IssuerKeys({ fetch: async () => assert.fail('no request'), now: systemClock.now });
  const judge = new AssertionJudge({ keys, ourIssuer: OUR_ISSUER, now: systemClock.now });
  const ports = { ...node, judgeAssertion: judge.judge.bind(judge) };
  const request = { clientId: CLIENT, scope: 'orders:read', presenter: CURL, requestId: 'a request' };
  return (assertion) => answer(authorizeAssertion({ ...request, assertion }, ports));
}

export function operations(claim: Claim): void {
  claim(
    '20 siblings at two nodes, each with the token that it last saw: none is refused, nothing forks',
    async (database) => {
      const nodes = await twoNodes(database);
      const overrides = { refreshSiblingWindow: seconds(60), refreshRetryWindow: seconds(0) };
      for (const node of nodes) await changeIntegration(node, { overrides });
      const chance = new Seeded(20);
      const programs = new Programs(20, await issue(nodes[0]), nodes, chance);
      for (let turn = 0; turn < 40; turn++) {
        const awake = Array.from({ length: 20 }, (_, n) => n).filter(() => chance.chance(0.2));
        const refusals = await Promise.all(awake.map((n) => programs.refresh(n)));
        assert.deepEqual(new Set(refusals), new Set(awake.map(() => undefined)));
      }
      assert.ok(programs.pairs.size > 20, `${programs.pairs.size} generations`);
    },
  );

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

  claim('64 parallel requests with one assertion at two nodes: one grant, 63 clear refusals', async (database) => {
    const key = await platformKey();
    const nodes = await twoNodes(database);
    const tokenIssuer = aTokenIssuer({ keys: { from: 'file', set: keySetOf(key) } });
    await put(nodes[0].store, tokenIssuers, tokenIssuer);
    await put(
      nodes[0].store,
      integrations,
      anIntegration({ flows: { device: true, certificate: true, assertion: true } }),
    );
    const workloads = await Promise.all(nodes.map(withAssertions));
    for (const jti of ['an id', undefined]) {
      const now = Math.floor(Date.now() / 1000);
      const assertion = await key.sign({ jti, iat: now, nbf: now, exp: now + 300 });
      const before = (await nodes[0].store.page(grants, { limit: 10 })).length;
      const rewritten = rewriteSignature(assertion);
      const attempts = workloads.flatMap((workload) =>
        Array.from({ length: CALLERS / 2 }, (_, n) => workload(n % 3 === 0 ? rewritten : assertion)),
      );
      const answers = await Promise.all(attempts);
      assert.deepEqual(answers.toSorted(), ['accepted', ...Array(CALLERS - 1).fill('assertion-used')]);
      assert.equal((await nodes[0].store.page(grants, { limit: 10 })).length, before + 1);
    }
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
