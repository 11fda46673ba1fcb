// Which private keys sign access tokens.
import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { calculateJwkThumbprint, type JWK } from 'jose';
import type { SigningAlgorithm } from '../../src/core/signing-key.ts';
import { addSigningKey, Keyring, type StoredKey } from '../../src/tokens/keyring.ts';
import { formatKeyring, parseKeyring } from '../../src/tokens/keyring-text.ts';
import type { StoredSigningKey } from '../../src/tokens/signing-key.ts';

const MAC_KEY: StoredKey = { kind: 'mac', id: 1, state: 'minting', secret: Buffer.alloc(32, 7) };

const PRIVATE_KEYS: Readonly<Record<SigningAlgorithm, Buffer>> = {
  ES256: derOf(generateKeyPairSync('ec', { namedCurve: 'P-256' })),
  EdDSA: derOf(generateKeyPairSync('ed25519')),
  RS256: derOf(generateKeyPairSync('rsa', { modulusLength: 2048 })),
};

function derOf({ privateKey }: { readonly privateKey: KeyObject }): Buffer {
  return privateKey.export({ format: 'der', type: 'pkcs8' });
}

function aSigningKey(difference: Partial<StoredSigningKey> = {}): StoredSigningKey {
  const { algorithm = 'ES256' } = difference;
  const privateKey = PRIVATE_KEYS[algorithm];
  return { kind: 'signing', id: 'k1', algorithm, privateKey, ...difference };
}

test('a keyring opens the private keys of every algorithm, and never prints them', () => {
  for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const) {
    const key = new Keyring([MAC_KEY, aSigningKey({ algorithm })]).signingKeys.at(0);
    assert.equal(key?.privateKey.type, 'private');
    assert.equal(key?.algorithm, algorithm);
    assert.ok(!inspect(key, { depth: 9 }).includes('<Buffer'));
  }
  assert.deepEqual(new Keyring([MAC_KEY]).signingKeys, []);
});

test('a private key of another kind, or a weak one, is refused with the name of the key', () => {
  const weak = derOf(generateKeyPairSync('rsa', { modulusLength: 1024 }));
  const otherCurve = derOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }));
  for (const wrong of [
    aSigningKey({ privateKey: PRIVATE_KEYS.EdDSA }),
    aSigningKey({ privateKey: otherCurve }),
    aSigningKey({ algorithm: 'RS256', privateKey: weak }),
    aSigningKey({ privateKey: Buffer.from('not a key') }),
  ]) {
    assert.throws(() => new Keyring([MAC_KEY, wrong]), /^KeyringFault: signing key k1 .* not a private key for/);
  }
});

test('a new signing key is named by its algorithm and the thumbprint of its public key [RFC 7638]', async () => {
  for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const) {
    const { keys, id } = addSigningKey([MAC_KEY], algorithm);
    const key = new Keyring(parseKeyring(formatKeyring(keys), 'keyring.json')).signingKey(id);
    assert.equal(key?.algorithm, algorithm);
    const thumbprint = await calculateJwkThumbprint(key.publicKey.export({ format: 'jwk' }) as JWK);
    const digits = Buffer.from(thumbprint, 'base64url').toString('hex').slice(0, 16);
    assert.equal(id, `${algorithm.toLowerCase()}-${digits}`);
  }
});
