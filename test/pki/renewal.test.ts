// When fetched data is fetched again, and who waits for it, to the second.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { epochSeconds } from '../../src/core/time.ts';
import { backOff, renewalOf, renewals } from '../../src/pki/revocation/renewal.ts';

const at = epochSeconds;

test('data is renewed at four fifths of its lifetime, in a minute at the earliest, in a day at the latest', () => {
  for (const [from, to, now, expected] of [
    [0, 1_000, 100, 800],
    [0, 1_000, 740, 800],
    [0, 1_000, 741, 801],
    [0, 1_000, 950, 1_000],
    [0, 1_000, 999, 1_000],
    [0, 1_000, 1_000, 1_060],
    [0, 1_000, 2_000, 2_060],
    [0, 1_000_000, 10, 86_410],
    [undefined, 1_000, 100, 160],
    [0, undefined, 100, 160],
  ] as const)
    assert.equal(
      renewalOf(from === undefined ? from : at(from), to === undefined ? to : at(to), at(now)),
      expected,
      `${from} ${to} ${now}`,
    );
});

test('after failures the delay doubles, up to 16 minutes or the first delay', () => {
  const delays = (first: number, count: number) => {
    const found: number[] = [];
    for (let n = 0; n < count; n++) found.push(backOff(first, found.at(-1)));
    return found;
  };
  assert.deepEqual(delays(60, 6), [60, 120, 240, 480, 960, 960]);
  assert.deepEqual(delays(1_000, 2), [1_000, 1_000]);
  assert.equal(backOff(600, 60), 600, 'another kind of failure before');
});

suite('a renewal', () => {
  function scene() {
    const state = { now: at(0), begun: 0, end: () => {}, fail: () => {} };
    const renewOnce = renewals(() => state.now);
    const renew = () => {
      state.begun++;
      return new Promise<void>((resolve, reject) => {
        Object.assign(state, { end: resolve, fail: () => reject(new Error('away')) });
      });
    };
    const need = (kept?: { renewAt: number; endsAt: number }) =>
      renewOnce('key', kept && { renewAt: at(kept.renewAt), endsAt: at(kept.endsAt) }, renew);
    return { state, need };
  }
  const kept = { renewAt: 10, endsAt: 20 };

  test('begins when the data is due, not earlier', async () => {
    const { state, need } = scene();
    await need({ ...kept, renewAt: 1 });
    assert.equal(state.begun, 0);
    state.now = at(10);
    await need(kept);
    assert.equal(state.begun, 1);
  });

  test('is awaited only by those without data, or with data that has ended', async () => {
    const { state, need } = scene();
    state.now = at(20);
    await need(kept);
    state.now = at(21);
    const waiting = [need(kept), need()];
    let waited = 2;
    for (const each of waiting) void each.then(() => waited--);
    await Promise.resolve();
    assert.deepEqual([waited, state.begun], [2, 1], 'one for all');
    state.end();
    await Promise.all(waiting);
    const next = need();
    assert.equal(state.begun, 2, 'a new one after that');
    state.end();
    await next;
  });

  test('that fails is a fault for those who wait, and for nobody else', async () => {
    const { state, need } = scene();
    state.now = at(15);
    await need(kept);
    const waiting = need();
    state.fail();
    await assert.rejects(waiting, /away/);
    const again = need();
    assert.equal(state.begun, 2);
    state.end();
    await again;
  });
});
