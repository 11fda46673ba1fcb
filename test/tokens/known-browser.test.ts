import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochSeconds } from '../../src/core/time.ts';
import { addKey, firstKey, Keyring, mintWith, retire } from '../../src/tokens/keyring.ts';
import { addKnownBrowser, readKnownBrowsers } from '../../src/tokens/known-browser.ts';
import { hexOf, NOW } from '../samples.ts';

const keys = firstKey();
const keyring = new Keyring(keys);
const known = (n: number, name = n) => ({
  id: hexOf(16, n),
  nameMark: hexOf(16, 100 + name),
  passwordMark: hexOf(16, 50 + n),
  signedInAt: NOW,
});
const cookieOf = (...people: ReturnType<typeof known>[]) =>
  people.reduce((cookie, person) => addKnownBrowser(cookie, person, keyring).reveal(), '');

test('a cookie lists who signed in, newest first', () => {
  assert.deepEqual(readKnownBrowsers(cookieOf(known(1), known(2)), keyring), [known(2), known(1)]);
});

test('signing in again replaces the entry: the cookie rotates', () => {
  const cookie = cookieOf(known(1), known(2));
  const next = { ...known(3, 1), signedInAt: epochSeconds(NOW + 5) };
  assert.deepEqual(readKnownBrowsers(addKnownBrowser(cookie, next, keyring).reveal(), keyring), [next, known(2)]);
});

test('a cookie holds at most the last four people, even if it claims more', () => {
  const five = cookieOf(known(1), known(2), known(3), known(4), known(5));
  assert.deepEqual(
    readKnownBrowsers(five, keyring).map(({ id }) => id),
    [5, 4, 3, 2].map((n) => hexOf(16, n)),
  );
  const stuffed = [1, 2, 3, 4, 5, 6].map((n) => cookieOf(known(n))).join('.');
  assert.equal(readKnownBrowsers(stuffed, keyring).length, 4);
});

test('every truncation, extension and bit flip is ignored', () => {
  const cookie = cookieOf(known(1));
  const bytes = Buffer.from(cookie, 'base64url');
  for (let n = 0; n < cookie.length; n++) assert.deepEqual(readKnownBrowsers(cookie.slice(0, n), keyring), [], `${n}`);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.deepEqual(readKnownBrowsers(flipped.toString('base64url'), keyring), [], `bit ${bit}`);
  }
  for (const text of [`${cookie}A`, `${cookie}=`, cookie.toUpperCase(), 'x', ''])
    assert.deepEqual(readKnownBrowsers(text, keyring), [], text);
});

test('a forged entry next to a valid one is ignored and dropped', () => {
  const cookie = `${cookieOf(known(1))}.${'A'.repeat(92)}`;
  assert.deepEqual(readKnownBrowsers(cookie, keyring), [known(1)]);
  assert.equal(addKnownBrowser(cookie, known(2), keyring).reveal().split('.').length, 2);
});

test('a cookie survives a new minting key and ends with the key that signed it', () => {
  const cookie = cookieOf(known(1));
  const rotated = mintWith(addKey(keys, 2), 2);
  assert.deepEqual(readKnownBrowsers(cookie, new Keyring(rotated)), [known(1)]);
  assert.deepEqual(readKnownBrowsers(cookie, new Keyring(retire(rotated, 1))), []);
});

test('a cookie has the same text at nodes of other releases', () => {
  const fixed = new Keyring([{ kind: 'mac', id: 1, state: 'minting', secret: Buffer.alloc(32, 7) }]);
  assert.equal(
    addKnownBrowser('', known(1), fixed).reveal(),
    'AWVlZWVlZWVlZWVlZWVlZWUzMzMzMzMzMzMzMzMzMzMzAQEBAQEBAQEBAQEBAQEBAWtJ0gBfZvI0gBKn_eBmtAXkmSWZ',
  );
});

test('a cookie cannot be printed', () => {
  assert.equal(`${addKnownBrowser('', known(1), keyring)}`, '[secret]');
});
