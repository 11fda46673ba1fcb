// A standby that lacks the last commits takes over under running nodes: no node uses a grant before that is noticed and handled.
// Only in test:all: drill

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { acceptRollback } from '../../src/operations/admin/after-restore.ts';
import { endAgain, endingsFromActs } from '../../src/operations/admin/lost-endings.ts';
import { NodeReporter } from '../../src/operations/upkeep/report-node.ts';
import { resumeAfter } from '../../src/operations/upkeep/resume.ts';
import { storeOf } from '../../src/store/change.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { HistoryInDoubt, readHistory } from '../../src/store/tables/store-history.ts';
import { systemClock } from '../../src/system.ts';
import { firstKey, Keyring } from '../../src/tokens/keyring.ts';
import { eventually } from '../eventually.ts';
import { accepted, aNode, answer, check, issue, refresh, revoke } from '../node.ts';
import { aGrant, OPERATOR } from '../samples.ts';
import { openAt } from '../store/postgres-node.ts';
import { PostgresServer, silenceSenders } from '../store/postgres-server.ts';
import { makeStandby, promote, REPLICATING, stopWaiting } from '../store/postgres-standby.ts';
import { watchedNode } from './put-back.ts';

const servers = [
  await PostgresServer.start({ durable: true, settings: REPLICATING }),
  await PostgresServer.prepare(),
] as const;
let [primary, standby] = servers;
await primary.query('CREATE DATABASE tessera');
after(() => Promise.all(servers.map((server) => server.remove())));

const keyring = new Keyring(firstKey());
const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
const open = async () => storeOf(await openAt(`postgres://postgres@${hosts}/tessera?statement_timeout=2000`));

type WatchedNode = Awaited<ReturnType<typeof watchedNode>>;

/** Two nodes. What `lose` does is acknowledged, and not on the standby that takes over. */
async function failover<T, Kept>(
  mode: 'wait' | 'resume',
  prepare: (nodes: readonly [WatchedNode, WatchedNode]) => Promise<Kept>,
  lose: (kept: Kept, nodes: readonly [WatchedNode, WatchedNode]) => Promise<T>,
) {
  await makeStandby(standby, primary);
  const first = await open();
  await aNode(first);
  const watched = async (store: typeof first, node: string) => {
    const resume =
      mode === 'resume' ? (rollback: Parameters<typeof resumeAfter>[0]) => resumeAfter(rollback, store) : undefined;
    await new NodeReporter(node, { keyring, store }).report(systemClock.now);
    return watchedNode(store, { node, resume }, keyring);
  };
  const nodes = [await watched(first, 'first'), await watched(await open(), 'second')] as const;
  const kept = await prepare(nodes);
  await stopWaiting(primary);
  silenceSenders(primary.pid ?? 0);
  const lost = await lose(kept, nodes);
  await primary.kill();
  await promote(standby);
  [primary, standby] = [standby, primary];
  const close = async () => {
    for (const { open: store } of nodes) await store.close();
  };
  return { nodes, kept, lost, close };
}

/** The answer, once a server is reached. */
async function insist(call: () => Promise<string>): Promise<string> {
  for (;;) {
    try {
      return await call();
    } catch (fault) {
      if (fault instanceof HistoryInDoubt) return 'in doubt';
      if (!(fault instanceof StoreUnavailable)) throw fault;
    }
  }
}

const checked = (node: WatchedNode, pair: Parameters<typeof check>[1]) => insist(() => answer(check(node, pair)));
const refreshed = (node: WatchedNode, pair: Parameters<typeof check>[1]) => insist(() => answer(refresh(node, pair)));

test('a failover that lost commits is noticed before a grant is used, and by every node; an operator accepts it', async () => {
  const { nodes, kept, lost, close } = await failover(
    'wait',
    async ([node]) => ({
      ended: [await issue(node), await issue(node)],
      turned: [await issue(node), await issue(node)],
    }),
    async ({ ended, turned }, [node, other]) => {
      for (const pair of ended) await revoke(other, pair);
      return Promise.all(turned.map(async (pair) => accepted(await refresh(node, pair))));
    },
  );
  const [node, other] = nodes;
  const [ended] = kept.ended as [(typeof lost)[0]];
  assert.equal(await checked(other, ended), 'in doubt', 'the first answer of the promoted server');
  await eventually('the node that revoked notices it', async () => other.watch.problem !== undefined);
  await eventually('so does the other', async () => {
    await node.watch.glance().catch(() => undefined);
    return node.watch.problem !== undefined;
  });
  for (const each of nodes) assert.equal(await checked(each, ended), 'in doubt');
  for (const pair of [...lost, ...kept.turned])
    assert.equal(await refreshed(node, pair), 'in doubt', 'both tokens: the caller tries again');

  const ports = { store: other.open, by: OPERATOR };
  const back = await endingsFromActs((await readHistory(other.open)).rollback?.lost ?? [], ports);
  assert.deepEqual(back.map(({ id }) => id).sort(), kept.ended.map(({ grantId }) => grantId).sort());
  await endAgain(back, ports);
  const issuedAt = Math.max(...kept.turned.map(({ expiresAt, expiresIn }) => expiresAt - expiresIn));
  await eventually('a later second than that of the last grant', async () => (await other.open.now()) > issuedAt);
  accepted(await acceptRollback(ports));
  for (const each of nodes) await each.watch.glance();
  for (const each of nodes) for (const pair of kept.ended) assert.equal(await checked(each, pair), 'grant-revoked');

  const [[older, newer], [olderFirst, newerLater]] = kept.turned.map((pair, n) => [pair, lost[n]]) as [
    [typeof ended, typeof ended],
    [typeof ended, typeof ended],
  ];
  assert.equal(await refreshed(node, newer), 'accepted', 'the newest token counts');
  assert.equal(await refreshed(node, older), 'refresh-token-reused');
  assert.equal(await refreshed(node, olderFirst), 'accepted', 'its caller never got the answer');
  assert.equal(await refreshed(node, newerLater), 'store-rolled-back', 'one of two holders: none of them goes on');
  assert.deepEqual([node.watch.problem, other.watch.problem], [undefined, undefined], 'explained by what was accepted');
  await close();
});

test('only a refresh was lost: the newer token proves it, on every node', async () => {
  const { nodes, lost, close } = await failover(
    'wait',
    ([node]) => issue(node),
    async (pair, [node]) => accepted(await refresh(node, pair)),
  );
  const [node, other] = nodes;
  for (let answered = 'in doubt'; answered === 'in doubt' && !node.watch.problem; )
    answered = await checked(node, lost);
  assert.ok(node.watch.problem);
  assert.equal(await checked(node, lost), 'in doubt');
  await eventually('the other node learns of it', async () => {
    await other.watch.glance();
    return other.watch.problem !== undefined;
  });
  accepted(await acceptRollback({ store: node.open, by: OPERATOR }));
  await close();
});

test('a node that was not heard before the rollback was accepted makes its lost revocations again', async () => {
  const { nodes, kept, close } = await failover(
    'wait',
    ([node]) => issue(node),
    (pair, [node]) => revoke(node, pair),
  );
  const [node, other] = nodes;
  await assert.rejects(other.watch.explainLoss(aGrant()), HistoryInDoubt, 'the other node has a proof');
  accepted(await acceptRollback({ store: other.open, by: OPERATOR }));
  await eventually('the node begins the next epoch', async () => {
    await node.watch.look().catch(() => undefined);
    return (await checked(node, kept)) !== 'in doubt';
  });
  assert.equal(await checked(node, kept), 'grant-revoked');
  await close();
});

test('resume: nodes end the lost revocations again and go on by themselves, once every node has been heard', async () => {
  const { nodes, kept, close } = await failover(
    'resume',
    async ([node]) => ({ ended: await issue(node), living: await issue(node) }),
    ({ ended }, [node]) => revoke(node, ended),
  );
  const [node, other] = nodes;
  assert.equal(await checked(node, kept.ended), 'in doubt');
  await eventually('it is noticed', async () => node.watch.problem !== undefined);
  await node.watch.look();
  assert.ok((await readHistory(node.open)).rollback, 'the other node has not been heard');
  for (const each of [other, node])
    await eventually('the node goes on', async () => {
      await each.watch.look().catch(() => undefined);
      return each.watch.problem === undefined && (await readHistory(node.open)).rollback === undefined;
    });
  for (const each of nodes) {
    await each.watch.look();
    assert.deepEqual(
      [await checked(each, kept.ended), await checked(each, kept.living)],
      ['grant-revoked', 'accepted'],
    );
  }
  await close();
});

test('a failover that lost nothing is no rollback', async () => {
  const { nodes, kept, close } = await failover(
    'wait',
    ([node]) => issue(node),
    async () => undefined,
  );
  const [node] = nodes;
  await eventually('the token is accepted', async () => (await checked(node, kept)) === 'accepted');
  assert.deepEqual([node.noticed, (await readHistory(node.open)).rollback], [[], undefined]);
  await close();
});
