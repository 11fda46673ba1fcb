// When the end of the feed is read, what of it is kept, and who is woken. The store, the clock and the timers are the test's own.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FeedTail } from '../../../src/operations/feed/feed-tail.ts';
import { revoked, storeWith } from './feed-log.ts';

/** Somebody follows a log that is empty. */
async function scene(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const log = storeWith([]);
  const tail = new FeedTail(log.store);
  const leave = await tail.follow();
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await nextTurn();
  };
  const pass = async (milliseconds: number) => {
    now += milliseconds;
    t.mock.timers.tick(milliseconds);
    await settle();
  };
  const end = (count: number) => log.add(...Array.from({ length: count }, (_, n) => revoked(`grant-${n}`)));
  const woken = (version = tail.version, currentAt = tail.currentAt, signal = new AbortController().signal) => {
    let isWoken = false;
    void tail.change(version, currentAt, signal).then(() => {
      isWoken = true;
    });
    return async () => {
      await settle();
      return isWoken;
    };
  };
  return { ...log, tail, leave, pass, settle, end, woken };
}

suite('the store', () => {
  test('is read ten times a second while anybody follows, and not before or after', async (t) => {
    const { state, tail, leave, pass } = await scene(t);
    const other = await tail.follow();
    state.reads.length = 0;
    await pass(99);
    assert.equal(state.reads.length, 0);
    await pass(1);
    assert.equal(state.reads.length, 1);
    leave();
    await pass(100);
    assert.equal(state.reads.length, 2, 'the other one still follows');
    other();
    await pass(1_000);
    assert.equal(state.reads.length, 2);
    assert.equal(tail.end, 0);
  });

  test('is read by nobody if the only follower could not begin', async (t) => {
    const { state, tail, leave, pass } = await scene(t);
    leave();
    state.isAway = true;
    await assert.rejects(tail.follow(), /away/);
    state.isAway = false;
    (await tail.follow())();
    state.reads.length = 0;
    await pass(1_000);
    assert.deepEqual(state.reads, []);
  });

  test('is asked every half second whether anything is missing: commits in progress, or all of it', async (t) => {
    const { state, tail, pass } = await scene(t);
    await pass(100);
    await tail.catchUp(new AbortController().signal);
    const { checks } = state;
    for (const [milliseconds, more] of [
      [400, 0],
      [100, 1],
      [400, 1],
      [100, 2],
    ] as const) {
      await pass(milliseconds);
      assert.equal(state.checks - checks, more);
    }
  });

  test('is current for three seconds after it was read', async (t) => {
    const { state, store, tail, pass } = await scene(t);
    assert.equal(new FeedTail(store).isCurrent, false, 'this one has read nothing');
    await pass(500);
    state.isAway = true;
    await pass(2_999);
    assert.equal(tail.isCurrent, true);
    await pass(1);
    assert.equal(tail.isCurrent, false);
  });
});

suite('what is new', () => {
  test('is read 500 at a time, kept, and given 100 at a time', async (t) => {
    const { state, tail, end, pass, settle } = await scene(t);
    end(1_200);
    state.reads.length = 0;
    await pass(100);
    await settle();
    assert.deepEqual([state.reads.splice(0), tail.end], [[500, 1, 500, 1, 500, 1], 1_200]);
    for (const [after, first, count] of [
      [0, 1, 100],
      [1_150, 1_151, 50],
    ] as const) {
      const items = await tail.after({ epoch: 1, sequence: after });
      assert.deepEqual([items[0]?.sequence, items.length], [first, count]);
    }
    assert.deepEqual(await tail.after({ epoch: 1, sequence: 1_200 }), []);
    assert.deepEqual(state.reads, [], 'from memory');
  });

  test('is kept up to 10,000; what is older is read from the store', async (t) => {
    const { state, tail, end, pass, settle } = await scene(t);
    end(10_001);
    await pass(100);
    for (let turn = 0; turn < 10 && tail.end < 10_001; turn++) await settle();
    state.reads.length = 0;
    assert.equal((await tail.after({ epoch: 1, sequence: 1 }))[0]?.sequence, 2);
    assert.deepEqual(state.reads, []);
    assert.equal((await tail.after({ epoch: 1, sequence: 0 }))[0]?.sequence, 1);
    assert.deepEqual(state.reads, [100]);
  });

  test('of a store that was put back is another history, which begins at its end', async (t) => {
    const { tail, end, events, pass, woken } = await scene(t);
    end(3);
    await pass(500);
    const { history, version } = tail;
    const isWoken = woken();
    events.length = 1;
    await pass(500);
    assert.deepEqual([tail.history, tail.end, await isWoken()], [history + 1, 0, true]);
    assert.ok(tail.version > version);
    await pass(100);
    assert.deepEqual([tail.history, tail.end], [history + 1, 1]);
  });
});

suite('a stream is woken', () => {
  test('at once if it has not seen the newest change, is over, or does not know how current it is', async (t) => {
    const { tail, pass, woken } = await scene(t);
    await pass(500);
    assert.equal(await woken(tail.version - 1)(), true);
    assert.equal(await woken(tail.version, tail.currentAt, AbortSignal.abort())(), true);
    assert.equal(await woken(tail.version, tail.currentAt - 250)(), true);
    assert.equal(await woken(tail.version, tail.currentAt - 249)(), false);
  });

  test('by a change, by its end, and when the tail is current by a quarter of a second more', async (t) => {
    const { tail, end, pass, woken } = await scene(t);
    await pass(500);
    const stopping = new AbortController();
    const [changed, stopped] = [woken(), woken(tail.version, tail.currentAt, stopping.signal)];
    await pass(100);
    assert.equal(await stopped(), false, 'nothing has happened');
    stopping.abort();
    assert.deepEqual([await changed(), await stopped()], [false, true]);
    end(1);
    await pass(100);
    assert.equal(await changed(), true);
    const later = woken(tail.version, Number.POSITIVE_INFINITY);
    await pass(100);
    assert.equal(await later(), false);
    await pass(200);
    assert.equal(await later(), true);
  });
});
