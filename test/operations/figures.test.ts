// Figures over time, on both back ends: what each node counts in a minute is written once, and read as one.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Counts, quantile, refusalsIn } from '../../src/core/figures.ts';
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts';
import { after, type EpochSeconds, epochSeconds, seconds } from '../../src/core/time.ts';
import { RequestTally } from '../../src/doors/ops/request-tally.ts';
import { countByOne, countLiving, FigureKeeper, figuresOver } from '../../src/operations/upkeep/figures.ts';
import { sweep } from '../../src/operations/upkeep/sweep.ts';
import { storeOf } from '../../src/store/change.ts';
import { insert, type Store } from '../../src/store/store.ts';
import { figures } from '../../src/store/tables/figures.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { put } from '../node.ts';
import { aGrant, anIdentity, hexOf } from '../samples.ts';
import { postgresDatabase } from '../store/postgres-database.ts';
import { sqliteDatabase } from '../store/sqlite-database.ts';

const MAKE = { SQLite: () => sqliteDatabase(systemNow), PostgreSQL: () => postgresDatabase() };
const systemNow = () => epochSeconds(Date.now() / 1000);
const pause = async () => {};

class CountingNode {
  totals: Record<string, number> = {};
  readonly keeper: FigureKeeper;

  constructor(name: string, store: Store) {
    this.keeper = new FigureKeeper(name, { store }, { totals: () => ({ ...this.totals }), lag: () => 0, version: '1' });
  }

  count(counts: Counts): void {
    for (const [name, count] of Object.entries(counts)) this.totals[name] = (this.totals[name] ?? 0) + count;
  }
}

for (const [backEnd, make] of Object.entries(MAKE)) {
  const open = async (t: TestContext) => {
    const database = await make();
    t.after(() => database.remove());
    return storeOf(await database.open());
  };

  test(`${backEnd}: nodes write their minutes, and a reader sees their sum, also what is not written yet`, async (t) => {
    const store = await open(t);
    const [ash, oak] = [new CountingNode('ash', store), new CountingNode('oak', store)];
    const minute = await minuteBefore(store, 5);
    await Promise.all([ash.keeper.keep(minute), oak.keeper.keep(minute)]);
    ash.count({ accepted: 3, refreshes: 2 });
    oak.count({ accepted: 4, 'refused grant-revoked': 1 });
    const next = after(minute, seconds(60));
    await Promise.all([ash.keeper.keep(next), oak.keeper.keep(next)]);
    ash.count({ accepted: 10 });
    await ash.keeper.keep(after(next, seconds(5)));
    const { points, nodes } = await figuresOver('hour', { store }, ash.keeper.unwritten);
    assert.equal(points.length, 60);
    const filled = points.filter(({ counts }) => Object.keys(counts).length > 0);
    assert.deepEqual(
      filled.map(({ at, counts }) => [at, counts]),
      [
        [minute, { accepted: 7, refreshes: 2, 'refused grant-revoked': 1 }],
        [next, { accepted: 10 }],
      ],
    );
    assert.deepEqual(nodes.map(({ node }) => node).includes('ash'), true);
    for (const [span, length] of [
      ['day', 96],
      ['month', 180],
    ] as const) {
      const { points: coarse } = await figuresOver(span, { store }, ash.keeper.unwritten);
      assert.equal(coarse.length, length, `a ${span} by quarters of an hour, or by four hours`);
      assert.equal(total(coarse, 'accepted'), 17, span);
    }
    await ash.keeper.keep(after(next, seconds(10)), true);
    assert.deepEqual(ash.keeper.unwritten.counts, {}, 'a node that stops writes the minute that it is in');
    assert.equal(total((await figuresOver('hour', { store }, oak.keeper.unwritten)).points, 'accepted'), 17);
  });

  test(`${backEnd}: an hour of a busy node is 60 rows of minutes and one of the hour; minutes end after 48 hours`, async (t) => {
    const store = await open(t);
    const node = new CountingNode('ash', store);
    const begin = epochSeconds((await store.now()) - ((await store.now()) % 3600) - 3 * 86_400);
    for (let minute = 0; minute <= 60; minute++) {
      for (const at of [0, 20, 40]) await node.keeper.keep(after(begin, seconds(minute * 60 + at)));
      node.count({ accepted: 100 });
    }
    const kept = async () => (await store.page(figures, { limit: 1000 })).map(({ step }) => step);
    assert.deepEqual(countsOf(await kept()), { 60: 60, 900: 4, 3600: 1 });
    await sweep({ store, settings: DEFAULT_SETTINGS }, pause);
    assert.deepEqual(countsOf(await kept()), { 3600: 1 });
    const { points } = await figuresOver('month', { store }, node.keeper.unwritten);
    assert.equal(total(points, 'accepted'), 6100, 'with the minute that is not written yet');
  });

  test(`${backEnd}: living grants are counted without those that ended, one node for all`, async (t) => {
    const store = await open(t);
    const now = await store.now();
    await put(store, identities, anIdentity());
    const makeGrant = async (index: number, until: EpochSeconds, isRevoked = false) =>
      put(store, grants, {
        ...aGrant({ id: hexOf(16, index) as never, refreshUntil: until }),
        ...(isRevoked && { revoked: { at: now, reason: 'by-operator' as const } }),
      });
    await makeGrant(1, after(now, seconds(100)));
    await makeGrant(2, after(now, seconds(86_400 * 2 + 100)));
    await makeGrant(3, after(now, seconds(86_400 * 300)));
    await makeGrant(4, after(now, seconds(100)), true);
    await makeGrant(5, epochSeconds(now - 100));
    let pauses = 0;
    const living = await countLiving({ store }, async () => void pauses++);
    assert.equal(pauses, 3, 'days without grants take no time, which a stop would wait for');
    assert.equal(living.all, 3);
    assert.deepEqual(living.endingByDay.slice(0, 3), [1, 0, 1]);
    const [ash, oak] = [new CountingNode('ash', store), new CountingNode('oak', store)];
    for (const { keeper } of [ash, oak]) await countByOne(keeper, { store }, pause);
    const counted = [ash, oak].map(({ keeper }) => keeper.unwritten.living?.all);
    assert.deepEqual(counted, [3, undefined]);
  });

  test(`${backEnd}: grants that ended are counted past in small steps too, however many there are`, async (t) => {
    const store = await open(t);
    const now = await store.now();
    await put(store, identities, anIdentity());
    const ended = Array.from({ length: 2500 }, (_, index) =>
      insert(grants, {
        ...aGrant({
          id: index.toString(16).padStart(32, '0') as never,
          refreshUntil: after(now, seconds(86_400 * 40 + index)),
        }),
        revoked: { at: now, reason: 'by-caller' },
      }),
    );
    await store.change(identities, 'none', () => ({ outcome: undefined, inserts: ended }));
    let pauses = 0;
    const living = await countLiving({ store }, async () => void pauses++);
    assert.equal(living.all, 0);
    assert.ok(pauses > 2, `${pauses} steps`);
    assert.ok((living.read ?? 0) >= 2500, 'and a count of many is repeated less often');
  });
}

test('a minute that could not be written is written with the next one', async (t) => {
  const database = await sqliteDatabase(systemNow);
  t.after(() => database.remove());
  const store = storeOf(await database.open());
  let isAway = true;
  const failing = {
    ...store,
    changeAll: (...of: [never, never]) => (isAway ? fail() : store.changeAll(...of)),
  } as Store;
  const node = new CountingNode('ash', failing);
  const minute = await minuteBefore(store, 5);
  await node.keeper.keep(minute);
  node.count({ accepted: 5 });
  await assert.rejects(node.keeper.keep(after(minute, seconds(60))));
  isAway = false;
  node.count({ accepted: 1 });
  await node.keeper.keep(after(minute, seconds(120)));
  const { points } = await figuresOver('hour', { store }, node.keeper.unwritten);
  assert.equal(total(points, 'accepted'), 6);
});

test('requests become counts: refreshes, new grants, refusals by reason, times; health checks and pages do not', () => {
  const tally = new RequestTally();
  for (let ms = 1; ms <= 100; ms++) tally.add({ operation: 'refresh', outcome: 'accepted' }, ms);
  tally.add({ operation: 'refresh', outcome: 'refused', reason: 'refresh-token-reused' }, 1);
  tally.add({ operation: 'authorize-certificate', outcome: 'accepted' }, 1);
  tally.add({ operation: 'redeem', outcome: 'refused', reason: 'authorization-pending' }, 1);
  tally.add({ operation: 'none', outcome: 'refused', reason: 'overloaded' }, 0);
  for (const operation of ['ops', 'page-account', 'console-overview'])
    tally.add({ operation, outcome: 'accepted' }, 5000);
  const { accepted, refused, refreshes, issued, timed, ...rest } = tally.totals();
  assert.deepEqual(
    { accepted, refused, refreshes, issued, timed },
    {
      accepted: 102,
      refused: 2,
      refreshes: 100,
      issued: 1,
      timed: 103,
    },
  );
  assert.deepEqual(refusalsIn(rest), [
    ['refresh-token-reused', 1],
    ['overloaded', 1],
  ]);
  const median = quantile(tally.totals(), 0.5) ?? 0;
  assert.ok(median > 0.04 && median < 0.06, String(median));
  assert.equal(quantile({}, 0.5), undefined);
});

function total(points: readonly { readonly counts: Counts }[], name: string): number {
  return points.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0);
}

function countsOf(values: readonly number[]): Record<number, number> {
  return Object.fromEntries([...Map.groupBy(values, (value) => value)].map(([value, same]) => [value, same.length]));
}

/** The beginning of a minute of the same hour and quarter as far as possible. */
async function minuteBefore(store: Store, minutes: number): Promise<EpochSeconds> {
  const now = await store.now();
  return epochSeconds(now - (now % 60) - minutes * 60);
}

function fail(): never {
  throw new Error('away');
}
