// Forged and odd assertions: header, keys and signature.
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { before, suite, test } from 'node:test';
import { AssertionJudge } from '../../src/assertions/assertion-judge.ts';
import { type KeySet, readKeySet } from '../../src/assertions/key-set.ts';
import type { TokenIssuer } from '../../src/core/token-issuer.ts';
import {
  aTokenIssuer,
  claimsOf,
  ISSUER,
  keySetOf,
  OUR_ISSUER,
  type PlatformKey,
  platformKey,
  rewriteSignature,
} from '../platform.ts';
import { NOW } from '../samples.ts';

let key: PlatformKey;
let rsa: PlatformKey;
let other: PlatformKey;

before(async () => {
  [key, rsa, other] = await Promise.all([platformKey(), platformKey('r1', 'RS256'), platformKey('k1')]);
});

function setOf(text: string): KeySet {
  const read = readKeySet(text);
  if (!read.ok) throw new Error(read.refusal);
  return read.value;
}

interface Scene {
  readonly keys?: string;
  readonly tokenIssuers?: readonly TokenIssuer[];
}

/** Judges with keys in memory; by default those of the platform. */
async function judge(text: string, { keys = keySetOf(key, rsa), tokenIssuers = [aTokenIssuer()] }: Scene = {}) {
  const set = setOf(keys);
  const judge = new AssertionJudge({
    keys: { keysOf: async () => set, newerKeys: async () => undefined, failureOf: () => undefined },
    ourIssuer: OUR_ISSUER,
    now: () => NOW,
  });
  return judge.judge(text, tokenIssuers);
}

/** `accepted`, or the reason and the check that failed. */
async function answer(text: string, scene?: Scene): Promise<string> {
  const { outcome } = await judge(text, scene);
  return outcome.ok ? 'accepted' : `${outcome.refusal.reason} (${outcome.refusal.rule})`;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

test('assertions by each kind of key are accepted', async () => {
  assert.equal(await answer(await key.sign()), 'accepted');
  assert.equal(await answer(await rsa.sign()), 'accepted');
  const eddsa = await platformKey('e1', 'EdDSA');
  const tokenIssuers = [aTokenIssuer({ algorithms: ['EdDSA'] })];
  assert.equal(await answer(await eddsa.sign(), { keys: keySetOf(eddsa), tokenIssuers }), 'accepted');
});

suite('texts that are no assertion', () => {
  const cases: readonly (readonly [what: string, text: string])[] = [
    ['nothing', ''],
    ['words', 'please let me in'],
    ['two parts', `${encode({})}.${encode({})}`],
    ['four parts', `${encode({})}.${encode({})}.AA.AA`],
    ['five parts, as an encrypted JWT has', `${encode({})}.AA.AA.AA.AA`],
    ['padding', `${encode({ alg: 'ES256' })}=.${encode({})}.AA`],
    ['a header that is a list', `${encode([])}.${encode({})}.AA`],
    ['claims that are a text', `${encode({})}.${encode('me')}.AA`],
    ['claims that are null', `${encode({})}.${encode(null)}.AA`],
    ['claims that are not UTF-8', `${encode({})}.${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.AA`],
    ['more than 16 KB', `${encode({ alg: 'ES256' })}.${encode({ filler: 'x'.repeat(16_384) })}.AA`],
  ];
  for (const [what, text] of cases)
    test(what, async () => assert.equal(await answer(text), 'assertion-malformed (form)'));
});

suite('forged assertions', () => {
  const notAuthentic = (rule: string) => `assertion-not-authentic (${rule})`;

  for (const alg of ['none', 'None', 'NONE', 'nOnE', '']) {
    test(`alg ${JSON.stringify(alg)} without a signature`, async () => {
      assert.equal(await answer(`${encode({ alg })}.${encode(claimsOf())}.`), notAuthentic('algorithm'));
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
      assert.equal(await answer(text, { keys: keySetOf({ jwk }) }), notAuthentic('algorithm'));
    }
  });

  test('a symmetric key in the key set is not used', async () => {
    const jwk = { kty: 'oct', k: Buffer.from('secret').toString('base64url'), kid: 'k1', alg: 'HS256' };
    assert.equal(readKeySet(keySetOf({ jwk })).ok, false);
  });

  test('an algorithm that the token issuer does not have', async () => {
    const tokenIssuers = [aTokenIssuer({ algorithms: ['RS256'] })];
    assert.equal(await answer(await key.sign(), { tokenIssuers }), notAuthentic('algorithm'));
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

suite('odd headers', () => {
  test('typ is absent, JWT or JOSE, in any case', async () => {
    for (const typ of ['JWT', 'jwt', 'JOSE', undefined]) {
      assert.equal(await answer(await key.sign({}, { typ } as never)), 'accepted', String(typ));
    }
    for (const typ of ['at+jwt', 'logout+jwt', 'JWT ', 7 as never, null as never]) {
      assert.equal(await answer(await key.sign({}, { typ })), 'assertion-malformed (type)', String(typ));
    }
  });

  test('crit is refused: no extension is known', async () => {
    const { header, payload } = partsOf(await key.sign());
    for (const crit of [['b64'], ['exp'], [], 'b64', null]) {
      const text = `${encode({ ...header, crit, b64: false })}.${payload}.AA`;
      assert.equal(await answer(text), 'assertion-malformed (critical)');
    }
  });

  test('without kid, the set must have one key that fits', async () => {
    const nameless = await key.sign({}, { kid: undefined } as never);
    assert.equal(await answer(nameless, { keys: keySetOf(key) }), 'accepted');
    assert.equal(await answer(nameless), 'accepted', 'the RSA key does not fit');
    const two = keySetOf(key, await platformKey('k2'));
    assert.equal(await answer(nameless, { keys: two }), 'assertion-not-authentic (key)');
  });

  test('two keys with one kid are refused', async () => {
    assert.equal(await answer(await key.sign(), { keys: keySetOf(key, other) }), 'assertion-not-authentic (key)');
  });
});

suite('whose assertion it is', () => {
  test('iss must be that of a registered token issuer, exactly', async () => {
    const odd = ['https://ci.example/', 'https://CI.example', 'https://ci.example.evil', undefined, 7, [ISSUER], null];
    for (const iss of odd)
      assert.equal(await answer(await key.sign({ iss })), 'assertion-issuer-unknown (issuer)', String(iss));
  });

  test('the keys of one token issuer do not sign for another', async () => {
    const sets: Readonly<Record<string, KeySet>> = { ci: setOf(keySetOf(key)), b: setOf(keySetOf(other)) };
    const tokenIssuers = [aTokenIssuer(), aTokenIssuer({ label: 'b', issuer: 'https://b.example' })];
    const judge = new AssertionJudge({
      keys: {
        keysOf: async ({ label }) => sets[label],
        newerKeys: async () => undefined,
        failureOf: () => undefined,
      },
      ourIssuer: OUR_ISSUER,
      now: () => NOW,
    });
    const forged = await judge.judge(await other.sign(), tokenIssuers);
    assert.equal(forged.outcome.ok, false);
    assert.equal((await judge.judge(await other.sign({ iss: 'https://b.example' }), tokenIssuers)).outcome.ok, true);
  });

  test('two token issuers with the same iss, one removed, and our own issuer', async () => {
    const two = [aTokenIssuer(), aTokenIssuer({ label: 'again' })];
    assert.equal(await answer(await key.sign(), { tokenIssuers: two }), 'assertion-issuer-unknown (issuer)');
    const removed = [aTokenIssuer({ enabled: false })];
    assert.equal(await answer(await key.sign(), { tokenIssuers: removed }), 'assertion-issuer-unknown (issuer)');
    const ours = [aTokenIssuer({ issuer: OUR_ISSUER })];
    const text = await key.sign({ iss: OUR_ISSUER });
    assert.equal(await answer(text, { tokenIssuers: ours }), 'assertion-issuer-unknown (issuer)');
  });
});

suite('the mark by which an assertion is used once', () => {
  async function markOf(text: string): Promise<string> {
    const { outcome } = await judge(text);
    if (!outcome.ok) throw new Error(outcome.refusal.reason);
    return outcome.value.mark;
  }

  test('stays the same for the rewritten signature (r, n - s) of ES256', async () => {
    for (const jti of ['an id', undefined]) {
      const text = await key.sign({ jti });
      const rewritten = rewriteSignature(text);
      assert.notEqual(rewritten, text);
      assert.equal(await markOf(rewritten), await markOf(text));
    }
  });

  test('belongs to the id: two assertions with one id are one, two ids are two', async () => {
    assert.equal(
      await markOf(await key.sign({ jti: 'a', run: 1 })),
      await markOf(await key.sign({ jti: 'a', run: 2 })),
    );
    assert.notEqual(await markOf(await key.sign({ jti: 'a' })), await markOf(await key.sign({ jti: 'b' })));
    assert.notEqual(
      await markOf(await key.sign({ jti: undefined, run: 1 })),
      await markOf(await key.sign({ jti: undefined, run: 2 })),
    );
  });
});

suite('key sets', () => {
  const refusals: readonly (readonly [what: string, text: string])[] = [
    ['no JSON', 'keys'],
    ['a list', '[]'],
    ['no keys', '{}'],
    ['an empty list of keys', '{"keys":[]}'],
    ['keys for encryption alone', '{"keys":[{"kty":"RSA","use":"enc","n":"AQAB","e":"AQAB"}]}'],
    ['things that are no keys', '{"keys":[null,7,"k",[]]}'],
    ['more than 100 keys', JSON.stringify({ keys: Array(101).fill({ kty: 'EC' }) })],
  ];
  for (const [what, text] of refusals) test(`${what}: refused`, () => assert.equal(readKeySet(text).ok, false));

  test('a key of a SPIFFE bundle is used, one for X.509 is not', async () => {
    const bundle = keySetOf({ jwk: { ...key.jwk, use: 'jwt-svid' } }, { jwk: { ...other.jwk, use: 'x509-svid' } });
    assert.equal(await answer(await key.sign(), { keys: bundle }), 'accepted');
  });

  test('an RSA key of 1024 bits is not used', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'r1' };
    assert.equal(await answer(await rsa.sign(), { keys: keySetOf({ jwk }) }), 'assertion-not-authentic (key)');
  });

  test('a damaged key does not spoil the others', async () => {
    const keys = keySetOf({ jwk: { kty: 'EC', kid: 'broken', crv: 'P-256', x: '!', y: '!' } }, key);
    assert.equal(await answer(await key.sign(), { keys }), 'accepted');
  });
});

function partsOf(text: string) {
  const [header = '', payload = '', signature = ''] = text.split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  return { header: read(header), claims: read(payload), payload, signature, input: `${header}.${payload}` };
}
