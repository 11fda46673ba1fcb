// Followers of the end of the feed: what they read, when they are woken, and what is read while nobody follows.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { FeedTail } from '../../../src/operations/feed/feed-tail.ts';
import type { FeedStore } from '../../../src/operations/feed/read-feed.ts';
import type { LoggedEvent } from '../../../src/store/store.ts';
import { NOW } from '../../samples.ts';

const NEVER = 600_000;
const never = new AbortController().signal;

/** A log of ended grants, and how often it was read. */
function scene(count: number) {
  const log: LoggedEvent[] = [];
  const end = (many: number) => {
    for (let n = 0; n < many; n++) {
      const sequence = log.length + 1;
      const detail = { reason: 'by-caller' };
      log.push({ type: 'revoked', at: NOW, subjectId: `g${sequence}`, sequence, detail } as unknown as LoggedEvent);
    }
  };
  end(count);
  const state = { reads: 0, isAway: false, log, end };
  const store = {
    now: async () => NOW,
    load: async () => ({ found: undefined }),
    page: async () => [],
    newestEvents: async () => {
      if (state.isAway) throw new Error('the store is away');
      return state.log.slice(-1);
    },
    eventProgress: async () => ({ drawn: state.log.length, readable: state.log.length }),
    events: async ({ after, limit }: { after: number; limit: number }) => {
      state.reads += 1;
      return state.log.filter(({ sequence }) => sequence > after).slice(0, limit);
    },
  } as unknown as FeedStore;
  return { state, tail: new FeedTail(store, NEVER) };
}

/** A clock that stands still, so that a slow machine changes nothing. */
function stopClock(t: TestContext) {
  const clock = { now: 1_000_000 };
  t.mock.method(performance, 'now', () => clock.now);
  return clock;
}

const settle = () => new Promise((resolve) => setImmediate(resolve));
const after = async (tail: FeedTail, sequence: number) =>
  (await tail.after({ epoch: 1, sequence })).map((item) => item.sequence);

suite('a follower', () => {
  test('at the end reads no store: what is new is read once for all', async () => {
    const { state, tail } = scene(3);
    const leave = await tail.follow();
    assert.equal(tail.end, 3);
    state.end(2);
    assert.deepEqual(await after(tail, 3), []);
    await Promise.all([tail.look(), tail.look()]);
    const { reads } = state;
    assert.deepEqual(await after(tail, 3), [4, 5]);
    assert.deepEqual(await after(tail, 4), [5]);
    assert.deepEqual(await after(tail, 5), []);
    assert.equal(state.reads, reads);
    assert.deepEqual(await after(tail, 2), [3, 4, 5], 'from the store, if it is further behind');
    assert.equal(state.reads, reads + 1);
    leave();
  });

  test('gets 100 at a time', async () => {
    const { state, tail } = scene(1);
    const leave = await tail.follow();
    state.end(250);
    await tail.look();
    assert.equal((await after(tail, 1)).length, 100);
    assert.equal((await after(tail, 201)).length, 50);
    leave();
    assert.equal((await after(tail, 1)).length, 100, 'also from the store');
  });

  test('that is a little behind finds the last 10,000 in memory', async () => {
    const { state, tail } = scene(1);
    const leave = await tail.follow();
    state.end(10_500);
    await tail.look();
    const { reads } = state;
    await after(tail, 501);
    assert.equal(state.reads, reads);
    await after(tail, 500);
    assert.equal(state.reads, reads + 1);
    leave();
  });

  test('is woken by a change, by its own end, and not for nothing', async (t) => {
    stopClock(t);
    const { state, tail } = scene(1);
    const leave = await tail.follow();
    const stopping = new AbortController();
    let woken = 0;
    const wait = (signal = never) => void tail.change(tail.version, tail.currentAt, signal).then(() => (woken += 1));
    wait();
    wait(stopping.signal);
    await tail.look();
    await settle();
    assert.equal(woken, 0);
    stopping.abort();
    await settle();
    assert.equal(woken, 1);
    await tail.change(tail.version, tail.currentAt, stopping.signal);
    await tail.change(tail.version - 1, tail.currentAt, never);
    await tail.change(tail.version, tail.currentAt - 250, never);
    state.end(1);
    await tail.look();
    await settle();
    assert.equal(woken, 2);
    leave();
  });
});

suite('while nobody follows', () => {
  test('nothing is kept, and whoever comes next is in another history', async () => {
    const { state, tail } = scene(3);
    const [first, second] = [await tail.follow(), await tail.follow()];
    const { history, version } = tail;
    first();
    assert.deepEqual([tail.history, tail.end], [history, 3]);
    second();
    assert.deepEqual([tail.history, tail.end], [history + 1, 0]);
    assert.ok(tail.version > version);
    state.end(1);
    const third = await tail.follow();
    assert.equal(tail.end, 4);
    third();
  });

  test('a look that was under way begins nothing', async () => {
    const { tail } = scene(3);
    const looking = tail.look();
    await looking;
    assert.equal(tail.end, 0);
  });

  test('a follower that could not begin leaves nothing behind', async () => {
    const { state, tail } = scene(3);
    state.isAway = true;
    await assert.rejects(tail.follow(), /the store is away/);
    state.isAway = false;
    const leave = await tail.follow();
    leave();
    assert.equal(tail.end, 0, 'it was the only one');
  });
});

suite('a store that was put back', () => {
  test('ends the history at the next check', async (t) => {
    const clock = stopClock(t);
    const { state, tail } = scene(3);
    const leave = await tail.follow();
    const { history } = tail;
    state.log.length = 1;
    await tail.look();
    assert.equal(tail.history, history, 'this look found nothing new, and checked nothing');
    clock.now += 499;
    await tail.look();
    assert.equal(tail.history, history);
    clock.now += 1;
    await tail.look();
    assert.equal(tail.history, history + 1);
    leave();
  });

  test('is noticed at once if something new is in the place of the old', async () => {
    const { state, tail } = scene(3);
    const leave = await tail.follow();
    const { history } = tail;
    state.log.splice(2, 1);
    state.log.push({ ...(state.log[0] as LoggedEvent), sequence: 3, subjectId: 'other' } as LoggedEvent);
    state.end(1);
    await tail.look();
    assert.equal(tail.history, history + 1);
    leave();
  });
});

test('catching up ends when it is aborted, however far behind the log is', async () => {
  const { tail } = scene(1);
  const leave = await tail.follow();
  const stopping = new AbortController();
  stopping.abort();
  await tail.catchUp(stopping.signal);
  assert.equal(tail.isCurrent, true);
  leave();
});
