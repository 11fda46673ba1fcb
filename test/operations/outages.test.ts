// A retry after 503 never counts as reuse, however long the store was down.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { beginAnswering, keepSeen } from '../../src/operations/upkeep/service-times.ts';
import type { BackEnd } from '../../src/store/back-end.ts';
import { storeOf } from '../../src/store/change.ts';
import { recordingOutages } from '../../src/store/outages.ts';
import { CommitUnknown, OutcomeUnknown, rowOf, StoreUnavailable } from '../../src/store/store.ts';
import { attempts } from '../../src/store/tables/attempts.ts';
import { SERVICE, serviceTimes } from '../../src/store/tables/service-times.ts';
import { accepted, anotherNode, answer, issue, type Node, refresh, type TestClock, textOf } from '../node.ts';
import { NOW } from '../samples.ts';
import { onSqlite } from './on-sqlite.ts';

interface Trouble {
  state: 'fine' | 'away' | 'breaks-after-commit';
}

/** A back end that can be unavailable, or break just after a commit and stay unavailable. */
function troubled(real: BackEnd, trouble: Trouble): BackEnd {
  const away = () => Promise.reject(new StoreUnavailable('away'));
  return {
    ...real,
    loadVersioned: (table, key) => (trouble.state === 'away' ? away() : real.loadVersioned(table, key)),
    commit: async (commit) => {
      if (trouble.state === 'away') return away();
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
  return (await store.load(serviceTimes, SERVICE)).found?.row.outage;
}

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

test('an outage ends when the service starts; a quick restart is not an outage', async (t) => {
  const { node, clock } = await aTroubledNode(t);
  await keepSeen(node);
  const pair = await issue(node);
  const given = accepted(await refresh(node, pair));
  clock.move(29);
  await beginAnswering(node);
  assert.equal(await outageOf(node), undefined);
  clock.move(1000);
  await beginAnswering(node);
  assert.deepEqual(await outageOf(node), { silentFrom: NOW + 29, answeringSince: NOW + 1029 });
  clock.move(60);
  assert.equal(textOf(accepted(await refresh(node, pair))), textOf(given));
});

test('without an outage row, an outage of at most an hour is assumed', async (t) => {
  const { node } = await aTroubledNode(t);
  await beginAnswering(node);
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
