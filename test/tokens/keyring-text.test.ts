import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { test } from 'node:test';
import {
  addKey,
  KeyMissing,
  Keyring,
  KeyringFault,
  mintWith,
  nextKeyId,
  retire,
  type StoredKey,
} from '../../src/tokens/keyring.ts';
import { formatKeyring, parseKeyring } from '../../src/tokens/keyring-text.ts';
import type { StoredSigningKey } from '../../src/tokens/signing-key.ts';

const MAC_KEY: StoredKey = { kind: 'mac', id: 1, state: 'minting', secret: Buffer.alloc(32, 7) };

/** As released versions wrote it, byte for byte. */
const VERSION_1 = `{
  "version": 1,
  "keys": [
    {
      "id": 1,
      "state": "minting",
      "secret": "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="
    }
  ]
}
`;

const PRIVATE_KEYS = {
  ES256: derOf(generateKeyPairSync('ec', { namedCurve: 'P-256' })),
  EdDSA: derOf(generateKeyPairSync('ed25519')),
};

function derOf({ privateKey }: { readonly privateKey: KeyObject }): Buffer {
  return privateKey.export({ format: 'der', type: 'pkcs8' });
}

function aSigningKey(
  difference: { readonly id?: string; readonly algorithm?: 'ES256' | 'EdDSA' } = {},
): StoredSigningKey {
  const { algorithm = 'ES256' } = difference;
  const privateKey = PRIVATE_KEYS[algorithm];
  return { kind: 'signing', id: 'k1', algorithm, privateKey, ...difference };
}

test('a keyring file of an earlier release loads, and is written back byte for byte', () => {
  assert.deepEqual(parseKeyring(VERSION_1, 'keyring.json'), [MAC_KEY]);
  assert.equal(formatKeyring([MAC_KEY]), VERSION_1);
});

test('a keyring with signing keys reads back as written, under a version that earlier releases refuse', () => {
  const keys = [MAC_KEY, aSigningKey(), aSigningKey({ id: 'k2', algorithm: 'EdDSA' })];
  const text = formatKeyring(keys);
  assert.equal(JSON.parse(text).version, 2);
  assert.deepEqual(parseKeyring(text, 'keyring.json'), keys);
});

test('a keyring has no signing key twice', () => {
  assert.throws(() => new Keyring([MAC_KEY, aSigningKey(), aSigningKey()]), /two signing keys/);
});

test('changing the MAC keys leaves the signing keys as they are', () => {
  const keys = [MAC_KEY, aSigningKey()];
  assert.equal(nextKeyId(keys, []), 2);
  const rotated = retire(mintWith(addKey(keys, 2), 2), 1);
  assert.deepEqual(
    rotated.map(({ kind, id }) => `${kind} ${id}`),
    ['signing k1', 'mac 2', 'retired 1'],
  );
  assert.equal(new Keyring(rotated).signingKeys.length, 1);
});

test('a damaged signing key gives a clear fault that shows nothing of the keys', () => {
  const text = formatKeyring([MAC_KEY, aSigningKey()]);
  const secret = aSigningKey().privateKey.toString('base64');
  for (const damage of [
    text.replace('"signingKeys"', '"others"'),
    text.replace('"k1"', '"k 1"'),
    text.replace('ES256', 'HS256'),
    text.replace(secret, secret.slice(1)),
    text.replace(secret, ''),
    text.replace(/"signingKeys": \[[^\]]*\]/, '"signingKeys": [7]'),
  ]) {
    assert.notEqual(damage, text);
    assert.throws(
      () => parseKeyring(damage, 'keyring.json'),
      (error: Error) => {
        assert.ok(error instanceof KeyringFault);
        assert.match(error.message, /damaged.*no key is made anew/);
        assert.ok(!error.message.includes(secret.slice(0, 8)));
        return true;
      },
    );
  }
});

test('the ids of retired keys are kept, and older keyrings have none', () => {
  const once = retire(mintWith(addKey([MAC_KEY, aSigningKey()], 2), 2), 1);
  assert.deepEqual(new Keyring(parseKeyring(formatKeyring(once), 'k')).retired, [1]);
  const keys = retire(once, 'k1');
  const read = parseKeyring(formatKeyring(keys), 'k');
  assert.deepEqual(new Keyring(read).retired, [1, 'k1']);
  assert.deepEqual([new Keyring(read).isRetired('k1'), new Keyring(read).isRetired(2)], [true, false]);
  assert.throws(() => parseKeyring(formatKeyring(keys).replace('"k1"', 'null'), 'k'), /retired key 2 has no id/);
});

test('a keyring of a later release, and what is none, is refused: no key is made anew', () => {
  const text = formatKeyring([MAC_KEY, aSigningKey()]);
  for (const other of [text.replace('"version": 2', '"version": 3'), text.replace('"version": 2,', ''), '', '[]', '{'])
    assert.throws(() => parseKeyring(other, 'k'), /not JSON, or not a keyring of version 1 or 2/);
});

test('a damaged MAC key gives a clear fault', () => {
  const entry = { id: 1, state: 'minting', secret: MAC_KEY.secret.toString('base64') };
  const parse = (difference: object) =>
    parseKeyring(JSON.stringify({ version: 1, keys: [{ ...entry, ...difference }] }), 'k');
  assert.equal(parse({}).length, 1);
  assert.equal(parse({ id: 255 }).length, 1);
  for (const id of [0, 256, 1.5, '1', undefined]) assert.throws(() => parse({ id }), /key 1 has no id from 1 to 255/);
  assert.throws(() => parse({ state: 'asleep' }), /none of the states/);
  for (const secret of ['', 'AAAA', `${entry.secret}=`, 7])
    assert.throws(() => parse({ secret }), /not 32 bytes of base64/);
  assert.throws(() => parseKeyring('{"version":1}', 'k'), /no list named keys/);
});

test('a fault names the key that is damaged', () => {
  const text = formatKeyring([MAC_KEY, aSigningKey(), aSigningKey({ id: 'k2' })]);
  assert.throws(() => parseKeyring(text.replace('"k2"', '"k 2"'), 'k'), /: signing key 2 has no id/);
  assert.throws(() => parseKeyring(text.replace('"k1"', '"k 1"'), 'k'), /: signing key 1 has no id/);
});

test('a node that lacks a key says which, and what to do', () => {
  assert.match(new KeyMissing(3).message, /key 3 is in use and this node lacks it: copy the keyring/);
  assert.match(new KeyMissing(undefined).message, /there is no signing key: add one/);
});
