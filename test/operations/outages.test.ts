// A retry after 503 never counts as reuse, however long the store was down.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { GrantId } from '../../src/core/grant.ts';
import { seconds } from '../../src/core/time.ts';
import { tokenAnswer } from '../../src/doors/oauth/answers.ts';
import { revokeById } from '../../src/operations/grant/revoke-grant.ts';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { hasEnded } from '../../src/operations/upkeep/node-name.ts';
import { isAlone, NodeReporter } from '../../src/operations/upkeep/report-node.ts';
import { beginAnswering, keepSeen } from '../../src/operations/upkeep/timekeeper.ts';
import type { BackEnd } from '../../src/store/back-end.ts';
import { storeOf } from '../../src/store/change.ts';
import { recordingOutages } from '../../src/store/outages.ts';
import { CommitUnknown, OutcomeUnknown, RowUnavailable, rowOf, StoreUnavailable } from '../../src/store/store.ts';
import { attempts } from '../../src/store/tables/attempts.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { SERVICE, serviceTimes } from '../../src/store/tables/service-times.ts';
import {
  accepted,
  anotherNode,
  answer,
  changeIntegration,
  issue,
  type Node,
  refresh,
  type TestClock,
  textOf,
} from '../node.ts';
import { NOW, OPERATOR } from '../samples.ts';
import { onSqlite } from './on-sqlite.ts';

interface Trouble {
  state: 'fine' | 'away' | 'locked' | 'breaks-after-commit';
}

/** A back end that can be unavailable, or break just after a commit and stay unavailable. */
function troubled(real: BackEnd, trouble: Trouble): BackEnd {
  const away = () => Promise.reject(new StoreUnavailable('away'));
  return {
    ...real,
    load: (table, key) => (trouble.state === 'away' ? away() : real.load(table, key)),
    commit: async (commit) => {
      if (trouble.state === 'away') return away();
      if (trouble.state === 'locked') throw new RowUnavailable('locked');
      const happened = await real.commit(commit);
      if (trouble.state === 'fine') return happened;
      trouble.state = 'away';
      throw new CommitUnknown('broke');
    },
  };
}

async function aTroubledNode(t: TestContext): Promise<{ node: Node; clock: TestClock; trouble: Trouble }> {
  const { node: other, database } = await onSqlite(t);
  const trouble: Trouble = { state: 'fine' };
  const clock = other.clock as TestClock;
  const store = recordingOutages(storeOf(troubled(await database.open(), trouble)));
  return { node: await anotherNode(store, { keyring: other.keyring, clock }), clock, trouble };
}

async function outageOf({ store }: Node) {
  return (await store.load(serviceTimes, SERVICE)).found?.row.outages.at(-1);
}

const alone = async () => true;

test('a commit with unknown outcome is reported as unknown, and a retry gets the pair it made', async (t) => {
  const { node, clock, trouble } = await aTroubledNode(t);
  const pair = await issue(node);
  trouble.state = 'breaks-after-commit';
  await assert.rejects(refresh(node, pair), OutcomeUnknown);
  clock.move(500);
  await assert.rejects(refresh(node, pair), (fault) => !(fault instanceof OutcomeUnknown), 'nothing was begun');
  trouble.state = 'fine';
  const retried = accepted(await refresh(node, pair));
  assert.deepEqual(await outageOf(node), { silentFrom: NOW, answeringSince: NOW + 500 });
  clock.move(60);
  assert.equal(textOf(accepted(await refresh(node, pair))), textOf(retried));
  clock.move(1);
  assert.equal(await answer(refresh(node, pair)), 'refresh-token-reused');
});

test('a retry after an outage that the access token did not outlive gets a lifetime that libraries accept', async (t) => {
  const { node, clock, trouble } = await aTroubledNode(t);
  await changeIntegration(node, { overrides: { accessTokenLifetime: seconds(600) } });
  const pair = await issue(node);
  trouble.state = 'breaks-after-commit';
  await assert.rejects(refresh(node, pair), OutcomeUnknown);
  clock.move(900);
  trouble.state = 'fine';
  const retried = accepted(await refresh(node, pair));
  assert.deepEqual([retried.expiresIn, tokenAnswer(retried).expires_in], [-300, 1]);
  accepted(await refresh(node, retried));
});

test('the first change after an outage records it, also one of several rows', async (t) => {
  const { node, clock, trouble } = await aTroubledNode(t);
  await node.store.now();
  const rows = [rowOf(attempts, 'a'), rowOf(attempts, 'b')];
  const change = () => node.store.changeAll(rows, (_, now) => ({ outcome: now }));
  trouble.state = 'away';
  await assert.rejects(change(), StoreUnavailable);
  clock.move(500);
  trouble.state = 'fine';
  assert.equal(await change(), NOW + 500);
  assert.deepEqual(await outageOf(node), { silentFrom: NOW, answeringSince: NOW + 500 });
});

test('an outage that began after the retry window closed does not reopen it', async (t) => {
  const { node, clock, trouble } = await aTroubledNode(t);
  const pair = await issue(node);
  accepted(await refresh(node, pair));
  clock.move(61);
  await keepSeen(node);
  trouble.state = 'away';
  await assert.rejects(refresh(node, pair), StoreUnavailable);
  trouble.state = 'fine';
  assert.equal(await answer(refresh(node, pair)), 'refresh-token-reused');
});

for (const window of [5, 20, 60, 120])
  for (const down of [1, 5, 29, 60])
    test(`a crash, and a start ${down} seconds later: the window of ${window} seconds starts when the service works again`, async (t) => {
      const { node, clock } = await aTroubledNode(t);
      await changeIntegration(node, { overrides: { refreshRetryWindow: seconds(window) } });
      await keepSeen(node);
      const [early, late] = [await issue(node), await issue(node)];
      await refresh(node, early);
      clock.move(window + 1);
      const given = accepted(await refresh(node, late));
      clock.move(down);
      await beginAnswering(node, alone);
      clock.move(window);
      assert.equal(textOf(accepted(await refresh(node, late))), textOf(given));
      assert.equal(
        await answer(refresh(node, early)),
        'refresh-token-reused',
        'its window had closed before the crash',
      );
      clock.move(1);
      assert.equal(await answer(refresh(node, late)), 'refresh-token-reused');
    });

test('what operators did while the service was down says nothing about when it answered', async (t) => {
  const { node, clock } = await aTroubledNode(t);
  await keepSeen(node);
  const pair = await issue(node);
  const given = accepted(await refresh(node, pair));
  await issue(node);
  clock.move(100);
  await revokeById(
    (await node.store.page(grants, { limit: 9 })).find(({ pair }) => pair.generation === 0)?.id as GrantId,
    'by-operator',
    { ...node, by: OPERATOR },
  );
  clock.move(20);
  await beginAnswering(node, alone);
  clock.move(60);
  assert.equal(textOf(accepted(await refresh(node, pair))), textOf(given));
});

test('a node that starts beside a running one reopens nothing', async (t) => {
  const { node, clock } = await aTroubledNode(t);
  await keepSeen(node);
  const isEnded = (name: string) => name === 'ended';
  await new NodeReporter('ended', node).report(node.clock.now);
  assert.equal(await isAlone(node.store, isEnded), true);
  await new NodeReporter('running', node).report(node.clock.now);
  assert.equal(await isAlone(node.store, isEnded), false);
  const pair = await issue(node);
  await refresh(node, pair);
  clock.move(12);
  await keepSeen(node); // as the running one does
  clock.move(12);
  await beginAnswering(node, () => isAlone(node.store, isEnded));
  clock.move(37);
  assert.equal(await answer(refresh(node, pair)), 'refresh-token-reused');
  assert.equal(await isAlone(node.store, isEnded), true, 'it reports no more');
});

test('the trouble of one row is no outage of the service: its own grant alone gets more time', async (t) => {
  const { node, clock, trouble } = await aTroubledNode(t);
  const [locked, other] = [await issue(node), await issue(node)];
  const [given] = [accepted(await refresh(node, locked)), accepted(await refresh(node, other))];
  clock.move(30);
  await node.store.now();
  trouble.state = 'locked';
  await assert.rejects(refresh(node, locked), RowUnavailable);
  clock.move(100);
  trouble.state = 'fine';
  assert.equal(textOf(accepted(await refresh(node, locked))), textOf(given));
  assert.equal(await answer(refresh(node, other)), 'refresh-token-reused');
  clock.move(61);
  assert.equal(await answer(refresh(node, locked)), 'refresh-token-reused');
});

test('if every row is locked, it is an outage of the service', async (t) => {
  const { node, clock, trouble } = await aTroubledNode(t);
  const pairs = await Promise.all(Array.from({ length: 12 }, () => issue(node)));
  const given = [];
  for (const pair of pairs) given.push(accepted(await refresh(node, pair)));
  trouble.state = 'locked';
  for (const pair of pairs.slice(1)) await assert.rejects(refresh(node, pair), RowUnavailable);
  clock.move(100);
  trouble.state = 'fine';
  const [first] = pairs as [TokenPair];
  assert.equal(textOf(accepted(await refresh(node, first))), textOf(given[0] as TokenPair));
});

test('a locked row that nobody asks for again is remembered for an hour', async (t) => {
  const { node, clock, trouble } = await aTroubledNode(t);
  const pairs = [await issue(node), await issue(node)] as const;
  const lockedOut = async (pair: TokenPair) => {
    await node.store.now();
    trouble.state = 'locked';
    await assert.rejects(refresh(node, pair), RowUnavailable);
    trouble.state = 'fine';
  };
  await refresh(node, pairs[0]);
  const given = accepted(await refresh(node, pairs[1]));
  for (const pair of pairs) {
    await lockedOut(pair);
    clock.move(1);
  }
  clock.move(3599);
  await lockedOut(await issue(node));
  assert.equal(await answer(refresh(node, pairs[0])), 'refresh-token-reused', 'after 3601 seconds');
  assert.equal(textOf(accepted(await refresh(node, pairs[1]))), textOf(given), 'after 3600');
});

test('rows that are locked one by one, however many, are no outage of the service', async (t) => {
  const { node, clock, trouble } = await aTroubledNode(t);
  const pairs = await Promise.all(Array.from({ length: 12 }, () => issue(node)));
  const [first, ...locked] = pairs as [TokenPair, ...TokenPair[]];
  await refresh(node, first);
  for (const pair of locked) {
    await node.store.now();
    trouble.state = 'locked';
    await assert.rejects(refresh(node, pair), RowUnavailable);
    trouble.state = 'fine';
    clock.move(61);
  }
  assert.equal(await answer(refresh(node, first)), 'refresh-token-reused');
});

for (const [what, host, isShared] of [
  ['a container that was replaced', '3f2a9c1d77aa', false],
  ['nodes on several machines that died together', 'other-machine', true],
] as const)
  test(`a crash of ${what}, and a start 14 seconds later: the window starts when the service works again`, async (t) => {
    const { node, clock } = await aTroubledNode(t);
    await changeIntegration(node, { overrides: { refreshRetryWindow: seconds(14) } });
    await keepSeen(node);
    await new NodeReporter(`${host}:1:aabbcc`, node).report(node.clock.now);
    const pair = await issue(node);
    const given = accepted(await refresh(node, pair));
    clock.move(14);
    await beginAnswering(node, () => isAlone(node.store, (name) => hasEnded(name, isShared)));
    clock.move(14);
    assert.equal(textOf(accepted(await refresh(node, pair))), textOf(given));
  });

test('a fault that is over at once reopens no window', async (t) => {
  const { node, clock, trouble } = await aTroubledNode(t);
  const [pair, other] = [await issue(node), await issue(node)];
  await refresh(node, pair);
  clock.move(50);
  await node.store.now();
  trouble.state = 'away';
  await assert.rejects(refresh(node, other), StoreUnavailable);
  clock.move(1);
  trouble.state = 'fine';
  accepted(await refresh(node, other));
  clock.move(10);
  assert.equal(await answer(refresh(node, pair)), 'refresh-token-reused');
});

test('without an outage row, an outage of at most an hour is assumed', async (t) => {
  const { node } = await aTroubledNode(t);
  await beginAnswering(node, alone);
  assert.deepEqual(await outageOf(node), { silentFrom: NOW - 3600, answeringSince: NOW });
});

test('nodes share the outage row and write it at most once in ten seconds', async (t) => {
  const { node, clock } = await aTroubledNode(t);
  const seenAt = async () => (await node.store.load(serviceTimes, SERVICE)).found?.row.seenAt;
  await keepSeen(node);
  clock.move(9);
  await keepSeen(node);
  assert.equal(await seenAt(), NOW);
  clock.move(1);
  await keepSeen(node);
  assert.equal(await seenAt(), NOW + 10);
});
