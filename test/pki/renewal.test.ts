// When revocation data is fetched again, and who waits for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochSeconds } from '../../src/core/time.ts';
import { backOff, renewalOf, renewals } from '../../src/pki/revocation/renewal.ts';
import { TestClock } from '../node.ts';
import { NOW } from '../samples.ts';

const KEPT = { renewAt: epochSeconds(NOW + 10), endsAt: epochSeconds(NOW + 20) };

for (const [after, kept, expected] of [
  [0, undefined, 'fetched, and awaited'],
  [9, KEPT, 'kept'],
  [10, KEPT, 'fetched'],
  [20, KEPT, 'fetched'],
  [21, KEPT, 'fetched, and awaited'],
] as const)
  test(`${kept ? `data that is renewed after 10 seconds and ends after 20, ${after} seconds later` : 'nothing'}: it is ${expected}`, async () => {
    const clock = new TestClock(NOW + after);
    const fetched = Promise.withResolvers<void>();
    let fetches = 0;
    const renew = () => {
      fetches += 1;
      return fetched.promise;
    };
    const renewOnce = renewals(clock.now);
    let waiting = 2;
    const both = Promise.all(Array.from({ length: 2 }, () => renewOnce('a list', kept, renew).then(() => waiting--)));
    await new Promise(setImmediate);
    assert.deepEqual([fetches, waiting], [expected === 'kept' ? 0 : 1, expected.endsWith('awaited') ? 2 : 0]);
    fetched.resolve();
    await both;
    await renewOnce('a list', undefined, renew);
    assert.equal(fetches, expected === 'kept' ? 1 : 2, 'one at a time, and then another');
  });

for (const [from, to, expected, why] of [
  [0, 1000, 800, 'four fifths of its lifetime have passed'],
  [-900, 100, 60, 'but not within a minute'],
  [-900, 30, 30, 'unless it expires sooner'],
  [0, 1_000_000, 86_400, 'or a day'],
  [-900, 0, 60, 'it arrived expired: a minute later'],
  [undefined, 1000, 60, 'it has no beginning: a minute later'],
  [0, undefined, 60, 'it has no end: a minute later'],
] as const)
  test(`data from ${from} to ${to} is fetched again after ${expected} seconds: ${why}`, () => {
    const at = (offset: number | undefined) => (offset === undefined ? undefined : epochSeconds(NOW + offset));
    assert.equal(renewalOf(at(from), at(to), NOW), NOW + expected);
  });

test('the delay after a failure doubles up to 16 minutes, and is never shorter than the first', () => {
  const delays = [backOff(60, undefined), backOff(60, 60), backOff(60, 500), backOff(600, 5), backOff(1200, 1200)];
  assert.deepEqual(delays, [60, 120, 960, 600, 1200]);
});

test('a fault reaches who waits, and nobody else', async () => {
  const renewOnce = renewals(new TestClock(NOW + 15).now);
  const fail = () => Promise.reject(new Error('away'));
  await renewOnce('a list', KEPT, fail);
  await new Promise(setImmediate); // an unhandled rejection would fail the test
  await assert.rejects(renewOnce('a list', undefined, fail), /away/);
});
