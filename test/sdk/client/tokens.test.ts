// When a pair is used, due and refreshable, and what a file with a pair must have. The clock is the test's own.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, suite, test } from 'node:test';
import {
  dueAt,
  inSeconds,
  isRefreshable,
  isUsable,
  parseTokens,
  type StoredTokens,
  writeTokens,
} from '../../../sdk/client/src/tokens.ts';

const START = 1_800_000_000;
let now = START;
beforeEach(() => {
  now = START;
  mock.method(Date, 'now', () => now * 1000);
});
afterEach(() => mock.restoreAll());

/** Without a refresh token. */
const shortOf = (lifetime: number): StoredTokens => ({
  ...{ server: 'https://tokens.example', clientId: 'sync', accessToken: 'A1', scope: '' },
  ...{ obtainedAt: START, expiresAt: START + lifetime },
});
const GRANT = { refreshToken: 'R1', refreshUntil: START + 1000 };
const pairOf = (lifetime: number): StoredTokens => ({ ...shortOf(lifetime), ...GRANT });

suite('an access token', () => {
  /** Seconds from the end at which it is not handed out any more: the call takes time. */
  for (const [lifetime, before] of [
    [600, 5],
    [100, 5],
    [60, 3],
    [30, 1.5],
    [10, 1.5],
  ] as const)
    test(`of ${lifetime} s is used until ${before} s before its end`, () => {
      now = START + lifetime - before - 0.01;
      assert.equal(isUsable(pairOf(lifetime)), true);
      now = START + lifetime - before;
      assert.equal(isUsable(pairOf(lifetime)), false);
    });

  test('is due when 15 to 25 % of its time are left', () => {
    const used = 600 - 5;
    assert.equal(dueAt(pairOf(600), 0), START + used * 0.85);
    assert.equal(dueAt(pairOf(600), 1), START + used * 0.75);
  });
});

test('a pair can be refreshed until its grant ends, if it has a refresh token', () => {
  const { refreshToken, refreshUntil } = GRANT;
  assert.equal(isRefreshable(shortOf(600)), false);
  assert.equal(isRefreshable({ ...shortOf(600), refreshUntil }), false);
  assert.equal(isRefreshable({ ...shortOf(600), refreshToken }), true, 'no end is known');
  now = START + 999;
  assert.equal(isRefreshable(pairOf(600)), true);
  now = START + 1000;
  assert.equal(isRefreshable(pairOf(600)), false);
});

suite('the text of a pair', () => {
  test('is read as it was written, to the millisecond', () => {
    for (const pair of [pairOf(600.125), shortOf(600.5)]) assert.deepEqual(parseTokens(writeTokens(pair)), pair);
  });

  for (const difference of [
    ...['server', 'clientId', 'accessToken', 'scope', 'obtainedAt', 'expiresAt'].map((name) => ({ [name]: undefined })),
    ...['server', 'clientId', 'accessToken', 'scope', 'refreshToken'].map((name) => ({ [name]: 1 })),
    ...['obtainedAt', 'expiresAt', 'refreshUntil'].map((name) => ({ [name]: '1' })),
    { refreshUntil: null },
  ])
    test(`is none if something is missing or of another kind: ${JSON.stringify(difference)}`, () => {
      assert.equal(parseTokens(JSON.stringify({ ...pairOf(600), ...difference })), undefined);
    });

  test('is none if it is not a JSON object', () => {
    for (const text of ['', '{', 'null', '1', '"x"']) assert.equal(parseTokens(text), undefined);
  });
});

test('times of Tessera 0.2.0 were milliseconds', () => {
  const pair = pairOf(600);
  const { obtainedAt, expiresAt, refreshUntil = 0 } = pair;
  const old = { obtainedAt: obtainedAt * 1000, expiresAt: expiresAt * 1000, refreshUntil: refreshUntil * 1000 };
  assert.deepEqual(inSeconds({ ...pair, ...old }), pair);
  assert.deepEqual(inSeconds(pair), pair);
  for (const [given, expected] of [
    [99_999_999_999, 99_999_999_999], // after the year 5000
    [100_000_000_000, 100_000_000], // of 1973
  ] as const)
    assert.equal(inSeconds({ ...pair, expiresAt: given }).expiresAt, expected);
});
