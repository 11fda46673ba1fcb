// Registering token issuers: what is accepted, what is refused and why.
import assert from 'node:assert/strict';
import { before, suite, type TestContext, test } from 'node:test';
import { seconds } from '../../../src/core/time.ts';
import { openRules, readRules, writtenRules } from '../../../src/operations/admin/assertion-rules.ts';
import { tokenIssuers } from '../../../src/store/tables/token-issuers.ts';
import {
  act,
  approveIssuer,
  changeTokenIssuer,
  registerIntegration,
  registerTokenIssuer,
  removeTokenIssuer,
  type TokenIssuerDraft,
} from '../../administer.ts';
import { makeAuthority } from '../../authority.ts';
import { ISSUER, keySetOf, OUR_ISSUER, platformKey } from '../../platform.ts';
import { administration } from './admin-samples.ts';

const RULES = [{ when: { '/repository': 'acme/app' }, identity: '{/sub}' }];
const NAMED = { label: 'ci', issuer: ISSUER };

type Administration = Awaited<ReturnType<typeof administration>>;

async function scene(t: TestContext) {
  return { ...(await administration(t)), ourIssuer: OUR_ISSUER };
}

async function register(
  ports: Administration & { ourIssuer: string },
  draft: TokenIssuerDraft = {},
  named: Partial<typeof NAMED> = {},
): Promise<string> {
  const outcome = await registerTokenIssuer({ ...NAMED, ...named }, { rules: RULES, ...draft }, ports);
  return outcome.ok ? 'registered' : `${outcome.refusal.reason}: ${outcome.refusal.about}`;
}

let set = '';
before(async () => {
  set = keySetOf(await platformKey());
});

suite('registering a token issuer', () => {
  test('gives defaults, and commits an event', async (t) => {
    const ports = await scene(t);
    assert.equal(await register(ports), 'registered');
    const { found } = await ports.store.load(tokenIssuers, 'ci');
    assert.deepEqual(found?.row, {
      ...NAMED,
      keys: { from: 'discovery' },
      algorithms: ['RS256', 'ES256'],
      assertions: 'once',
      maxAssertionLifetime: 3600,
      rules: [
        { conditions: [{ claim: '/repository', test: { is: 'acme/app' } }], identity: '{/sub}', identities: 'derived' },
      ],
      enabled: true,
    });
    assert.deepEqual(await ports.did(), ['token issuer added']);
  });

  test('the same iss twice is refused, and our own', async (t) => {
    const ports = await scene(t);
    assert.equal(await register(ports), 'registered');
    assert.equal(await register(ports, {}, { label: 'again' }), 'token-issuer-registered: ci');
    assert.equal(await register(ports), 'token-issuer-exists: ci');
    assert.equal(await register(ports, {}, { label: 'us', issuer: OUR_ISSUER }), `token-issuer-ours: ${OUR_ISSUER}`);
    assert.ok((await removeTokenIssuer('ci', ports)).ok);
    assert.equal(await register(ports, {}, { label: 'again' }), 'registered');
  });

  test('no iss is the client id of an integration, whichever of them comes first', async (t) => {
    const ports = await scene(t);
    const integrate = async (id: string) => {
      const outcome = await registerIntegration(id, { scope: 'orders:read' }, ports);
      return outcome.ok ? 'registered' : outcome.refusal.reason;
    };
    const keys = { from: 'file', set } as const;
    assert.equal(await register(ports, { keys }, { issuer: 'robot' }), 'registered');
    assert.deepEqual([await integrate('robot'), await integrate('other')], ['client-id-of-token-issuer', 'registered']);
    const later = await register(ports, { keys }, { label: 'later', issuer: 'other' });
    assert.equal(later, 'client-id-of-token-issuer: other');
  });

  test('a label is that of one issuer of any kind', async (t) => {
    const ports = await scene(t);
    const revocation = { crl: 'off', ocsp: 'off', crlFiles: [], endGrants: true } as const;
    const draft = { identitySources: ['common-name'], identities: 'derived', profile: 'rfc5280', revocation } as const;
    const approve = (label: string) =>
      approveIssuer({ ...draft, label, pem: makeAuthority({ name: label }).pem }, ports);
    assert.ok((await approve('corp')).ok);
    assert.equal(await register(ports, {}, { label: 'corp' }), 'label-taken: corp');
    assert.equal(await register(ports), 'registered');
    const refused = await approve('ci');
    assert.equal(refused.ok ? '' : refused.refusal.reason, 'label-taken');
    for (const label of ['local', 'LOCAL', '', 'a b', 'a:b', '1a'])
      assert.equal(await register(ports, {}, { label }), `label-malformed: ${label}`);
  });

  test('keys come from https, from loopback, or from a usable file', async (t) => {
    const ports = await scene(t);
    const url = (text: string) => register(ports, { keys: { from: 'url', url: text } });
    for (const text of ['http://keys.example/', 'ftp://keys.example/', 'keys', 'https://a:b@keys.example/'])
      assert.equal(await url(text), `key-address-malformed: ${text}`);
    assert.match(await register(ports, {}, { issuer: 'plain text-issuer' }), /token-issuer-malformed/);
    assert.match(await register(ports, {}, { issuer: 'not-a-url' }), /key-address-malformed: not-a-url/);
    assert.match(await register(ports, { keys: { from: 'file', set: '{}' } }), /key-set-unusable/);
    assert.equal(await register(ports, { keys: { from: 'file', set } }, { issuer: 'not-a-url' }), 'registered');
  });

  test('addresses, authorities, audience and lifetime must be well-formed', async (t) => {
    const ports = await scene(t);
    assert.match(await register(ports, { allowedAddresses: ['ten'] }), /address-range-malformed: ten/);
    assert.match(await register(ports, { authorities: 'no PEM' }), /authorities-unreadable/);
    assert.match(await register(ports, { audience: 'a b' }), /assertion-audience-malformed/);
    assert.match(
      await register(ports, { maxAssertionLifetime: seconds(366 * 86_400 + 1) }),
      /assertion-lifetime-malformed/,
    );
    assert.match(await register(ports, { maxAssertionLifetime: seconds(0) }), /assertion-lifetime-malformed/);
    const fine = { authorities: makeAuthority().pem, maxAssertionLifetime: seconds(366 * 86_400), audience: 'us' };
    assert.equal(await register(ports, fine), 'registered');
  });
});

suite('changing and removing a token issuer', () => {
  test('changes what the draft names; the rest stays', async (t) => {
    const ports = await scene(t);
    await register(ports, { allowedAddresses: ['10.0.0.1'], audience: 'us' });
    const url = 'https://keys.example/jwks';
    const changed = await changeTokenIssuer('ci', { keys: { from: 'url', url }, assertions: 'reusable' }, ports);
    assert.ok(changed.ok);
    assert.deepEqual(changed.value.keys, { from: 'url', url, allowedAddresses: ['10.0.0.1'] });
    assert.deepEqual([changed.value.assertions, changed.value.audience], ['reusable', 'us']);
    assert.equal(changed.value.rules.length, 1);
    assert.deepEqual(await ports.did(), ['token issuer added', 'token issuer changed']);
  });

  test('a change is refused like a registration, and for an unknown or removed one', async (t) => {
    const ports = await scene(t);
    const reason = async (draft: TokenIssuerDraft, label = 'ci') => {
      const outcome = await changeTokenIssuer(label, draft, ports);
      return outcome.ok ? 'changed' : outcome.refusal.reason;
    };
    assert.equal(await reason({}), 'token-issuer-unknown');
    await register(ports);
    assert.equal(await reason({ rules: [] }), 'rule-malformed');
    assert.ok((await removeTokenIssuer('ci', ports)).ok);
    assert.equal(await reason({}), 'token-issuer-unknown');
    assert.equal((await removeTokenIssuer('ci', ports)).ok, false);
    const { revision } = (await ports.store.load(tokenIssuers, 'ci')).found ?? {};
    const put = await act(
      'token-issuer-put',
      { id: 'ci', body: { issuer: ISSUER, rules: RULES }, onlyIf: revision },
      ports,
    );
    assert.equal(put.ok || put.refusal.reason, 'token-issuer-unknown', 'nor by the revision of the removed one');
    assert.deepEqual(await ports.did(), ['token issuer added', 'token issuer removed']);
  });
});

suite('rules', () => {
  const answer = (rule: unknown) => {
    const read = readRules([rule]);
    return read.ok ? 'accepted' : read.refusal.about;
  };
  const when = (conditions: unknown) => answer({ when: conditions });

  test('survive being written and read again', () => {
    const rules = [
      { when: { '/a': 'x', '/b': ['y', 'z'], '/c': { like: 'p-*' } }, identity: '{/a}:{/b}' },
      { when: { '/a': 'x' }, identity: '{/mail}', directory: 'email', integrations: ['deploy'] },
    ];
    const read = readRules(rules);
    assert.deepEqual(read.ok && writtenRules(read.value), rules);
  });

  test('need a condition that keeps strangers out', () => {
    for (const conditions of [
      { '/sub': { like: '*' } },
      { '/sub': { like: '**' } },
      { '/sub': { like: '*:acme' } },
      { '/iss': ISSUER },
      { '/aud': OUR_ISSUER, '/sub': { like: '**' } },
      { '/aud/0': OUR_ISSUER },
      { '/jti': 'x', '/exp': '1', '/iat': '1', '/nbf': '1' },
    ])
      assert.match(when(conditions), /every condition accepts any workload/, JSON.stringify(conditions));
    assert.equal(when({ '/sub': { like: 'repo:acme/*' } }), 'accepted');
    assert.equal(when({ '/sub': { like: '**' }, '/repository': 'acme/app' }), 'accepted');
    assert.equal(when({ '/issue': 'x' }), 'accepted', 'only the claim itself');
  });

  const warned = (conditions: unknown) => {
    const read = readRules([{ when: { '/repository': 'acme/app' } }, { when: conditions }]);
    return read.ok && openRules(read.value)?.problem.startsWith('rule 2: ') === true;
  };

  test('that admit everybody on a shared platform are accepted with a warning', () => {
    for (const conditions of [
      { '/ref': 'refs/heads/main' },
      { '/ref_protected': 'true', '/ref': { like: 'release/*' }, '/environment': 'production' },
      { '/event_name': ['push', 'schedule'], '/aud': OUR_ISSUER },
      { '/actor': 'ada' },
      { '/job_workflow_ref': 'acme/shared/.github/workflows/deploy.yml@refs/heads/main' },
      { '/sub': { like: 'r**' } },
      { '/sub': { like: 'repo:**' } },
      { '/sub': { like: 'repo:acme*' } },
      { '/sub': { like: 'repo:acme**' } },
      { '/sub': { like: 'project_path:*/app:**' } },
      { '/repository': { like: 'acme*' } },
      { '/repository': { like: 'acme-*/app' } },
    ])
      assert.ok(warned(conditions), JSON.stringify(conditions));
  });

  test('that name an owner are accepted without a warning', () => {
    for (const conditions of [
      { '/repository': 'acme/app' },
      { '/repository_owner_id': '65', '/ref': 'refs/heads/main' },
      { '/repository': { like: 'acme/*' } },
      { '/project_path': { like: 'my-group/**' } },
      { '/sub': 'x' },
      { '/sub': { like: 'repo:acme/*:ref:**' } },
      { '/sub': { like: 'spiffe://example.org/ns/shop/sa/*' } },
      { '/sub': { like: 'system:serviceaccount:shop:*' } },
      { '/kubernetes.io/namespace': 'shop' },
      { '/sub': { like: '**' }, '/repository': 'acme/app' },
      { '/sub': { like: 'no star' } },
    ])
      assert.ok(!warned(conditions), JSON.stringify(conditions));
  });

  test('may name the directories that the identity is looked for in', () => {
    const rule = (more: object) => readRules([{ when: { '/repository': 'acme/app' }, identity: '{/sub}', ...more }]);
    const lists: [directories: unknown, isAccepted: boolean][] = [
      [['local', 'corp'], true],
      [['corp'], true],
      [['local', 'no label'], false],
      [[], false],
      ['corp', false],
    ];
    for (const [directories, isAccepted] of lists) {
      const read = rule({ directory: 'user-name', directories });
      assert.equal(read.ok, isAccepted, JSON.stringify(directories));
      if (read.ok) assert.deepEqual(read.value[0]?.directories, directories);
    }
    assert.equal(rule({ directories: ['corp'] }).ok, false, 'derived identities are looked for in none');
  });

  test('are at most 100, of at most 20 conditions, of at most 100 values, of at most 512 characters', () => {
    const rule = (conditions: object = { '/sub': 'x' }) => ({ when: conditions, identity: '{/sub}' });
    const conditions = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`/c${n}`, 'x']));
    const limits: [most: number, rulesOf: (count: number) => object[]][] = [
      [100, (count) => Array(count).fill(rule())],
      [20, (count) => [rule(conditions(count))]],
      [100, (count) => [rule({ '/sub': Array(count).fill('x') })]],
      [512, (count) => [rule({ '/sub': 'x'.repeat(count) })]],
    ];
    for (const [most, rulesOf] of limits)
      assert.deepEqual([readRules(rulesOf(most)).ok, readRules(rulesOf(most + 1)).ok], [true, false], `${most}`);
  });

  test('are refused if they are malformed', () => {
    for (const conditions of [undefined, {}, [], 'x', { sub: 'x' }, { '/sub': '' }, { '/sub': 7 }, { '/sub': [] }])
      assert.notEqual(when(conditions), 'accepted', JSON.stringify(conditions));
    for (const test of [['x', 7], { like: 'x', is: 'y' }, { like: 7 }, { is: 'x' }, null, 'a\0b'])
      assert.match(when({ '/sub': test }), /the value for \/sub/, JSON.stringify(test));
    const fine = { when: { '/sub': 'x' } };
    assert.match(answer({ ...fine, identity: 'me' }), /names no claim/);
    assert.match(answer({ ...fine, identity: '{/a}{/b}', directory: 'email' }), /one claim/);
    assert.match(answer({ ...fine, directory: 'phone' }), /directory is one of/);
    assert.match(answer({ ...fine, integrations: [] }), /list of client ids/);
    assert.match(answer({ ...fine, integrations: ['a b'] }), /list of client ids/);
    assert.match(answer({ ...fine, unless: {} }), /"unless" is not a member/);
    assert.match(answer(7), /not an object/);
    for (const rules of [undefined, {}, [], Array(101).fill(fine)]) assert.equal(readRules(rules).ok, false);
  });
});
