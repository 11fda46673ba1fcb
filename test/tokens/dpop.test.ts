// Public keys, DPoP proofs (RFC 9449 4) and their nonces.
import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { suite, test } from 'node:test';
import { calculateJwkThumbprint } from 'jose';
import { epochSeconds } from '../../src/core/time.ts';
import { mintNonce, nonceTime, readDpopProof } from '../../src/tokens/dpop.ts';
import { readPublicJwk, readPublicKeys } from '../../src/tokens/jwk.ts';
import { addKey, firstKey, Keyring, mintWith } from '../../src/tokens/keyring.ts';
import { dpopKey } from '../e2e/dpop-steps.ts';
import { NOW } from '../samples.ts';

const [key, rsa] = await Promise.all([dpopKey(), dpopKey('RS256')]);
const keys = firstKey();
const keyring = new Keyring(keys);

suite('a proof', () => {
  const read = async (claims: object = {}, header: Record<string, unknown> = {}, by = key) =>
    readDpopProof(await by.proof({ iat: NOW, htu: 'https://a.example/', ...claims }, header));

  test('says what it is for, and which key has signed it', async () => {
    for (const alg of ['ES256', 'EdDSA', 'Ed25519', 'RS256', 'PS256']) {
      const other = await dpopKey(alg);
      const proof = await read({ jti: 'x', nonce: 'n', htm: 'GET' }, {}, other);
      assert.ok(proof);
      const { signedBy, ...says } = proof;
      assert.deepEqual(says, { id: 'x', issuedAt: NOW, method: 'GET', url: 'https://a.example/', nonce: 'n' });
      assert.equal(signedBy(), await calculateJwkThumbprint(other.jwk), alg);
    }
  });

  test('is none if something is missing or unknown', async () => {
    const WRONG: readonly (readonly [object, Record<string, unknown>?])[] = [
      [{ jti: undefined }],
      [{ jti: '' }],
      [{ jti: 1 }],
      [{ jti: 'x'.repeat(257) }],
      [{ iat: undefined }],
      [{ iat: '1' }],
      [{}, { typ: 'JWT' }],
      [{ more: 'x'.repeat(8192) }],
    ];
    for (const [claims, header] of WRONG)
      assert.equal(await read(claims, header), undefined, JSON.stringify(claims).slice(0, 40));
    const [header = '', ...rest] = (await key.proof({ iat: NOW })).split('.');
    const changed = (difference: object) => {
      const given = JSON.parse(Buffer.from(header, 'base64url').toString());
      return [Buffer.from(JSON.stringify({ ...given, ...difference })).toString('base64url'), ...rest].join('.');
    };
    assert.ok(readDpopProof(changed({})));
    for (const difference of [{ crit: ['x'] }, { alg: 'none' }, { alg: 'ES384' }, { alg: 'toString' }, { alg: 1 }])
      assert.equal(readDpopProof(changed(difference)), undefined, JSON.stringify(difference));
    for (const text of ['', 'a.b', 'a.b.c', `${changed({})}.x`, `${changed({})}=`])
      assert.equal(readDpopProof(text), undefined);
    assert.ok(await read({ jti: 'x'.repeat(256) }));
    const ofLength = (length: number) => readDpopProof(changed({}).padEnd(length, 'A'));
    assert.deepEqual([ofLength(8192) !== undefined, ofLength(8193)], [true, undefined]);
  });

  test('is signed by nobody if the key is another, or does not fit', async () => {
    const other = await dpopKey();
    for (const jwk of [other.jwk, rsa.jwk, undefined, null, 'x', { ...key.jwk, d: 'x' }, { ...key.jwk, crv: 'P-384' }])
      assert.equal((await read({}, { jwk }))?.signedBy(), undefined);
    const small = { ...rsa.jwk, e: 'Aw' };
    assert.equal((await read({}, { jwk: small }, rsa))?.signedBy(), undefined);
  });

  test('is signed by nobody if its key is of another kind than its algorithm: callers would choose slow ones', () => {
    const [large, slow] = [
      generateKeyPairSync('rsa', { modulusLength: 2048 }),
      generateKeyPairSync('ec', { namedCurve: 'P-521' }),
    ];
    for (const [alg, { privateKey, publicKey }, digest, disguise] of [
      ['ES256', large, 'sha256', { crv: 'P-256' }],
      ['EdDSA', large, undefined, { crv: 'Ed25519' }],
      ['RS256', slow, 'sha256', { e: 'AQAB', n: 'AQAB' }],
    ] as const) {
      const header = { alg, typ: 'dpop+jwt', jwk: { ...publicKey.export({ format: 'jwk' }), ...disguise } };
      const parts = [header, { jti: 'x', iat: NOW }].map((part) => Buffer.from(JSON.stringify(part)));
      const text = parts.map((part) => part.toString('base64url')).join('.');
      const signature = sign(digest, Buffer.from(text), privateKey).toString('base64url');
      assert.equal(readDpopProof(`${text}.${signature}`)?.signedBy(), undefined, alg);
    }
  });

  test('is signed by nobody if an RSA key has another exponent, or more than 4096 bits, even of zeros', async () => {
    const modulus = Buffer.from(rsa.jwk.n ?? '', 'base64url');
    const padded = (octets: number) =>
      Buffer.concat([Buffer.alloc(octets - modulus.length), modulus]).toString('base64url');
    for (const [difference, isUsed] of [
      [{ n: padded(512) }, true],
      [{ n: padded(513) }, false],
      [{ e: 'AAEAAQ' }, false],
    ] as const) {
      const proof = await read({}, { jwk: { ...rsa.jwk, ...difference } }, rsa);
      assert.equal(proof?.signedBy() !== undefined, isUsed, JSON.stringify(difference).slice(0, 20));
    }
  });
});

suite('a nonce', () => {
  test('is known to every node with the key, and says when it was minted', () => {
    const nonce = mintNonce(NOW, keyring);
    assert.equal(nonceTime(nonce, keyring), NOW);
    assert.equal(nonceTime(nonce, new Keyring(mintWith(addKey(keys, 2), 2))), NOW, 'also after a rotation');
    assert.equal(nonceTime(mintNonce(epochSeconds(2 ** 32 - 1), keyring), keyring), 2 ** 32 - 1);
  });

  test('has the same text at nodes of other releases', () => {
    const fixed = new Keyring([{ kind: 'mac', id: 1, state: 'minting', secret: Buffer.alloc(32, 7) }]);
    assert.equal(mintNonce(NOW, fixed), 'AWtJ0gDROdWTpf_FFEiTPp5x2T9Q');
  });

  test('of others is none', () => {
    const nonce = mintNonce(NOW, keyring);
    const bytes = Buffer.from(nonce, 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const forged = Buffer.from(bytes);
      forged[at] = (forged[at] as number) ^ 1;
      assert.equal(nonceTime(forged.toString('base64url'), keyring), undefined, `byte ${at}`);
    }
    for (const text of [undefined, 1, '', nonce.slice(1), `${nonce}A`, `${nonce}=`])
      assert.equal(nonceTime(text, keyring), undefined);
  });
});

suite('a public key', () => {
  const reasonOf = (read: unknown) => (typeof read === 'string' ? read : 'it can be used');
  const jwkOf = (type: 'rsa' | 'ec' | 'ed25519', options: object = {}) =>
    createPublicKey(generateKeyPairSync(type as 'rsa', options as { modulusLength: number }).privateKey).export({
      format: 'jwk',
    });

  test('is read with its members alone, and its thumbprint [RFC 7638]', async () => {
    for (const jwk of [jwkOf('ec', { namedCurve: 'P-521' }), jwkOf('ed25519'), jwkOf('rsa', { modulusLength: 2048 })]) {
      const read = readPublicJwk({ ...jwk, kid: 'x', use: 'sig' });
      assert.ok(typeof read === 'object');
      assert.deepEqual(read.members, jwk);
      assert.equal(read.thumbprint, await calculateJwkThumbprint(jwk as never));
    }
  });

  test('that cannot be used says why', () => {
    const rsa = jwkOf('rsa', { modulusLength: 2048 });
    for (const [jwk, why] of [
      [undefined, 'not a JSON object'],
      [null, 'not a JSON object'],
      [{ ...key.jwk, d: 'x' }, 'private or symmetric'],
      [{ kty: 'oct', k: 'x' }, 'private or symmetric'],
      [{ kty: 'oct' }, 'kty is not'],
      [{ kty: 'constructor' }, 'kty is not'],
      [{ kty: 'EC', crv: 'P-256', x: 'x' }, 'it lacks crv, kty, x, y'],
      [{ ...key.jwk, crv: 'secp256k1' }, 'its curve is not'],
      [{ ...key.jwk, x: 'x' }, 'malformed'],
      [jwkOf('rsa', { modulusLength: 1024 }), '2048 to 8192 bits'],
      [{ ...rsa, e: 'AQ' }, 'exponent'],
      [{ ...rsa, e: 'AQAA' }, 'exponent'],
      [{ ...rsa, e: 'AQAAAAAAAAAB' }, 'exponent'],
    ] as const)
      assert.match(reasonOf(readPublicJwk(jwk)), new RegExp(why));
  });

  test('of RSA may have 2048 to 8192 bits, and an odd exponent from 3 to 64 bits', () => {
    const rsa = { kty: 'RSA', e: 'AQAB' };
    const modulus = (first: number, octets: number) =>
      Buffer.from([first, ...Buffer.alloc(octets - 1, 0xff)]).toString('base64url');
    for (const [what, jwk, isUsable] of [
      ['2047 bits', { ...rsa, n: modulus(0x7f, 256) }, false],
      ['2048 bits', { ...rsa, n: modulus(0xff, 256) }, true],
      ['8192 bits', { ...rsa, n: modulus(0xff, 1024) }, true],
      ['8193 bits', { ...rsa, n: modulus(1, 1025) }, false],
      ['3', { ...rsa, n: modulus(0xff, 256), e: 'Aw' }, true],
      ['64 bits', { ...rsa, n: modulus(0xff, 256), e: '__________8' }, true],
    ] as const)
      assert.equal(typeof readPublicJwk(jwk), isUsable ? 'object' : 'string', what);
  });

  test('is found in PEM, in a key as JSON and in a set', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const jwk = publicKey.export({ format: 'jwk' });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
    for (const text of [pem, JSON.stringify(jwk), JSON.stringify({ keys: [jwk] })])
      assert.deepEqual(readPublicKeys(text), [jwk]);
    assert.match(
      reasonOf(readPublicKeys(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string)),
      /private key/,
    );
    for (const text of ['', '-----BEGIN PUBLIC KEY-----'])
      assert.match(reasonOf(readPublicKeys(text)), /neither PEM nor JSON/);
  });
});
