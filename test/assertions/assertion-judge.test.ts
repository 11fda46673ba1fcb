// Odd assertions: their text, header and issuer, the mark by which one is used once, and key sets.
import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync } from 'node:crypto';
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

test('[RFC 9864 2.2] Ed25519 and EdDSA are one algorithm, in the header, in the key and in the setting', async () => {
  const keys = await Promise.all([platformKey('e1', 'EdDSA'), platformKey('e1', 'Ed25519')]);
  for (const signer of keys) {
    for (const alg of ['EdDSA', 'Ed25519', undefined]) {
      const { alg: _, ...jwk } = signer.jwk;
      const set = JSON.stringify({ keys: [{ ...jwk, ...(alg && { alg }) }] });
      for (const algorithm of ['EdDSA', 'Ed25519'] as const) {
        const tokenIssuers = [aTokenIssuer({ algorithms: [algorithm] })];
        assert.equal(await answer(await signer.sign(), { keys: set, tokenIssuers }), 'accepted');
      }
    }
    const refused = await answer(await signer.sign(), { keys: keySetOf(signer) });
    assert.equal(refused, 'assertion-algorithm-not-allowed (algorithm)');
  }
});

suite('what platforms really send is accepted', () => {
  test('white space around the assertion: the newline of jq, CR LF, a byte order mark', async () => {
    for (const [before, after] of [
      ['', '\n'],
      ['', '\r\n'],
      ['\ufeff', '\r\n'],
      [' ', ' '],
    ] as const)
      assert.equal(await answer(`${before}${await key.sign()}${after}`), 'accepted', JSON.stringify(before + after));
    assert.equal(await answer((await key.sign()).replace('.', '.\n')), 'assertion-malformed (form)', 'not within it');
  });

  test('32 KB of claims', async () => {
    assert.equal(await answer(await key.sign({ groups: Array(2048).fill('a group of 13') })), 'accepted');
  });

  test('the same key listed twice', async () => {
    assert.equal(await answer(await key.sign(), { keys: keySetOf(key, key) }), 'accepted');
    assert.equal(await answer(await other.sign(), { keys: keySetOf(key, key) }), 'assertion-not-authentic (signature)');
  });

  test('members of a key that are null', async () => {
    const keys = JSON.stringify({ keys: [{ ...key.jwk, alg: null, use: null, key_ops: null, x5t: null }] });
    assert.equal(await answer(await key.sign(), { keys }), 'accepted');
  });

  test('no kid: the key of the set that signed it', async () => {
    const nameless = await key.sign({}, { kid: undefined } as never);
    const others = await Promise.all(['k2', 'k3'].map((kid) => platformKey(kid)));
    for (const keys of [keySetOf(key), keySetOf(key, rsa), keySetOf(...others, key)])
      assert.equal(await answer(nameless, { keys }), 'accepted');
    assert.equal(await answer(nameless, { keys: keySetOf(...others) }), 'assertion-not-authentic (signature)');
  });

  test('a jti that is a number: two with the same are one assertion', async () => {
    const marks = [];
    for (const jti of [7, 7, 8, 2 ** 60, 2 ** 60]) {
      const { outcome } = await judge(await key.sign({ jti, run: marks.length }));
      assert.ok(outcome.ok, String(jti));
      marks.push(outcome.value.mark);
    }
    assert.equal(new Set(marks).size, 4, 'numbers that JSON does not keep exactly identify nothing');
    for (const jti of ['', null, [7], {}, true])
      assert.equal(await answer(await key.sign({ jti })), 'assertion-malformed (id)', JSON.stringify(jti));
  });
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
    ['more than 48 KB', `${encode({ alg: 'ES256' })}.${encode({ filler: 'x'.repeat(36_864) })}.AA`],
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

  test('without kid, not more than eight keys are tried', async () => {
    const nameless = await key.sign({}, { kid: undefined } as never);
    const set = (count: number) => keySetOf(...Array(count - 1).fill(other), key);
    assert.equal(await answer(nameless, { keys: set(8) }), 'accepted');
    assert.equal(await answer(nameless, { keys: set(9) }), 'assertion-not-authentic (key)');
  });

  test('two keys with one kid: either is a key of the token issuer', async () => {
    for (const signer of [key, other])
      assert.equal(await answer(await signer.sign(), { keys: keySetOf(key, other) }), 'accepted');
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
        newestKeys: async ({ label }) => sets[label],
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
  test('no client uses up the ids of another client or of a platform, whatever NUL characters an id has', async () => {
    const marks = new Set<string>();
    for (const [kind, issuer, jti] of [
      ['platform', 'a', 'b'],
      ['client', 'a', 'b'],
      ['platform', 'a', 'b\0c'],
      ['client', 'a', 'b\0c'],
      ['client', 'a\0b', 'c'],
    ] as const) {
      const { outcome } = await judge(await key.sign({ iss: issuer, jti }), {
        tokenIssuers: [aTokenIssuer({ kind, issuer })],
      });
      assert.ok(outcome.ok);
      marks.add(outcome.value.mark);
    }
    assert.equal(marks.size, 5);
  });

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

test('the mark belongs to the token issuer and its kind: the same id elsewhere is another assertion', async () => {
  const marks = [];
  for (const [issuer, kind] of [
    [ISSUER, 'platform'],
    [ISSUER, 'client'],
    [`${ISSUER}x`, 'platform'],
    [`${ISSUER}x`, 'client'],
  ] as const) {
    const text = await key.sign({ iss: issuer, sub: issuer, jti: 'a' });
    const { outcome } = await judge(text, { tokenIssuers: [aTokenIssuer({ issuer, kind })] });
    marks.push(outcome.ok ? outcome.value.mark : assert.fail(outcome.refusal.reason));
  }
  assert.equal(new Set(marks).size, 4);
});

suite('key sets', () => {
  const refusals: readonly (readonly [what: string, text: string])[] = [
    ['no JSON', 'keys'],
    ['a list', '[]'],
    ['no keys', '{}'],
    ['things that are no keys', '{"keys":[null,7,"k",[]]}'],
    ['one that is no key', '{"keys":[7]}'],
    ['more than 100 keys', JSON.stringify({ keys: Array(101).fill({ kty: 'EC' }) })],
  ];
  for (const [what, text] of refusals) test(`${what}: refused`, () => assert.equal(readKeySet(text).ok, false));
  test('100 keys: read', () => assert.ok(readKeySet(JSON.stringify({ keys: Array(100).fill({ kty: 'EC' }) })).ok));

  const empty: readonly (readonly [what: string, text: string])[] = [
    ['an empty list of keys', '{"keys":[]}'],
    ['keys for encryption alone', '{"keys":[{"kty":"RSA","use":"enc","n":"AQAB","e":"AQAB"}]}'],
    ['keys of other kinds', '{"keys":[{"kty":"oct","k":"AAAA"}]}'],
  ];
  for (const [what, text] of empty) {
    test(`${what}: an answer, and no key fits`, async () => {
      assert.ok(setOf(text).isEmpty);
      assert.equal(await answer(await key.sign(), { keys: text }), 'assertion-not-authentic (key)');
    });
  }

  test('an RSA key whose exponent is 1, even, or longer than 64 bits is not used', async () => {
    for (const e of ['AQ', 'AAE', 'Ag', 'AA', '', 'AQAAAAAAAAAB', undefined]) {
      const keys = JSON.stringify({ keys: [{ ...rsa.jwk, e }, key.jwk] });
      assert.equal(await answer(await rsa.sign(), { keys }), 'assertion-not-authentic (key)', e);
      assert.ok(setOf(JSON.stringify({ keys: [{ ...rsa.jwk, e }] })).isEmpty, e);
    }
    assert.equal(setOf(JSON.stringify({ keys: [{ ...rsa.jwk, e: '__________8' }] })).isEmpty, false, '64 bits');
    // With an exponent of 1, the signature is the padded hash itself: everybody can write it.
    const { input } = partsOf(await rsa.sign());
    const hash = createHash('sha256').update(input).digest();
    const head = Buffer.from('3031300d060960864801650304020105000420', 'hex');
    const filler = Buffer.alloc(256 - 3 - head.length - hash.length, 0xff);
    const padded = Buffer.concat([Buffer.from([0, 1]), filler, Buffer.from([0]), head, hash]);
    const keys = keySetOf({ jwk: { ...rsa.jwk, e: 'AQ' } }, key);
    assert.equal(await answer(`${input}.${padded.toString('base64url')}`, { keys }), 'assertion-not-authentic (key)');
  });

  test('a key of a SPIFFE bundle is used, one for X.509 is not', async () => {
    const bundle = keySetOf({ jwk: { ...key.jwk, use: 'jwt-svid' } }, { jwk: { ...other.jwk, use: 'x509-svid' } });
    assert.equal(await answer(await key.sign(), { keys: bundle }), 'accepted');
  });

  test('an RSA key of 1024 bits is not used', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'r1' };
    assert.equal(await answer(await rsa.sign(), { keys: keySetOf({ jwk }) }), 'assertion-not-authentic (key)');
  });

  test('things that are no keys, and keys with other things in them, do not spoil the others', async () => {
    const odd = [null, 7, 'k', [], { ...key.jwk, x: 7 }, { ...rsa.jwk, n: { a: 1 } }, { ...key.jwk, kty: ['EC'] }];
    for (const each of odd) {
      const keys = JSON.stringify({ keys: [each, key.jwk] });
      assert.equal(await answer(await key.sign(), { keys }), 'accepted', JSON.stringify(each));
    }
  });

  test('a damaged key does not spoil the others', async () => {
    const keys = keySetOf({ jwk: { kty: 'EC', kid: 'broken', crv: 'P-256', x: '!', y: '!' } }, key);
    assert.equal(await answer(await key.sign(), { keys }), 'accepted');
    const twin = keySetOf({ jwk: { ...key.jwk, x: '!', y: '!' } }, key);
    assert.equal(await answer(await key.sign(), { keys: twin }), 'accepted', 'with the same kid');
    assert.equal(await answer(await other.sign(), { keys: twin }), 'assertion-not-authentic (signature)');
    const broken = { jwk: { ...key.jwk, x: '!', y: '!' } };
    assert.equal(await answer(await key.sign(), { keys: keySetOf(broken, broken) }), 'assertion-not-authentic (key)');
  });
});
