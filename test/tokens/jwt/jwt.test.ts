// JWT access tokens: what they say, and every way to forge one.
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { suite, test } from 'node:test';
import type { Grant } from '../../../src/core/grant.ts';
import type { Hex } from '../../../src/core/hex.ts';
import type { SigningAlgorithm } from '../../../src/core/signing-key.ts';
import { type JwtPorts, mintJwt, readJwt } from '../../../src/tokens/jwt/jwt.ts';
import { KeyMissing, Keyring } from '../../../src/tokens/keyring.ts';
import type { SigningKey } from '../../../src/tokens/signing-key.ts';
import { aGrant, hexOf } from '../../samples.ts';
import { ISSUER, keyringWith, portsWith } from '../jwt-ports.ts';

const ALGORITHMS = ['ES256', 'EdDSA', 'RS256'] as const;
const PORTS = Object.fromEntries(
  ALGORITHMS.map((algorithm) => [algorithm, portsWith(keyringWith(algorithm))]),
) as Record<SigningAlgorithm, JwtPorts>;

function keyOf({ keyring }: JwtPorts): SigningKey {
  const [key] = keyring.signingKeys;
  assert.ok(key);
  return key;
}

function signedGrant(ports: JwtPorts, difference: Partial<Grant> = {}): Grant {
  const jwt = { audience: ['https://orders.example', 'https://stock.example'], signingKey: keyOf(ports).id };
  const scope = 'stock:read;orders:write,read';
  return aGrant({ format: 'jwt', scope, pair: { ...aGrant().pair, jwt }, ...difference });
}

const textOf = async (ports: JwtPorts, grant = signedGrant(ports)) => (await mintJwt(grant, ports)).reveal();
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part: string | undefined) => JSON.parse(Buffer.from(part ?? '', 'base64url').toString());

/** Signed with a key of ours, as only we can. */
function signedByUs(header: unknown, claims: unknown, { privateKey }: SigningKey): string {
  return signedWith(privateKey, `${encode(header)}.${encode(claims)}`);
}

function signedWith(key: KeyObject, text: string): string {
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

for (const algorithm of ALGORITHMS) {
  suite(`a JWT signed with ${algorithm}`, () => {
    const ports = PORTS[algorithm];

    test('has the header and claims of RFC 9068 2.1, 2.2', async () => {
      const grant = signedGrant(ports);
      const [header, claims] = (await textOf(ports, grant)).split('.');
      assert.deepEqual(decode(header), { alg: algorithm, typ: 'at+jwt', kid: keyOf(ports).id });
      assert.deepEqual(decode(claims), {
        iss: ISSUER,
        sub: grant.identityId,
        aud: ['https://orders.example', 'https://stock.example'],
        client_id: grant.clientId,
        scope: 'orders:read orders:write stock:read',
        iat: grant.pair.issuedAt,
        exp: grant.pair.expiresAt,
        jti: `${grant.id}.3`,
      });
    });

    test('is read back, and no bit of it can be changed', async () => {
      const text = await textOf(ports);
      assert.equal(readJwt(text, ports)?.generation, 3);
      for (let at = 0; at < text.length; at++) {
        const other = text[at] === 'A' ? 'B' : 'A';
        const changed = text.slice(0, at) + other + text.slice(at + 1);
        assert.equal(readJwt(changed, ports), undefined, `letter ${at}`);
      }
    });

    test('is minted again from the same row: the same claims, and the same bytes unless it is ES256', async () => {
      const [first, second] = [await textOf(ports), await textOf(ports)];
      const unsigned = (text: string) => text.slice(0, text.lastIndexOf('.'));
      assert.equal(unsigned(first), unsigned(second));
      assert.equal(first === second, algorithm !== 'ES256');
    });
  });
}

const ports = PORTS.ES256;
const key = keyOf(ports);

test('one audience is a text, several are a list [RFC 7519 4.1.3]', async () => {
  const { pair } = signedGrant(ports);
  const jwt = { audience: [ISSUER], signingKey: key.id };
  const [, claims] = (await textOf(ports, signedGrant(ports, { pair: { ...pair, jwt } }))).split('.');
  assert.equal(decode(claims).aud, ISSUER);
});

test('a grant bound to a certificate has its thumbprint in cnf [RFC 8705 3.1]', async () => {
  const boundTo = hexOf(32, 7) as Hex;
  const [, claims] = (await textOf(ports, signedGrant(ports, { bindings: [{ since: 0, thumbprint: boundTo }] }))).split(
    '.',
  );
  assert.deepEqual(decode(claims).cnf, { 'x5t#S256': Buffer.alloc(32, 7).toString('base64url') });
});

suite('a forged JWT is not accepted', () => {
  const header = { alg: 'ES256', typ: 'at+jwt', kid: key.id };
  const own = async () => decode((await textOf(ports)).split('.')[1]);
  const publicPem = key.publicKey.export({ format: 'pem', type: 'spki' });
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const strangerJwk = stranger.publicKey.export({ format: 'jwk' });

  test('alg none, with and without a signature', async () => {
    const [, claims, signature] = (await textOf(ports)).split('.');
    for (const alg of ['none', 'None', 'NONE', '']) {
      for (const tail of ['', signature]) {
        assert.equal(readJwt(`${encode({ ...header, alg })}.${claims}.${tail}`, ports), undefined);
      }
    }
  });

  test('HS256 with our public key as the secret, in every form of the key', async () => {
    const secrets = [
      publicPem,
      publicPem.toString().trim(),
      key.publicKey.export({ format: 'der', type: 'spki' }),
      JSON.stringify(key.publicKey.export({ format: 'jwk' })),
    ];
    for (const typ of ['at+jwt', 'JWT']) {
      const text = `${encode({ ...header, alg: 'HS256', typ })}.${encode(await own())}`;
      for (const secret of secrets) {
        const forged = `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
        assert.equal(readJwt(forged, ports), undefined);
      }
    }
  });

  test('kid as path, SQL, list, object, number, or of nobody', async () => {
    const kids = [
      '../../dev/null',
      '/dev/null',
      "x' OR '1'='1",
      '',
      '*',
      [key.id],
      { id: key.id },
      1,
      null,
      '__proto__',
    ];
    for (const kid of [...kids, `${key.id}\0`, ` ${key.id}`, key.id.toUpperCase()]) {
      const text = `${encode({ ...header, kid })}.${encode(await own())}`;
      assert.equal(readJwt(signedWith(stranger.privateKey, text), ports), undefined, JSON.stringify(kid));
      assert.equal(readJwt(signedWith(key.privateKey, text), ports), undefined, JSON.stringify(kid));
    }
  });

  test('headers that bring their own key: jwk, jku, x5u, x5c, and crit', async () => {
    const extras = [
      { jwk: strangerJwk },
      { jku: 'https://evil.example/jwks' },
      { x5u: 'https://evil.example/cert.pem' },
      { x5c: ['MII='] },
      { crit: ['exp'] },
      { b64: false },
    ];
    for (const extra of extras) {
      const text = `${encode({ ...header, ...extra })}.${encode(await own())}`;
      assert.equal(readJwt(signedWith(stranger.privateKey, text), ports), undefined);
      assert.equal(readJwt(signedWith(key.privateKey, text), ports), undefined, 'even if we had signed it');
    }
  });

  test('every header changed, also if we had signed it: typ, alg, order, spaces, a member twice', async () => {
    const claims = await own();
    const { alg, typ, kid } = header;
    for (const changed of [
      { ...header, typ: 'JWT' },
      { ...header, typ: 'at+JWT' },
      { ...header, typ: 'application/at+jwt' },
      { alg, kid },
      { ...header, alg: 'ES384' },
      { ...header, alg: 'RS256' },
      { ...header, cty: 'JWT' },
      { kid, typ, alg },
    ]) {
      assert.equal(readJwt(signedByUs(changed, claims, key), ports), undefined, JSON.stringify(changed));
    }
    for (const json of [
      `{ "alg":"ES256","typ":"at+jwt","kid":"${kid}"}`,
      `{"alg":"none","alg":"ES256","typ":"at+jwt","kid":"${kid}"}`,
    ]) {
      const text = `${Buffer.from(json).toString('base64url')}.${encode(claims)}`;
      assert.equal(readJwt(signedWith(key.privateKey, text), ports), undefined, json);
    }
  });

  test('every claim changed without our key', async () => {
    const claims = await own();
    const [head, , signature] = (await textOf(ports)).split('.');
    for (const name of Object.keys(claims)) {
      for (const value of ['x', 0, 9_999_999_999, null, undefined, [], {}]) {
        const changed = `${head}.${encode({ ...claims, [name]: value })}`;
        assert.equal(readJwt(`${changed}.${signature}`, ports), undefined, name);
        assert.equal(readJwt(signedWith(stranger.privateKey, changed), ports), undefined, name);
      }
    }
  });

  test('claims that are not those of an access token, signed with our key', async () => {
    const claims = await own();
    for (const difference of [
      { iss: 'https://other.example' },
      { iss: `${ISSUER}/` },
      { iss: undefined },
      { jti: 'x' },
      { jti: `${claims.jti}.1` },
      { jti: claims.jti.toUpperCase() },
      { jti: `../${claims.jti}` },
      { jti: [claims.jti] },
      { sub: undefined },
      { client_id: 7 },
      { exp: '9999999999' },
      { exp: undefined },
      { iat: 1.5 },
    ]) {
      const forged = signedByUs(header, { ...claims, ...difference }, key);
      assert.equal(readJwt(forged, ports), undefined, JSON.stringify(difference));
    }
    for (const body of [null, [], 'x', 7]) assert.equal(readJwt(signedByUs(header, body, key), ports), undefined);
  });

  test('parts missing, added or in another encoding', async () => {
    const text = await textOf(ports);
    const [head, claims, signature = ''] = text.split('.');
    const standard = Buffer.from(signature, 'base64url').toString('base64');
    const shapes = [
      `${head}.${claims}`,
      `${head}.${claims}.`,
      `${head}..${signature}`,
      `.${claims}.${signature}`,
      `${text}.`,
      `${text}.${signature}`,
      `${text}=`,
      `${text} `,
      `${text}\n`,
      `${head}.${claims}.${standard}`,
      text.slice(0, -1),
      `${head}=.${claims}.${signature}`,
      'eyJ',
      'eyJ..',
    ];
    for (const shape of shapes) assert.equal(readJwt(shape, ports), undefined, shape.slice(-20));
  });

  test('the key of another installation, under our kid', async () => {
    const other = portsWith(keyringWith('ES256'));
    const text = await textOf(other);
    assert.equal(readJwt(text, ports), undefined);
    const forged = signedWith(keyOf(other).privateKey, (await textOf(ports)).split('.').slice(0, 2).join('.'));
    assert.equal(readJwt(forged, ports), undefined);
  });

  test('a key that is published no longer, or that only the store has', async () => {
    const text = await textOf(ports);
    const withdrawn = { ...ports, registry: { signingKeys: [], signingKey: undefined } };
    assert.equal(readJwt(text, withdrawn), undefined);
    const elsewhere = { ...ports, keyring: keyringWith() };
    assert.equal(readJwt(text, elsewhere), undefined, 'who can write to the store cannot add a key that we trust');
  });
});

test('a retry is signed with the key of the row; if it is gone, with the one that signs now', async () => {
  const keyring = keyringWith('EdDSA', 'ES256');
  const both = portsWith(keyring);
  const [first, second] = keyring.signingKeys;
  assert.ok(first && second);
  const grant = signedGrant(both);
  const rotated = { ...both, registry: { ...both.registry, signingKey: both.registry.signingKeys[1] } };
  assert.equal(await textOf(rotated, grant), await textOf(both, grant));
  const only = both.registry.signingKeys.slice(1);
  const removed = { ...both, registry: { signingKeys: only, signingKey: only[0] } };
  const [before, after] = [await textOf(both, grant), await textOf(removed, grant)].map((text) => text.split('.'));
  assert.equal(after?.[1], before?.[1], 'the same claims');
  assert.equal(decode(after?.[0]).kid, second.id);
});

test('a node without the key that signs mints nothing, and says so', async () => {
  const elsewhere = { ...ports, keyring: keyringWith() };
  await assert.rejects(mintJwt(signedGrant(ports), elsewhere), KeyMissing);
  const none = { ...portsWith(keyringWith()), issuer: ISSUER };
  await assert.rejects(mintJwt(signedGrant(ports), none), /no signing key: add one/);
});

test('a keyring without signing keys reads no JWT', async () => {
  assert.equal(readJwt(await textOf(ports), portsWith(new Keyring([...keyringWithMac()]))), undefined);
});

function keyringWithMac() {
  return [{ kind: 'mac', id: 1, state: 'minting', secret: Buffer.alloc(32, 7) }] as const;
}
