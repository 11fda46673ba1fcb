// Forged assertions: algorithm, key and signature.
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { suite, test } from 'node:test';
import { readKeySet } from '../../src/assertions/key-set.ts';
import { aTokenIssuer, claimsOf, keySetOf } from '../platform.ts';
import { answer, encode, key, other, partsOf, rsa } from './judged.ts';

suite('forged assertions', () => {
  const notAuthentic = (rule: string) => `assertion-not-authentic (${rule})`;
  const notAllowed = 'assertion-algorithm-not-allowed (algorithm)';

  for (const alg of ['none', 'None', 'NONE', 'nOnE', '']) {
    test(`alg ${JSON.stringify(alg)} without a signature`, async () => {
      assert.equal(await answer(`${encode({ alg })}.${encode(claimsOf())}.`), notAllowed);
    });
  }

  test('HS256 with the public key as the secret, in every form of it', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'r1', use: 'sig' };
    const secrets = [
      publicKey.export({ type: 'spki', format: 'pem' }),
      publicKey.export({ type: 'spki', format: 'der' }),
      publicKey.export({ type: 'pkcs1', format: 'pem' }),
      JSON.stringify(jwk),
    ];
    for (const secret of secrets) {
      const input = `${encode({ alg: 'HS256', kid: 'r1', typ: 'JWT' })}.${encode(claimsOf())}`;
      const text = `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
      assert.equal(await answer(text, { keys: keySetOf({ jwk }) }), notAllowed);
    }
  });

  test('a symmetric key in the key set is not used', async () => {
    const jwk = { kty: 'oct', k: Buffer.from('secret').toString('base64url'), kid: 'k1', alg: 'HS256' };
    const read = readKeySet(keySetOf({ jwk }));
    assert.ok(read.ok && read.value.isEmpty);
  });

  test('members of a key that nobody knows are ignored, however deep they are nested [RFC 7517 4]', async () => {
    const [jwk] = JSON.parse(keySetOf(key)).keys;
    const nested = `${'{"a":'.repeat(80_000)}1${'}'.repeat(80_000)}`;
    const text = JSON.stringify({ keys: [{ ...jwk, x9: 'nested' }] }).replace('"nested"', nested);
    assert.equal(await answer(await key.sign(), { keys: text }), 'accepted');
  });

  test('a member of a key that limits its use is not ignored, whatever it is', async () => {
    const [jwk] = JSON.parse(keySetOf(key)).keys;
    const [other] = JSON.parse(keySetOf(rsa)).keys;
    for (const limit of [
      ...[{ use: 'enc' }, { use: ['enc'] }, { use: 5 }],
      ...[{ key_ops: ['encrypt'] }, { key_ops: ['verify', 5] }, { key_ops: [['verify']] }, { key_ops: {} }],
      ...[{ alg: ['ES256'] }, { d: 5 }, { d: 'AAAA' }],
    ]) {
      const keys = JSON.stringify({ keys: [{ ...jwk, ...limit }, other] });
      assert.match(await answer(await key.sign(), { keys }), /not-authentic/, JSON.stringify(limit));
    }
  });

  test('an algorithm that the token issuer does not have', async () => {
    const tokenIssuers = [aTokenIssuer({ algorithms: ['RS256'] })];
    assert.equal(await answer(await key.sign(), { tokenIssuers }), notAllowed);
  });

  test('another algorithm for the same key: PS256 with the key of RS256', async () => {
    const tokenIssuers = [aTokenIssuer({ algorithms: ['RS256', 'PS256'] })];
    const [, payload = '', signature = ''] = (await rsa.sign()).split('.');
    const text = `${encode({ alg: 'PS256', kid: 'r1' })}.${payload}.${signature}`;
    assert.equal(await answer(text, { tokenIssuers }), notAuthentic('key'));
  });

  test('another key with the same kid', async () => {
    assert.equal(await answer(await other.sign()), notAuthentic('signature'));
  });

  for (const kid of [
    '../../etc/passwd',
    "' OR 1=1 --",
    'https://evil.example/key',
    '/dev/null',
    '__proto__',
    '',
    'k1\0',
    'x'.repeat(5000),
  ]) {
    test(`kid ${JSON.stringify(kid.slice(0, 30))} is only compared`, async () => {
      assert.equal(await answer(await key.sign({}, { kid })), notAuthentic('key'));
    });
  }

  test('a kid that is not a text', async () => {
    const { header, payload } = partsOf(await key.sign());
    for (const kid of [7, null, ['k1'], { $ne: null }]) {
      const text = `${encode({ ...header, kid })}.${payload}.AA`;
      assert.equal(await answer(text), 'assertion-malformed (kid)');
    }
  });

  test('keys in the header (jwk, jku, x5u, x5c) are not used', async () => {
    const header = {
      jwk: other.jwk,
      jku: 'https://evil.example/jwks',
      x5u: 'https://evil.example/chain.pem',
      x5c: ['MIIB'],
    };
    assert.equal(await answer(await other.sign({}, header as never)), notAuthentic('signature'));
    assert.equal(await answer(await other.sign({}, { ...header, kid: 'other' } as never)), notAuthentic('key'));
    assert.equal(await answer(await key.sign({}, header as never)), 'accepted', 'they do no harm either');
  });

  test('every octet of the signature counts', async () => {
    const { input, signature } = partsOf(await key.sign());
    const bytes = Buffer.from(signature, 'base64url');
    for (let at = 0; at < bytes.length; at += 7) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      assert.equal(await answer(`${input}.${flipped.toString('base64url')}`), notAuthentic('signature'));
    }
    assert.equal(await answer(`${input}.`), notAuthentic('signature'));
  });

  test('every altered claim', async () => {
    const { header, claims, signature } = partsOf(await key.sign());
    for (const name of Object.keys(claims).filter((claim) => claim !== 'iss')) {
      const text = `${encode(header)}.${encode({ ...claims, [name]: 'altered' })}.${signature}`;
      assert.equal(await answer(text), notAuthentic('signature'), name);
    }
  });

  test('a signature over another encoding of the same claims', async () => {
    const { header, claims, signature } = partsOf(await key.sign());
    const text = `${encode(header)}.${Buffer.from(`${JSON.stringify(claims)} `).toString('base64url')}.${signature}`;
    assert.equal(await answer(text), notAuthentic('signature'));
  });
});
