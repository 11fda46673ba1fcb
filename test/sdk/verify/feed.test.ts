// When the feed is fresh, and when a stream is replaced. The service, the clocks and the timers are the test's own.
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { suite, type TestContext, test } from 'node:test';
import { Feed, pauseAfter } from '../../../sdk/verify/src/feed.ts';
import { Revocations } from '../../../sdk/verify/src/revocations.ts';
import type { Service } from '../../../sdk/verify/src/service.ts';
import { eventually } from '../../eventually.ts';

/** A feed whose stream has caught up. Milliseconds; `opensIn`: how long the next stream takes. */
async function scene(t: TestContext, { maxStale = 30, opensIn = 0 } = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const clock = { now: 1_800_000_000_000, ticks: 5_000 };
  const [streams, notices]: [PassThrough[], string[]] = [[], []];
  const follow = async (_: string, signal: AbortSignal) => {
    const [response, sentAt] = [new PassThrough({ signal }), clock.ticks];
    clock.ticks += opensIn;
    streams.push(response);
    return { response: response as unknown as IncomingMessage, sentAt };
  };
  const snapshot = async () => ({ entries: [], cursor: 'c0' });
  const revocations = new Revocations(() => clock.now);
  const feed = new Feed({ follow, snapshot } as unknown as Service, revocations, {
    ...{ maxStale, now: () => clock.now, ticks: () => clock.ticks, onNotice: (notice) => void notices.push(notice) },
    resourceServer: { id: 'orders-api', secret: 'tsc_x', audience: 'urn:orders' },
  });
  t.after(() => feed.stop());
  const begun = feed.start();
  await eventually('a stream is open', () => streams.length === 1);
  const write = async (text: string) => {
    streams.at(-1)?.write(text);
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  };
  /** `until`: since the stream was requested. */
  const catchUp = (until: number) => write(`data: {"type":"caught-up","until":${until}}\n\n`);
  const isOver = () => streams[0]?.destroyed;
  const later = (milliseconds: number) => {
    clock.now += milliseconds;
    clock.ticks += milliseconds;
  };
  return { feed, begun, clock, streams, notices, revocations, write, catchUp, isOver, later };
}

test('the pause before the next stream doubles up to 5 seconds, and half of it is by chance', () => {
  for (const [failures, chance, expected] of [
    [0, 0, 50],
    [0, 1, 150],
    [1, 0.5, 200],
    [5, 0.5, 3200],
    [6, 0.5, 5000],
    [1000, 0, 2500],
  ] as const)
    assert.equal(pauseAfter(failures, chance), expected);
});

suite('the feed', () => {
  test('is fresh by when everything was known, not by when that was heard, and by nothing that says less', async (t) => {
    const { feed, write, catchUp, later } = await scene(t);
    later(5_000);
    for (const until of ['', ',"until":"soon"', ',"until":null', ',"until":-1', ',"until":3000']) {
      await write(`event: caught-up\ndata: {"type":"caught-up"${until}}\n\n`);
      assert.equal(feed.isFresh, false, until);
    }
    await catchUp(3_001);
    assert.equal(feed.isFresh, true);
  });

  test('is fresh less than two seconds after everything was known, or as long as the API says, and by both clocks', async (t) => {
    for (const [maxStale, longest] of [
      [30, 2_000],
      [1, 1_000],
    ] as const)
      for (const which of ['now', 'ticks'] as const) {
        const { feed, begun, clock, catchUp } = await scene(t, { maxStale });
        await catchUp(0);
        await begun;
        assert.equal(feed.isFresh, true);
        clock[which] += longest - 1;
        assert.equal(feed.isFresh, true);
        clock[which] += 1;
        assert.deepEqual([feed.isFresh, feed.wasFresh], [false, maxStale > 1], `${maxStale} ${which}`);
        clock[which] -= longest + 1;
        assert.deepEqual([feed.isFresh, feed.wasFresh], [false, false], 'a clock that was set back');
        t.mock.timers.reset();
      }
  });

  test('replaces a stream that took a second to open and says too little for three', async (t) => {
    for (const [opensIn, isReplaced] of [
      [999, false],
      [1_000, true],
    ] as const) {
      const { catchUp, isOver, later, clock } = await scene(t, { opensIn });
      const sentAt = clock.ticks - opensIn;
      const fallBehind = (by: number) => catchUp(clock.ticks - sentAt - by);
      for (const [seconds, by] of [
        [0, 2_000],
        [2.999, 2_000],
        [0, 1_999],
        [1, 2_000],
        [2.999, 2_000],
      ] as const) {
        later(seconds * 1000);
        await fallBehind(by);
        assert.equal(isOver(), false, `${seconds} s`);
      }
      later(1);
      await fallBehind(2_000);
      assert.equal(isOver(), isReplaced, `${opensIn}`);
      t.mock.timers.reset();
    }
  });

  test('replaces a stream that says what is not yet so: a clock was set', async (t) => {
    const { catchUp, isOver } = await scene(t);
    await catchUp(0);
    assert.equal(isOver(), false);
    await catchUp(1);
    assert.equal(isOver(), true);
  });

  test('replaces a stream that is silent for 15 seconds', async (t) => {
    const { write, isOver } = await scene(t);
    for (const _ of ['first', 'second']) {
      await write(':\n\n');
      t.mock.timers.tick(14_999);
      assert.equal(isOver(), false);
    }
    t.mock.timers.tick(1);
    assert.equal(isOver(), true);
  });

  test('notifies an operator when it has not been fresh for nine seconds, and when it is again, but not of its end', async (t) => {
    const { feed, later, write, catchUp, notices, isOver } = await scene(t);
    for (const [milliseconds, expected] of [
      [8_999, 0],
      [1, 1],
      [9_000, 1],
    ] as const) {
      later(milliseconds);
      await write(':\n\n');
      assert.equal(notices.length, expected);
    }
    await catchUp(17_000);
    assert.match(notices[0] ?? '', /has not sent caught-up in time/);
    assert.deepEqual(notices.slice(1), ['the revocation feed is back']);
    feed.stop();
    await write(':\n\n');
    assert.equal(isOver(), true);
    assert.equal(notices.length, 2);
  });

  test('takes an event of a million characters, and no more', async (t) => {
    for (const [length, isTaken] of [
      [1_000_000, true],
      [1_000_001, false],
    ] as const) {
      const { write, isOver, revocations } = await scene(t);
      const event = 'data: {"type":"grant","grant":"g","keep_until":2e9,"pad":""}';
      await write(event.replace('""', `"${'x'.repeat(length - event.length)}"`));
      await write('\n\n');
      assert.deepEqual([isOver(), revocations.size], [!isTaken, isTaken ? 1 : 0]);
      t.mock.timers.reset();
    }
  });
});
