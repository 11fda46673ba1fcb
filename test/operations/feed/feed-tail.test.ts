// How the end of the feed is read for many followers.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import type { Event } from '../../../src/core/event.ts';
import { FeedTail } from '../../../src/operations/feed/feed-tail.ts';
import type { FeedStore } from '../../../src/operations/feed/read-feed.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { eventually } from '../../eventually.ts';
import { onSqlite } from '../on-sqlite.ts';

const ENTRIES = 1_000;

/** A store with ended grants in its log, and one other event after them. It counts the reads of the log under way. */
async function withEntries(t: TestContext) {
  const { node, clock } = await onSqlite(t);
  const { store } = node;
  const revoked = (subjectId: string) =>
    ({ type: 'revoked', detail: { reason: 'by-caller' }, at: clock.now(), subjectId }) as const;
  const append = (events: readonly Event[]) =>
    store.change(integrations, 'none', () => ({ outcome: undefined, events }));
  const endMany = (count: number) =>
    append(Array.from({ length: count }, (_, n) => revoked(n.toString(16).padStart(32, 'd'))));
  await endMany(ENTRIES);
  await append([{ type: 'refreshed', at: clock.now(), subjectId: 'c'.repeat(32) }]);
  const reads = { all: 0, atOnce: 0, most: 0, isFailing: false, held: Promise.resolve(), lag: 0 };
  const counting: FeedStore = {
    now: () => store.now(),
    newestEvents: (query) => store.newestEvents(query),
    eventProgress: async () => {
      const { drawn } = await store.eventProgress();
      return { drawn, readable: drawn - reads.lag };
    },
    load: (table, key) => store.load(table, key),
    page: (table, query) => store.page(table, query),
    events: async (query) => {
      reads.all += 1;
      reads.most = Math.max(reads.most, ++reads.atOnce);
      try {
        if (reads.isFailing) throw new Error('the store is away');
        const found = await store.events(query);
        await reads.held; // a store that is slow to answer
        return reads.lag === 0 || query.limit === 1 ? found : found.slice(0, -reads.lag);
      } finally {
        reads.atOnce -= 1;
      }
    },
  };
  const tail = new FeedTail(counting, 600_000);
  const leave = await tail.follow();
  t.after(leave);
  Object.assign(reads, { all: 0, most: 0 });
  const end = (subjectId: string) => append([revoked(subjectId)]);
  return {
    tail,
    reads,
    leave,
    end,
    first: ((await store.events({ after: 0, limit: 1, acts: true }))[0]?.sequence ?? 0) - 1,
  };
}

/** Reads to the end, and returns the sequence numbers. */
async function readOn(tail: FeedTail, from: number): Promise<number[]> {
  const found: number[] = [];
  for (let at = from; ; at = found.at(-1) ?? at) {
    const items = await tail.after({ epoch: 1, sequence: at });
    if (items.length === 0) return found;
    found.push(...items.map(({ sequence }) => sequence));
  }
}

suite('followers that are far behind', () => {
  test('share a read if they are at the same place', async (t) => {
    const { tail, reads, first } = await withEntries(t);
    const found = await Promise.all(Array.from({ length: 100 }, () => readOn(tail, first)));
    assert.ok(found.every((each) => each.length === ENTRIES));
    assert.ok(reads.all <= 20, `${reads.all} reads`);
  });

  test('wait for each other if they are not', async (t) => {
    const { tail, reads, first } = await withEntries(t);
    const found = await Promise.all(Array.from({ length: 10 }, (_, n) => readOn(tail, first + n)));
    assert.deepEqual(
      found.map(({ length }) => length),
      Array.from({ length: 10 }, (_, n) => ENTRIES - n),
    );
    assert.equal(reads.most, 1);
  });

  test('read on after a read that failed', async (t) => {
    const { tail, reads, first } = await withEntries(t);
    reads.isFailing = true;
    await assert.rejects(tail.after({ epoch: 1, sequence: first }), /the store is away/);
    reads.isFailing = false;
    assert.equal((await readOn(tail, first)).length, ENTRIES);
  });
});

const GRANT = 'e'.repeat(32);
const never = new AbortController().signal;

suite('a revocation that was committed', () => {
  test('is not missed by a follower that joins a read which began before it', async (t) => {
    const { tail, reads, end, first } = await withEntries(t);
    const at = { epoch: 1, sequence: first + ENTRIES };
    const slow = Promise.withResolvers<void>();
    reads.held = slow.promise;
    const early = tail.after(at);
    await eventually('it reads from the store', () => reads.atOnce === 1);
    reads.held = Promise.resolve();
    await end(GRANT);
    await tail.look();
    const joined = follow(tail, at.sequence);
    slow.resolve();
    assert.deepEqual(await early, []);
    await eventually('the other one has it', () => joined.grants.includes(GRANT));
    joined.stop();
  });

  test('is not missed by a follower that joins a read which began before it, while nobody followed', async (t) => {
    const { tail, reads, leave, end, first } = await withEntries(t);
    leave();
    const at = { epoch: 1, sequence: first + ENTRIES };
    const slow = Promise.withResolvers<void>();
    reads.held = slow.promise;
    const early = tail.after(at);
    await eventually('it reads from the store', () => reads.atOnce === 1);
    reads.held = Promise.resolve();
    await end(GRANT);
    t.after(await tail.follow());
    const joined = follow(tail, at.sequence);
    slow.resolve();
    assert.deepEqual(await early, []);
    await eventually('the other one has it', () => joined.grants.includes(GRANT));
    joined.stop();
  });

  test('has been read when a stream has caught up, also if another commit holds back the log', async (t) => {
    const { tail, reads, end } = await withEntries(t);
    await end(GRANT);
    reads.lag = 1;
    let isCaughtUp = false;
    const catching = tail.catchUp(never).then(() => {
      isCaughtUp = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(isCaughtUp, false, 'a number is drawn that cannot be read yet');
    reads.lag = 0;
    await catching;
    const [item] = await tail.after({ epoch: 1, sequence: tail.end - 1 });
    assert.equal(item?.state?.about === 'grant' && item.state.grantId, GRANT);
  });
});

suite('everything that was committed before `currentAt` has been read', () => {
  test('it is when the look began, however long the store takes to answer', async (t) => {
    const { tail, reads, end } = await withEntries(t);
    await tail.catchUp(never);
    const slow = Promise.withResolvers<void>();
    reads.held = slow.promise;
    const began = performance.now();
    const catching = tail.catchUp(never);
    await eventually('it reads from the store', () => reads.atOnce === 1);
    await end(GRANT);
    const committed = performance.now();
    assert.ok(tail.currentAt < began, 'nothing was read since');
    reads.held = Promise.resolve();
    slow.resolve();
    await catching;
    assert.ok(tail.currentAt >= began && tail.currentAt < committed, 'that look may have missed the grant');
  });

  test('commits in progress hold it back: it is when their numbers were drawn, not when they could be read', async (t) => {
    const { tail, reads, end } = await withEntries(t);
    const real = performance.now.bind(performance);
    let ahead = 0;
    t.mock.method(performance, 'now', () => real() + ahead);
    /** Half a second later, the tail checks that nothing is missing. */
    const check = () => {
      ahead += 500;
      return tail.look();
    };
    reads.lag = 1;
    await end(GRANT);
    await check();
    const before = tail.currentAt;
    reads.lag = 2;
    await end('e'.repeat(32));
    const committed = performance.now();
    await check();
    assert.equal(tail.currentAt, before, 'the first cannot be read');
    await end('f'.repeat(32));
    await check();
    assert.ok(before < tail.currentAt && tail.currentAt < committed, 'the first can be read, the last cannot');
    reads.lag = 0;
    await check();
    assert.ok(tail.currentAt >= committed);
  });
});

test('a stream that ends does not wait for a commit that hangs', async (t) => {
  const { tail, reads, end } = await withEntries(t);
  await end(GRANT);
  reads.lag = 1;
  const stopping = new AbortController();
  const catching = tail.catchUp(stopping.signal);
  stopping.abort();
  await catching;
});

test('what is read while nobody follows does not count: the store may be put back meanwhile', async (t) => {
  const { tail, leave } = await withEntries(t);
  leave();
  await tail.look();
  assert.equal(tail.end, 0);
});

/** As a stream does it: reads on whenever something has changed. */
function follow(tail: FeedTail, from: number) {
  const stopping = new AbortController();
  const grants: string[] = [];
  void (async () => {
    for (let sequence = from; !stopping.signal.aborted; ) {
      const { version } = tail;
      const items = await tail.after({ epoch: 1, sequence });
      for (const { state } of items) if (state?.about === 'grant') grants.push(state.grantId);
      sequence = items.at(-1)?.sequence ?? sequence;
      if (items.length === 0) await tail.change(version, Number.POSITIVE_INFINITY, stopping.signal);
    }
  })();
  return { grants, stop: () => stopping.abort() };
}
