import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { format, inspect } from 'node:util';
import type { Hex } from '../../src/core/hex.ts';
import { isSameHash, Mac } from '../../src/tokens/mac.ts';
import { Secret } from '../../src/tokens/secret.ts';
import { drawUserCode, normalizeUserCode } from '../../src/tokens/user-code.ts';

test('a secret cannot be printed', () => {
  const secret = new Secret('canary-4711');
  const prints = [
    `${secret}`,
    String(secret),
    ['a', secret].join(''),
    JSON.stringify({ secret }),
    inspect(secret, { depth: 9, showHidden: true }),
    format('%s %o %j', secret, secret, secret),
    JSON.stringify(Object.entries(secret)),
  ];
  for (const print of prints) assert.ok(!print.includes('4711'), print);
  assert.equal(secret.reveal(), 'canary-4711');
});

test('the MAC is HMAC-SHA256 of RFC 2104, for every key and message length it takes', () => {
  for (let length = 0; length <= 256; length++) {
    const key = randomBytes(length % 65);
    const message = randomBytes(length);
    assert.equal(new Mac(key).sum(message), createHmac('sha256', key).update(message).digest('hex'));
  }
  assert.throws(() => new Mac(randomBytes(65)), RangeError);
  assert.throws(() => new Mac(randomBytes(32)).sum(randomBytes(257)), RangeError);
});

test('a MAC verifies only its own message, key and position', () => {
  const mac = new Mac(randomBytes(32));
  const bytes = randomBytes(70);
  mac.sign(bytes, 54, 16);
  assert.ok(mac.isSigned(bytes, 54));
  assert.ok(!new Mac(randomBytes(32)).isSigned(bytes, 54));
  assert.ok(!mac.isSigned(bytes.subarray(0, 69), 53));
  for (let bit = 0; bit < 8 * bytes.length; bit++) {
    const other = Buffer.from(bytes);
    other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.ok(!mac.isSigned(other, 54), `bit ${bit}`);
  }
});

test('two hashes are the same only if every digit is; anything of another length is not a hash', () => {
  const digits = 'a1b2c3d4'.repeat(8) as Hex;
  for (const other of [digits.slice(0, 32), digits.replace('a', 'b'), `${digits.slice(0, 63)}5`, '', `${digits}00`]) {
    assert.ok(!isSameHash(digits, other as Hex), other);
    assert.ok(!isSameHash(other as Hex, digits), other);
    assert.equal(isSameHash(other as Hex, other as Hex), other.length === 64, other);
  }
  assert.ok(isSameHash(digits, digits));
});

test('a user code is 8 unambiguous letters in two groups; case, spaces and dashes are ignored [RFC 8628 6.1]', () => {
  for (let i = 0; i < 200; i++) {
    const code = drawUserCode(randomBytes);
    assert.match(code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    const letters = code.replace('-', '');
    for (const typed of [code, letters, code.toLowerCase(), ` ${code} `, code.replace('-', ' – ')])
      assert.equal(normalizeUserCode(typed), letters);
  }
  for (const typed of ['', 'BCDF', 'BCDFBCDFB', 'AAAAAAAA', 'BCDF-BCD1', 'ſBCDFBCDF'])
    assert.equal(normalizeUserCode(typed), undefined, typed);
});

test('user codes are drawn without bias: bytes past the last whole multiple of 20 are not used', () => {
  const bytes = Buffer.from([255, 240, 0, 19, 20, 39, 239, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.equal(
    drawUserCode(() => bytes),
    'BZBZ-ZCDF',
  );
});
