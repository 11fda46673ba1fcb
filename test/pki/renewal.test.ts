// When revocation data is fetched again, and who waits for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochSeconds } from '../../src/core/time.ts';
import { renewals } from '../../src/pki/revocation/renewal.ts';
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

test('a fault reaches who waits, and nobody else', async () => {
  const renewOnce = renewals(new TestClock(NOW + 15).now);
  const fail = () => Promise.reject(new Error('away'));
  await renewOnce('a list', KEPT, fail);
  await new Promise(setImmediate); // an unhandled rejection would fail the test
  await assert.rejects(renewOnce('a list', undefined, fail), /away/);
});
