import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import type { Hex } from '../../src/core/hex.ts';
import { isSameHash, Mac } from '../../src/tokens/mac.ts';

const KEY = Buffer.alloc(32, 7);
const mac = new Mac(KEY);
const hmac = (message: Uint8Array, key = KEY) => createHmac('sha256', key).update(message).digest();

test('it is HMAC-SHA256 of each message, whatever the message before was [RFC 2104]', () => {
  for (const length of [0, 1, 256, 64, 3]) {
    const message = Buffer.alloc(length, length);
    assert.equal(mac.sum(message), hmac(message).toString('hex'));
    const next = Buffer.concat([message.subarray(1), Buffer.of(1)]);
    assert.deepEqual(mac.firstBytes(next, 20), hmac(next).subarray(0, 20));
  }
  const longest = Buffer.alloc(64, 1);
  assert.equal(new Mac(longest).sum(KEY), hmac(KEY, longest).toString('hex'));
});

test('bytes are signed up to a place, and any other byte is noticed', () => {
  const bytes = Buffer.alloc(40, 5);
  mac.sign(bytes, 24, 16);
  assert.deepEqual(bytes.subarray(24), hmac(Buffer.alloc(24, 5)).subarray(0, 16));
  assert.deepEqual(bytes.subarray(0, 24), Buffer.alloc(24, 5));
  assert.equal(mac.isSigned(bytes, 24), true);
  for (const at of bytes.keys()) {
    const other = Buffer.from(bytes);
    other[at] = (other[at] ?? 0) ^ 1;
    assert.equal(mac.isSigned(other, 24), false, `byte ${at}`);
  }
  assert.equal(new Mac(Buffer.alloc(32)).isSigned(bytes, 24), false);
});

test('keys and messages that are too long are faults', () => {
  assert.throws(() => new Mac(Buffer.alloc(65)), /at most 64 bytes/);
  assert.throws(() => mac.sum(Buffer.alloc(257)), /too long/);
});

test('hashes are the same if all of their digits are', () => {
  const hash = 'a'.repeat(64) as Hex;
  assert.equal(isSameHash(hash, hash), true);
  for (const other of [`b${hash.slice(1)}`, `${hash.slice(1)}b`, hash.slice(1), `${hash}a`, ''])
    for (const [a, b] of [
      [hash, other],
      [other, hash],
    ] as const)
      assert.equal(isSameHash(a as Hex, b as Hex), false, other);
});
