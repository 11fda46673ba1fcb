import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { format, inspect } from 'node:util';
import { Mac } from '../../src/tokens/mac.ts';
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

test('a user code is 8 unmistakable letters in two groups, and is read without case, spaces or dashes [RFC 8628 6.1]', () => {
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
