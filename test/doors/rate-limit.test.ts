import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateLimit } from '../../src/doors/http/rate-limit.ts';
import { load } from '../config/configured.ts';

function limit(
  burst: number,
  perSecond: number,
): { take: (key?: string) => number | undefined; pass: (seconds: number) => void } {
  let now = 1_000_000;
  const rate = new RateLimit({ burst, perSecond }, () => now);
  return {
    take: (key = 'a') => rate.take(key),
    pass: (seconds) => {
      now += seconds * 1000;
    },
  };
}

test('a bucket allows its burst, then its rate, and reports the wait', () => {
  const { take, pass } = limit(3, 2);
  assert.deepEqual([take(), take(), take(), take()], [undefined, undefined, undefined, 1]);
  pass(0.5);
  assert.deepEqual([take(), take()], [undefined, 1]);
  assert.equal(take('b'), undefined, 'another key has its own');
});

test('the wait is for what is missing of a token', () => {
  const { take, pass } = limit(1, 0.25);
  take();
  pass(2);
  assert.equal(take(), 2, 'half of it is there');
});

test('by default, 2,000 programs behind one address may come at once, as after an outage', () => {
  const { perMinute, burst } = load('').limits.requestsPerAddress;
  const { take } = limit(burst, perMinute / 60);
  for (let n = 0; n < 2000; n++) assert.equal(take(), undefined);
});

test('setting the clock back removes no tokens from a bucket', () => {
  const { take, pass } = limit(600, 50);
  assert.equal(take(), undefined);
  pass(-3600);
  for (let n = 0; n < 500; n++) assert.equal(take(), undefined);
});

test('a flood of other keys does not reset a busy key', () => {
  const { take } = limit(2, 0.001);
  take();
  take();
  for (let n = 0; n < 120_000; n++) {
    take(`stranger ${n}`);
    if (n % 1000 === 0) assert.notEqual(take(), undefined, `after ${n} strangers`);
  }
});

test('a key survives 50,000 newer keys', () => {
  for (const before of [0, 1, 49_998, 49_999, 50_000]) {
    const { take } = limit(1, 0.001);
    for (let n = 0; n < before; n++) take(`earlier ${n}`);
    take();
    for (let n = 0; n < 50_000; n++) take(`later ${n}`);
    assert.notEqual(take(), undefined, `${before} came before`);
  }
});

test('a key is forgotten after 100,000 newer keys: names that nobody has cannot fill the memory', () => {
  const { take } = limit(1, 0.001);
  take();
  for (let n = 0; n <= 100_000; n++) take(`later ${n}`);
  assert.equal(take(), undefined);
});
