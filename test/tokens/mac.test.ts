import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { Hex } from '../../src/core/hex.ts';
import { isSameHash, Mac } from '../../src/tokens/mac.ts';

const hmac = (message: Uint8Array, key: Uint8Array) => createHmac('sha256', key).update(message).digest();

test('a MAC is HMAC-SHA256 for every key and message length it takes, whatever it signed before [RFC 2104]', () => {
  const one = randomBytes(32);
  const mac = new Mac(one);
  for (let length = 0; length <= 256; length++) {
    const key = randomBytes(length % 65);
    const message = randomBytes(length);
    assert.equal(new Mac(key).sum(message), hmac(message, key).toString('hex'));
    assert.deepEqual(mac.firstBytes(message, 20), hmac(message, one).subarray(0, 20));
  }
  assert.throws(() => new Mac(randomBytes(65)), /at most 64 bytes/);
  assert.throws(() => mac.sum(randomBytes(257)), /too long/);
});

test('a MAC verifies only its own message, key and position', () => {
  const key = randomBytes(32);
  const mac = new Mac(key);
  const bytes = randomBytes(70);
  const message = Buffer.from(bytes.subarray(0, 54));
  mac.sign(bytes, 54, 16);
  assert.deepEqual(bytes, Buffer.concat([message, hmac(message, key).subarray(0, 16)]));
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
