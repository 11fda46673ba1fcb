// What the claims of an assertion must say.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { judgeClaims } from '../../src/core/rules/claims.ts';
import { seconds } from '../../src/core/time.ts';
import type { AssertionRule, ClaimCondition, TokenIssuer } from '../../src/core/token-issuer.ts';
import { aTokenIssuer, claimsOf, ISSUER, OUR_ISSUER } from '../platform.ts';
import { NOW } from '../samples.ts';

function judge(claims: Record<string, unknown> = {}, difference: Partial<TokenIssuer> = {}) {
  return judgeClaims({
    claims: claimsOf(claims),
    tokenIssuer: aTokenIssuer(difference),
    ourIssuer: OUR_ISSUER,
    now: NOW,
  });
}

function answer(claims: Record<string, unknown> = {}, difference: Partial<TokenIssuer> = {}): string {
  const { outcome } = judge(claims, difference);
  return outcome.ok ? outcome.value.name.text : outcome.refusal.reason;
}

const SUBJECT = 'repo:acme/app:ref:refs/heads/main';
const RULE: AssertionRule = aTokenIssuer().rules[0] as AssertionRule;

suite('the claims of an assertion of an enterprise (ID-JAG 3)', () => {
  const whole = { jti: 'a', client_id: 'agent', scope: 'orders:read', resource: ['https://orders.example'] };
  const cases: readonly (readonly [what: string, claims: Record<string, unknown>, answer: string])[] = [
    ['as usual', {}, SUBJECT],
    ['neither scope nor resource', { scope: undefined, resource: undefined }, SUBJECT],
    ['no jti', { jti: undefined }, 'assertion-malformed'],
    ['a jti that is a number', { jti: 7 }, 'assertion-malformed'],
    ['no client_id', { client_id: undefined }, 'assertion-malformed'],
    ['a scope that is a list', { scope: ['orders:read'] }, 'assertion-malformed'],
    ['an empty list of resources', { resource: [] }, 'assertion-malformed'],
    ['a resource that is a number', { resource: ['https://orders.example', 7] }, 'assertion-malformed'],
  ];
  for (const [what, claims, expected] of cases)
    test(`${what}: ${expected}`, () => assert.equal(answer({ ...whole, ...claims }, { kind: 'enterprise' }), expected));

  test('limit the grant; those of a platform do not', () => {
    const limits = (kind: 'enterprise' | 'platform') => {
      const { outcome } = judge(whole, { kind });
      return outcome.ok ? outcome.value.enterprise : outcome.refusal.reason;
    };
    const { client_id: clientId, scope, resource } = whole;
    assert.deepEqual(limits('enterprise'), { clientId, scope, resource });
    assert.equal(limits('platform'), undefined);
  });
});

suite('the claims of an assertion (RFC 7523 3)', () => {
  const cases: readonly (readonly [what: string, claims: Record<string, unknown>, answer: string])[] = [
    ['as usual', {}, SUBJECT],
    ['no sub', { sub: undefined }, 'assertion-malformed'],
    ['an empty sub', { sub: '' }, 'assertion-malformed'],
    ['a sub that is a number', { sub: 7 }, 'assertion-malformed'],
    ['no jti', { jti: undefined }, SUBJECT],
    ['an empty jti', { jti: '' }, 'assertion-malformed'],
    ['a jti that is a number', { jti: 7 }, SUBJECT],
    ['a jti that is a list', { jti: ['7'] }, 'assertion-malformed'],
    ['no exp', { exp: undefined }, 'assertion-malformed'],
    ['an exp in words', { exp: '2099-01-01' }, 'assertion-malformed'],
    ['an iat in words', { iat: 'now' }, 'assertion-malformed'],
    ['an exp that is this second', { exp: NOW }, 'assertion-expired'],
    ['an exp a second ago: no leeway', { exp: NOW - 1 }, 'assertion-expired'],
    ['an exp in a second', { exp: NOW + 1 }, SUBJECT],
    ['an exp with a fraction', { exp: NOW + 1.5 }, SUBJECT],
    ['the longest lifetime', { exp: NOW + 3600 }, SUBJECT],
    ['a second longer', { exp: NOW + 3601 }, 'assertion-lifetime-too-long'],
    ['a long one that is nearly over', { iat: NOW - 7200, exp: NOW + 60 }, 'assertion-lifetime-too-long'],
    ['no iat: from nbf', { iat: undefined, nbf: NOW - 7200, exp: NOW + 60 }, 'assertion-lifetime-too-long'],
    ['neither: from now', { iat: undefined, nbf: undefined, exp: NOW + 3600 }, SUBJECT],
    ['neither, and longer', { iat: undefined, nbf: undefined, exp: NOW + 3601 }, 'assertion-lifetime-too-long'],
    ['issued in a minute: leeway', { iat: NOW + 60 }, SUBJECT],
    ['issued in more than a minute', { iat: NOW + 61 }, 'assertion-not-yet-valid'],
    ['not valid before a minute: leeway', { nbf: NOW + 60 }, SUBJECT],
    ['not valid before more than a minute', { nbf: NOW + 61 }, 'assertion-not-yet-valid'],
    ['no aud', { aud: undefined }, 'assertion-audience-wrong'],
    ['another aud', { aud: 'https://other.example' }, 'assertion-audience-wrong'],
    ['an aud that contains ours', { aud: `${OUR_ISSUER}/` }, 'assertion-audience-wrong'],
    ['one of several aud', { aud: ['https://other.example', OUR_ISSUER] }, SUBJECT],
    ['an empty list of aud', { aud: [] }, 'assertion-audience-wrong'],
    ['a fork', { repository: 'mallory/app' }, 'assertion-rule-unmatched'],
    ['another repository', { repository: 'acme/app2' }, 'assertion-rule-unmatched'],
    ['the claim of the rule missing', { repository: undefined }, 'assertion-rule-unmatched'],
    ['the claim of the rule as a list', { repository: ['acme/app'] }, 'assertion-rule-unmatched'],
    ['a name with a line break', { sub: 'a\nb' }, 'assertion-name-malformed'],
    ['a name that reverses the text', { sub: 'a\u202eb' }, 'assertion-name-malformed'],
    ['a name of 300 characters', { sub: 'x'.repeat(300) }, 'assertion-name-malformed'],
  ];
  for (const [what, claims, expected] of cases) test(what, () => assert.equal(answer(claims), expected));

  test('another audience and another lifetime, as the token issuer has them', () => {
    assert.equal(answer({ aud: 'tessera' }, { audience: 'tessera' }), SUBJECT);
    assert.equal(answer({}, { audience: 'tessera' }), 'assertion-audience-wrong');
    const words = (kind: 'platform' | 'client') =>
      judge({ sub: ISSUER }, { kind }).steps.find(({ rule }) => rule === 'audience')?.words ?? '';
    assert.match(words('platform'), /^aud contains "https:\/\/tokens\.example", found/);
    assert.match(words('client'), /^aud is "https:\/\/tokens\.example", found/, 'it may have no other');
    assert.equal(answer({}, { maxAssertionLifetime: seconds(299) }), 'assertion-lifetime-too-long');
  });

  test('the conditions of a rule are evaluated once', () => {
    let reads = 0;
    const claims = Object.defineProperty(claimsOf(), 'sub', { enumerable: true, get: () => `read ${++reads} times` });
    const rule = {
      conditions: [{ claim: '/sub', test: { like: 'repo:**' } }],
      identity: '{/sub}',
      identities: 'derived',
    } as const;
    const tokenIssuer = aTokenIssuer({ rules: Array(20).fill(rule) });
    judgeClaims({ claims, tokenIssuer, ourIssuer: OUR_ISSUER, now: NOW });
    assert.equal(reads, 1 + 2 * 20, 'by the check of sub; by each rule; for the words about each');
  });

  test('a rule that does not match says what it expects and what was found', () => {
    const words = (claims: Record<string, unknown>, test?: ClaimCondition['test']) => {
      const rules = [{ ...RULE, ...(test && { conditions: [{ claim: '/repository', test }] }) }];
      return judge(claims, { rules }).steps.find(({ rule }) => rule === 'rules')?.words ?? '';
    };
    assert.match(words({}), /^exactly one rule matches: rule 1 matches$/);
    assert.match(
      words({ repository: 'mallory/app' }),
      /rule 1 does not match: \/repository is .*acme\/app.*, found .*mallory\/app/,
    );
    assert.match(words({ repository: 'x' }, { oneOf: ['a', 'b'] }), /: \/repository is one of "a", "b", found "x"$/);
    assert.match(words({ repository: 'x' }, { like: 'a/*' }), /: \/repository is like "a\/\*", found "x"$/);
    assert.match(words({ repository: undefined }), /found no text$/);
    assert.match(words({ repository: ['acme/app'] }), /found no text$/);
  });

  test('every check is a step, and what others chose is escaped and cut', () => {
    const { steps } = judge({ aud: `\u001b[31m${'x'.repeat(1000)}`, exp: NOW - 1 });
    const failed = steps.filter(({ passed }) => !passed).map(({ rule }) => rule);
    assert.deepEqual(failed, ['expiry', 'audience']);
    for (const { words } of steps) assert.match(words, /^[\x20-\x7e\u2026]{1,600}$/);
  });
});

suite('rules for claims', () => {
  const like = (pattern: string): AssertionRule => ({
    ...RULE,
    conditions: [{ claim: '/sub', test: { like: pattern } }],
  });

  test('all conditions of a rule must hold', () => {
    const ref = { claim: '/ref', test: { oneOf: ['refs/heads/main', 'refs/heads/next'] } } as const;
    const rules = [{ ...RULE, conditions: [...RULE.conditions, ref] }];
    assert.equal(answer({}, { rules }), SUBJECT);
    assert.equal(answer({ ref: 'refs/heads/mine' }, { rules }), 'assertion-rule-unmatched');
  });

  test('exactly one rule must match', () => {
    assert.equal(answer({}, { rules: [RULE, like('repo:acme/*:ref:**')] }), 'assertion-rule-unmatched');
    assert.equal(answer({}, { rules: [RULE, like('repo:other/**')] }), SUBJECT);
    assert.equal(answer({}, { rules: [] }), 'assertion-rule-unmatched');
    assert.equal(answer({}, { rules: [{ ...RULE, conditions: [] }] }), 'assertion-rule-unmatched');
  });

  test('a star does not cross a segment', () => {
    const rules = [like('repo:acme/*:ref:refs/heads/main')];
    assert.equal(answer({}, { rules }), SUBJECT);
    const crossing = { sub: 'repo:acme/app:environment:x:ref:refs/heads/main' };
    assert.equal(answer(crossing, { rules }), 'assertion-rule-unmatched');
  });
});
