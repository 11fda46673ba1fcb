import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideAttempt, delayAfter, forgive, type Limit } from '../../src/core/rules/attempts.ts';
import { type Browser, countsAgainstUserCode, isKnownFor, signInLimits } from '../../src/core/rules/sign-in.ts';
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts';
import { epochSeconds, seconds } from '../../src/core/time.ts';
import { hexOf, NOW } from '../samples.ts';

const LIMIT: Limit = { about: 'a test', most: 5, within: seconds(900) };
const PATIENT: Limit = { ...LIMIT, delays: true };
const at = (offset: number) => epochSeconds(NOW + offset);
const counted = (count: number, endsAt = at(900)) => ({ count, endsAt });

test('the first three failures cause no wait, then the wait doubles up to half a minute', () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1000].map(delayAfter), [0, 0, 0, 1, 2, 4, 8, 16, 30, 30, 30]);
});

test('an attempt is counted, and the window runs from the last one', () => {
  assert.deepEqual(decideAttempt(undefined, LIMIT, NOW), { allowed: true, before: undefined, next: counted(1) });
  const before = counted(1, at(1));
  assert.deepEqual(decideAttempt(before, LIMIT, NOW), { allowed: true, before, next: counted(2) });
});

test('a reached limit lasts until the window ends, and gives that time', () => {
  const full = counted(5, at(10));
  assert.deepEqual(decideAttempt(full, LIMIT, NOW), { allowed: false, isLocked: true, retryAfter: 10 });
  assert.deepEqual(decideAttempt(full, LIMIT, at(9)), { allowed: false, isLocked: true, retryAfter: 1 });
  assert.deepEqual(decideAttempt(full, LIMIT, at(10)), {
    allowed: true,
    before: undefined,
    next: counted(1, at(910)),
  });
});

test('the next attempt must wait only where delays are enabled', () => {
  const four = counted(4); // the last one just now: the next may come in two seconds
  assert.deepEqual(decideAttempt(four, PATIENT, NOW), { allowed: false, isLocked: false, retryAfter: 2 });
  assert.deepEqual(decideAttempt(four, PATIENT, at(1)), { allowed: false, isLocked: false, retryAfter: 1 });
  assert.equal(decideAttempt(four, PATIENT, at(2)).allowed, true);
  assert.equal(decideAttempt(four, LIMIT, NOW).allowed, true);
});

test('forgiving removes one attempt, and restores the window only if no attempt was counted since', () => {
  const [before, made] = [counted(2, at(100)), counted(3)];
  assert.deepEqual(forgive(made, made, before), counted(2, at(100)));
  assert.deepEqual(forgive(counted(4, at(950)), made, before), counted(3, at(950)));
  assert.deepEqual(forgive(counted(1), counted(1), undefined), counted(0));
  assert.equal(forgive(counted(0), made, before), undefined);
  assert.equal(forgive(undefined, made, before), undefined);
});

const NAME = hexOf(16);
const facts = (browser: Browser) => ({ browser, nameMark: NAME, network: '192.0.2.7' });
const limits = (browser: Browser) => signInLimits(facts(browser), DEFAULT_SETTINGS);

test('sessions, known browsers and strangers share no counter, and only strangers share the address', () => {
  const browsers: Browser[] = [
    { is: 'in-session', session: 'a' },
    { is: 'in-session', session: 'b' },
    { is: 'known', id: hexOf(16, 1) },
    { is: 'known', id: hexOf(16, 2) },
    { is: 'unknown' },
  ];
  const counters = browsers.flatMap((browser) => limits(browser).map(({ about }) => about));
  assert.equal(new Set(counters).size, counters.length);
  assert.equal(counters.filter((about) => about.includes('192.0.2.7')).length, 1);
  assert.equal(counters.filter((about) => about.includes(NAME)).length, 1);
});

test('only strangers wait, and the address is counted before the name', () => {
  assert.deepEqual(
    limits({ is: 'unknown' }).map(({ most, delays }) => [most, delays]),
    [
      [100, undefined],
      [10, true],
    ],
  );
  assert.deepEqual(
    limits({ is: 'known', id: hexOf(16) }).map(({ most, delays }) => [most, delays]),
    [[10, undefined]],
  );
});

test('failed sign-ins of a stranger spend no user code', () => {
  assert.equal(countsAgainstUserCode({ is: 'unknown' }), false);
  assert.equal(countsAgainstUserCode({ is: 'known', id: hexOf(16) }), true);
  assert.equal(countsAgainstUserCode({ is: 'in-session', session: 'a' }), true);
});

test('a browser is known for the name that signed in with it, for the configured time', () => {
  const known = { id: hexOf(16), nameMark: NAME, passwordMark: hexOf(16, 4), signedInAt: NOW };
  const lasts = 90 * 86_400;
  assert.equal(isKnownFor(known, NAME, DEFAULT_SETTINGS, at(lasts - 1)), true);
  assert.equal(isKnownFor(known, NAME, DEFAULT_SETTINGS, at(lasts)), false);
  assert.equal(isKnownFor(known, hexOf(16, 3), DEFAULT_SETTINGS, NOW), false);
});
