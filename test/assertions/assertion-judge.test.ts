// Odd assertions: their text, header and issuer, the mark by which one is used once, and key sets.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { suite, test } from 'node:test';
import { AssertionJudge } from '../../src/assertions/assertion-judge.ts';
import { type KeySet, readKeySet } from '../../src/assertions/key-set.ts';
import { aTokenIssuer, ISSUER, keySetOf, OUR_ISSUER, platformKey, rewriteSignature } from '../platform.ts';
import { NOW } from '../samples.ts';
import { answer, encode, judge, key, other, partsOf, rsa, setOf } from './judged.ts';

test('assertions by each kind of key are accepted', async () => {
  assert.equal(await answer(await key.sign()), 'accepted');
  assert.equal(await answer(await rsa.sign()), 'accepted');
  const eddsa = await platformKey('e1', 'EdDSA');
  const tokenIssuers = [aTokenIssuer({ algorithms: ['EdDSA'] })];
  assert.equal(await answer(await eddsa.sign(), { keys: keySetOf(eddsa), tokenIssuers }), 'accepted');
});

suite('texts that are not assertions', () => {
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
