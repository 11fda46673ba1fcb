// Plausible clocks, and outages that must not cost a caller its grant.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  knownAtStart,
  knownFrom,
  knownToCommand,
  plausible,
  sweepingWaits,
  whyImplausible,
} from '../../src/core/rules/clock.ts';
import { isOutage, windowStart, withOutage, withStart } from '../../src/core/rules/outage.ts';
import type { Outage } from '../../src/core/service-times.ts';
import { epochSeconds, seconds } from '../../src/core/time.ts';
import { NOW } from '../samples.ts';

const [HOUR, DAY] = [3600, 86_400];
const at = (offset: number) => epochSeconds(NOW + offset);

suite('a clock is plausible', () => {
  const range = (known: Parameters<typeof plausible>[0], ran: number) => {
    const { from, to } = plausible(known, ran);
    return [from - NOW, to - NOW];
  };

  test('at the start of a service: up to a day before the mark of the store, and a month after it', () => {
    assert.deepEqual(range(knownAtStart(NOW, at(5), 7), 7), [-DAY, 31 * DAY]);
    assert.deepEqual(range(knownAtStart(NOW, at(5), 7), 17), [10 - DAY, 10 + 31 * DAY]);
    assert.deepEqual(range(knownAtStart(undefined, NOW, 7), 7), [-DAY, HOUR]);
  });

  test('in a command: up to an hour after the mark', () => {
    assert.deepEqual(range(knownToCommand(NOW, at(5)), 0), [-DAY, HOUR]);
    assert.deepEqual(range(knownToCommand(undefined, NOW), 10), [10 - DAY, 10 + HOUR]);
  });

  test('while a service runs: by the clock that is never set, from the latest time', () => {
    const start = knownAtStart(NOW, NOW, 0);
    assert.deepEqual(knownFrom(start, at(20), 10), { at: at(20), ran: 10, ahead: HOUR });
    assert.deepEqual(knownFrom(start, at(5), 10), { at: at(10), ran: 10, ahead: HOUR });
  });

  test('or it says by how much it is not', () => {
    const times = { from: at(-10), to: at(10) };
    for (const offset of [-10, 10]) assert.equal(whyImplausible(at(offset), times), undefined);
    assert.equal(whyImplausible(at(11), times), 'the clock is 1 seconds beyond what is plausible');
    assert.equal(whyImplausible(at(-11), times), 'the clock is 1 seconds behind what is plausible');
    assert.equal(whyImplausible(at(10 + 2 * HOUR - 1), times), 'the clock is 7199 seconds beyond what is plausible');
    assert.equal(whyImplausible(at(10 + 3 * HOUR - 1), times), 'the clock is 2 hours beyond what is plausible');
    assert.equal(whyImplausible(at(-10 - 2 * HOUR), times), 'the clock is 2 hours behind what is plausible');
  });

  test('and nothing is swept for an hour, or a day if it starts long after the mark', () => {
    assert.equal(sweepingWaits(undefined, NOW), HOUR);
    assert.equal(sweepingWaits(at(-HOUR), NOW), HOUR);
    assert.equal(sweepingWaits(at(-HOUR - 1), NOW), DAY);
  });
});

const outage = (from: number, to: number, of?: string): Outage => ({
  ...{ silentFrom: at(from), answeringSince: at(to) },
  ...(of !== undefined && { of }),
});

suite('the retry window of a grant begins', () => {
  const start = (...outages: Outage[]) => windowStart('g', NOW, seconds(60), outages) - NOW;

  test('at its last commit', () => {
    assert.equal(start(), 0);
    assert.equal(start(outage(-50, -10)), 0, 'an outage before it');
    assert.equal(start(outage(61, 90)), 0, 'an outage after it');
    assert.equal(start(outage(10, 20, 'other')), 0, 'an outage of another row');
  });

  test('when the service answered again, if it was silent within the window', () => {
    assert.equal(start(outage(60, 90)), 90);
    assert.equal(start(outage(-5, 90)), 90);
    assert.equal(start(outage(10, 20, 'g')), 20);
    assert.equal(start(outage(10, 100), outage(160, 200)), 200, 'twice');
    assert.equal(start(outage(10, 100), outage(161, 200)), 100);
  });
});

suite('an outage', () => {
  test('takes at least two seconds', () => {
    assert.equal(isOutage(outage(0, 1)), false);
    assert.equal(isOutage(outage(0, 2)), true);
  });

  test('that follows another at once is the same', () => {
    const before = withOutage(undefined, outage(0, 10));
    assert.deepEqual(before, { seenAt: at(10), outages: [outage(0, 10)] });
    assert.deepEqual(withOutage(before, outage(11, 20)), { seenAt: at(20), outages: [outage(0, 20)] });
    assert.deepEqual(withOutage(before, outage(-5, 20)).outages, [outage(-5, 20)]);
    assert.deepEqual(withOutage(before, outage(12, 20)).outages, [outage(0, 10), outage(12, 20)]);
    assert.deepEqual(withOutage(before, outage(11, 20, 'g')).outages, [outage(0, 10), outage(11, 20, 'g')]);
    assert.equal(withOutage({ seenAt: at(90), outages: [] }, outage(0, 10)).seenAt, at(90));
  });

  test('is remembered with the last 20 of the service, and the last 20 of rows', () => {
    let times = withOutage(undefined, outage(0, 1, 'g'));
    for (let n = 0; n < 30; n++) times = withOutage(times, outage(100 * n, 100 * n + 10));
    assert.equal(times.outages.length, 21);
    assert.deepEqual(times.outages[0], outage(0, 1, 'g'));
    assert.deepEqual(times.outages[1], outage(1000, 1010));
  });
});

suite('when a node starts', () => {
  const times = { seenAt: NOW, outages: [] };

  test('the silence before it was an outage, if no other node was running', () => {
    assert.deepEqual(withStart(times, undefined, true, at(5)), { seenAt: at(5), outages: [outage(0, 5)] });
    assert.deepEqual(withStart(times, at(3), true, at(5)).outages, [outage(3, 5)]);
    assert.deepEqual(withStart(times, at(-3), true, at(5)).outages, [outage(0, 5)]);
    assert.deepEqual(withStart(times, undefined, true, NOW), times);
  });

  test('beside others, it was if none gave a sign for 13 seconds', () => {
    assert.deepEqual(withStart(times, undefined, false, at(13)), { seenAt: at(13), outages: [] });
    assert.deepEqual(withStart(times, undefined, false, at(14)).outages, [outage(0, 14)]);
  });

  test('on a store that does not say, an hour is assumed', () => {
    assert.deepEqual(withStart(undefined, undefined, true, NOW).outages, [outage(-HOUR, 0)]);
  });
});
