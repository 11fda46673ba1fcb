// Guarantees of one node also hold across several nodes.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { seconds } from '../../src/core/time.ts';
import { confirmDevice, enterUserCode } from '../../src/operations/device/decide-device.ts';
import { checkPassword } from '../../src/operations/person/sign-in.ts';
import { byOneNode } from '../../src/store/lease.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { Secret } from '../../src/tokens/secret.ts';
import {
  accepted,
  ada,
  answer,
  CURL,
  changeAda,
  changeIntegration,
  check,
  confirmed,
  issue,
  put,
  redeem,
  refresh,
  revoke,
  start,
  textOf,
} from '../node.ts';
import { anIntegration, hexOf } from '../samples.ts';
import { type Cluster, spread, threeNodes } from './three-nodes.ts';

const RACES = 100;
let cluster: Cluster;
before(async () => {
  cluster = await threeNodes();
});

test('64 parallel refreshes of one token across three nodes yield exactly one successor pair (CVE-2026-1035)', async () => {
  const { nodes } = cluster;
  const pair = await issue(nodes[0]);
  const pairs = await spread(nodes, 64, async (node) => accepted(await refresh(node, pair)));
  assert.equal(new Set(pairs.map(textOf)).size, 1);
  const [successor] = pairs;
  assert.ok(successor);
  accepted(await refresh(nodes[2], successor));
});

test('after a revocation that races a refresh on another node, no token works', async () => {
  const [a, b, c] = cluster.nodes;
  await Promise.all(
    Array.from({ length: RACES }, async () => {
      const pair = await issue(a);
      const [refreshed, revoked] = await Promise.all([refresh(b, pair), revoke(c, pair)]);
      assert.ok(revoked.ok);
      for (const each of refreshed.ok ? [pair, refreshed.value] : [pair]) {
        assert.deepEqual(
          [await answer(check(a, each)), await answer(refresh(b, each)), await answer(check(c, each))],
          ['grant-revoked', 'grant-revoked', 'grant-revoked'],
        );
      }
    }),
  );
});

test('a device code polled on one node and confirmed on another is redeemed once on a third', async () => {
  const [a, b, c] = cluster.nodes;
  const started = await start(a);
  assert.equal(await answer(redeem(b, started)), 'authorization-pending');
  const { device } = accepted(await enterUserCode(started.userCode, ada, c));
  accepted(await confirmDevice(device.id, ada, a));
  const outcomes = await spread([a, b, c], 24, (node) => answer(redeem(node, started)));
  assert.equal(outcomes.filter((outcome) => outcome === 'accepted').length, 1);
});

test('polling too fast counts across nodes', async () => {
  const [a, b] = cluster.nodes;
  const started = await start(a);
  assert.equal(await answer(redeem(a, started)), 'authorization-pending');
  assert.equal(await answer(redeem(b, started)), 'polled-too-fast');
});

test('failed sign-ins lock exactly at the limit, summed over all nodes', async () => {
  const { nodes } = cluster;
  const most = nodes[0].settings.failedSignInsPerIdentity;
  const browser = { is: 'known', id: hexOf(16) } as const;
  const attempt = { userName: 'mallory', password: new Secret('guess'), presenter: CURL, browser };
  const outcomes = await spread(nodes, 3 * most, (node) => answer(checkPassword(attempt, node)));
  assert.equal(outcomes.filter((outcome) => outcome === 'sign-in-failed').length, most);
  assert.equal(outcomes.filter((outcome) => outcome === 'sign-in-attempts-exhausted').length, 2 * most);
});

test('an identity disabled on one node is refused by the others at once', async () => {
  const [a, b] = cluster.nodes;
  const pair = await issue(a);
  await changeAda(a, { enabled: false });
  assert.notEqual(await answer(check(b, pair)), 'accepted');
  await changeAda(a, { enabled: true });
  accepted(await check(b, pair));
});

test('an integration changed on one node is in force on the others at their next refresh of the registry', async () => {
  const [a, b, c] = cluster.nodes;
  await changeIntegration(a, { enabled: false });
  assert.deepEqual([await b.registry.refresh(), await c.registry.refresh()], [true, true]);
  assert.equal(b.registry.integration(anIntegration().clientId)?.enabled, false);
  await put(a.store, integrations, anIntegration());
  for (const node of cluster.nodes) await node.registry.refresh();
  accepted(await redeem(b, await confirmed(c)));
});

test('only one node at a time holds a lease', async () => {
  let times = 0;
  const lease = { name: 'test', lasts: seconds(60) };
  const outcomes = await spread(cluster.nodes, 30, (node) => byOneNode(lease, async () => times++, node));
  assert.equal(outcomes.filter(Boolean).length, 1);
  assert.equal(times, 1);
});
