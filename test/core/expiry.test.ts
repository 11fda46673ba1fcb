import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validityOf, validityState, whyRefused } from '../../src/core/rules/expiry.ts';
import { epochSeconds } from '../../src/core/time.ts';

const DAY = 86_400;

/** The state of what lives that long, with so much of it left. */
function stateWith(left: number, life: number): string {
  return validityState({ from: epochSeconds(0), to: epochSeconds(life) }, epochSeconds(life - left));
}

test('what is renewed with a third of its life left is never about to end, however short it lives', () => {
  for (const life of [600, DAY, 6 * DAY, 47 * DAY, 90 * DAY, 365 * DAY, 3650 * DAY])
    for (const left of [life, life / 2, life / 3]) assert.equal(stateWith(left, life), 'valid', `${left} of ${life}`);
});

test('what lives on in its last quarter is about to end, a month before the end at the earliest', () => {
  const first = (life: number) => [stateWith(life / 4, life), stateWith(life / 4 - 1, life)];
  for (const life of [600, DAY, 90 * DAY, 120 * DAY]) assert.deepEqual(first(life), ['valid', 'ending']);
  assert.deepEqual([stateWith(30 * DAY, 365 * DAY), stateWith(30 * DAY - 1, 365 * DAY)], ['valid', 'ending']);
  assert.deepEqual([stateWith(0, DAY), stateWith(-1, DAY), stateWith(DAY + 1, DAY)], ['ending', 'over', 'early']);
});

test('a certificate is refused before it begins and after it has ended, with the moment', () => {
  const validity = validityOf({ validFrom: 'Jan  1 00:00:00 2026 GMT', validTo: 'Jan  1 00:00:00 2027 GMT' });
  const at = (moment: string) => whyRefused(validity, epochSeconds(Date.parse(moment) / 1000));
  assert.equal(at('2025-12-31T23:59:59Z'), 'not valid before 2026-01-01T00:00:00Z');
  assert.deepEqual(
    [at('2026-01-01T00:00:00Z'), at('2026-12-31'), at('2027-01-01T00:00:00Z')],
    Array(3).fill(undefined),
  );
  assert.equal(at('2027-01-01T00:00:01Z'), 'expired at 2027-01-01T00:00:00Z');
});
