// Grants by assertion: who gets one, whose it is, and that an assertion gives one grant only.

import assert from 'node:assert/strict';
import { before, suite, type TestContext, test } from 'node:test';
import { AssertionJudge } from '../../src/assertions/assertion-judge.ts';
import { IssuerKeys } from '../../src/assertions/issuer-keys.ts';
import { actWords } from '../../src/core/act.ts';
import type { AssertionVerdict } from '../../src/core/assertion.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import { WHOLE_SCOPE } from '../../src/core/rules/scope.ts';
import type { AssertionRule, TokenIssuer } from '../../src/core/token-issuer.ts';
import { sideBySide } from '../../src/directory/side-by-side.ts';
import { explainAssertion } from '../../src/operations/admin/explain.ts';
import { authenticateClient } from '../../src/operations/grant/authenticate-client.ts';
import { type AssertionRequest, authorizeAssertion } from '../../src/operations/grant/authorize-assertion.ts';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import type { TokenPorts } from '../../src/operations/ports.ts';
import { sweep } from '../../src/operations/upkeep/sweep.ts';
import { storeOf } from '../../src/store/change.ts';
import { FollowedRegistry } from '../../src/store/registry.ts';
import { assertions } from '../../src/store/tables/attempts.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { tokenIssuers } from '../../src/store/tables/token-issuers.ts';
import { accepted, anotherNode, answer, CURL, check, NO_DIRECTORY, type Node, put, type TestClock } from '../node.ts';
import { aTokenIssuer, keySetOf, OUR_ISSUER, type PlatformKey, platformKey, rewriteSignature } from '../platform.ts';
import { anIntegration, CLIENT } from '../samples.ts';
import type { SqliteTestDatabase } from '../store/sqlite-database.ts';
import { onSqlite } from './on-sqlite.ts';

let key: PlatformKey;
before(async () => {
  key = await platformKey();
});

const INTEGRATION = anIntegration({ flows: { device: true, certificate: true, assertion: true } });
const RULE = aTokenIssuer().rules[0] as AssertionRule;

/** The judge of a service, with keys from a file. */
function judging(clock: TestClock): Pick<TokenPorts, 'judgeAssertion'> {
  const keys = new IssuerKeys({ fetch: async () => assert.fail('no request'), now: clock.now });
  const judge = new AssertionJudge({ keys, ourIssuer: OUR_ISSUER, now: clock.now });
  return { judgeAssertion: (text, issuers) => judge.judge(text, issuers) };
}

interface Scene {
  readonly node: Node;
  readonly clock: TestClock;
  readonly database: SqliteTestDatabase;
  readonly refused: AssertionVerdict[];
}

async function scene(
  t: TestContext,
  tokenIssuer: Partial<TokenIssuer> = {},
  integration = INTEGRATION,
  ports: Partial<TokenPorts> = {},
): Promise<Scene> {
  const refused: AssertionVerdict[] = [];
  const { node, clock, database } = await onSqlite(t, {
    logRefusedAssertion: (_, verdict) => void refused.push(verdict),
    ...ports,
  });
  await put(node.store, integrations, integration);
  await put(node.store, tokenIssuers, aTokenIssuer({ keys: { from: 'file', set: keySetOf(key) }, ...tokenIssuer }));
  await node.registry.refresh();
  return { node: { ...node, ...judging(clock) }, clock, database, refused };
}

function authorize(
  node: TokenPorts,
  assertion: string,
  more: Partial<AssertionRequest> = {},
): Promise<Outcome<TokenPair>> {
  const request = { clientId: CLIENT, scope: WHOLE_SCOPE, presenter: CURL, requestId: 'a request', ...more } as const;
  return authorizeAssertion({ ...request, assertion }, node);
}

suite('a grant by assertion', () => {
  test('is given for a token issuer that was added a moment ago', async (t) => {
    const { node } = await scene(t);
    const behind = { ...node, registry: new FollowedRegistry(node.store) };
    assert.deepEqual(behind.registry.tokenIssuers, [], 'not in memory yet');
    assert.equal(await answer(authorize(behind, await key.sign())), 'accepted');
    await put(node.store, tokenIssuers, aTokenIssuer({ enabled: false }));
    await node.registry.refresh();
    assert.equal(await answer(authorize(node, await key.sign())), 'assertion-issuer-unknown');
  });

  test('has its origin, its identity and the scope of the integration', async (t) => {
    const { node } = await scene(t);
    const pair = accepted(await authorize(node, await key.sign()));
    const { found } = await node.store.load(grants, pair.grantId);
    assert.equal(found?.row.origin.kind, 'assertion');
    assert.deepEqual(found?.row.origin.kind === 'assertion' && found.row.origin.assertion.tokenIssuer, 'ci');
    assert.match(pair.identityId, /^ci:[0-9a-f]{32}$/);
    assert.equal(found?.companion?.userName, 'ci/repo:acme/app:ref:refs/heads/main');
    assert.equal(pair.scope, INTEGRATION.scope.text);
    assert.equal(await answer(check(node, pair)), 'accepted');
    const events = await node.store.events({ after: 0, limit: 10 });
    const issued = events.find((event) => event.type === 'issued');
    assert.deepEqual([issued?.detail.by, issued?.detail.tokenIssuer], ['assertion', 'ci']);
  });

  test('is for the same identity each time', async (t) => {
    const { node } = await scene(t);
    const ids = [];
    for (let n = 0; n < 2; n++) ids.push(accepted(await authorize(node, await key.sign())).identityId);
    assert.equal(new Set(ids).size, 1);
    const events = await node.store.events({ after: 0, limit: 10 });
    assert.equal(
      events.filter(({ type, detail }) => type === 'administered' && actWords(detail) === 'identity derived').length,
      1,
    );
  });

  test('a refusal names the token issuer, even if it was removed', async (t) => {
    for (const issuer of [{ rules: [{ ...RULE, integrations: ['other' as typeof CLIENT] }] }, { enabled: false }]) {
      const { node } = await scene(t, issuer);
      const outcome = await authorize(node, await key.sign());
      assert.equal(outcome.ok ? '' : outcome.refusal.claimed?.label, aTokenIssuer().label);
    }
    const { node } = await scene(t, {}, { ...INTEGRATION, keys: { from: 'file', set: keySetOf(key) } });
    const sent = { by: 'assertion', assertion: await key.sign({ iss: CLIENT, sub: 'other' }) } as const;
    const outcome = await authenticateClient({ clientId: CLIENT, sent, presenter: CURL, requestId: 'r' }, node);
    assert.equal(outcome.ok || outcome.refusal.claimed, undefined, 'an integration is none');
  });

  test('a refusal does not use the assertion up', async (t) => {
    const { node } = await scene(t);
    const assertion = await key.sign();
    const overCapOf = () => () => ({ reason: 'cap-reached' }) as const;
    assert.equal(await answer(authorize(node, assertion, { overCapOf })), 'cap-reached');
    assert.equal(await answer(authorize(node, assertion, { scope: 'orders:delete' })), 'scope-exceeds-integration');
    assert.equal(await answer(authorize(node, assertion)), 'accepted');
  });

  test('the log has the steps of a refused assertion, and never the assertion', async (t) => {
    const { node, refused } = await scene(t);
    const assertion = await key.sign({ repository: 'mallory/app' });
    assert.equal(await answer(authorize(node, assertion)), 'assertion-rule-unmatched');
    const text = JSON.stringify(refused);
    assert.match(text, /mallory\/app/);
    for (const part of assertion.split('.')) assert.ok(!text.includes(part));
  });
});

suite('the identity of an assertion', () => {
  async function identityBy(
    t: TestContext,
    rule: Partial<AssertionRule>,
    claims: Record<string, unknown>,
    label = 'ci',
  ) {
    const { node } = await scene(t, { label, rules: [{ ...RULE, ...rule }] });
    return accepted(await authorize(node, await key.sign(claims))).identityId;
  }
  const TWO = '{/a}{/b}';

  test('values that give the same text in another division are another identity', async (t) => {
    const one = await identityBy(t, { identity: TWO }, { a: 'x', b: 'yz' });
    assert.notEqual(one, await identityBy(t, { identity: TWO }, { a: 'xy', b: 'z' }));
    assert.equal(one, await identityBy(t, { identity: TWO }, { a: 'x', b: 'yz' }));
  });

  test('another template or another label is another identity', async (t) => {
    const one = await identityBy(t, { identity: '{/a}' }, { a: 'x', b: 'x' });
    assert.notEqual(one, await identityBy(t, { identity: '{/b}' }, { a: 'x', b: 'x' }));
    assert.notEqual(one, await identityBy(t, { identity: '{/a}' }, { a: 'x', b: 'x' }, 'other'));
  });

  test('is looked up in the directory by the name that the rule says', async (t) => {
    const lookups = ['user-name', 'email', 'upn'] as const;
    for (const by of lookups) {
      const asked: string[] = [];
      const { node: plain } = await onSqlite(t);
      const { found: ada } = await plain.store.load(identities, 'local:{0a1b2c3d-0000-4000-8000-00000000ada0}');
      const find = (kind: string) => async (name: string) => {
        asked.push(`${kind} ${name}`);
        return name === 'ada' && ada ? [ada.row] : name === 'twin' && ada ? [ada.row, ada.row] : [];
      };
      const directory = {
        ...NO_DIRECTORY,
        byUserName: find('user-name'),
        byEmail: find('email'),
        byUpn: find('upn'),
      };
      const rules = [{ ...RULE, identity: '{/login}', identities: by }];
      const { node } = await scene(t, { rules }, INTEGRATION, { directories: sideBySide(directory) });
      const pair = accepted(await authorize(node, await key.sign({ login: 'ada' })));
      assert.equal(pair.identityId, ada?.row.id);
      assert.equal(await answer(authorize(node, await key.sign({ login: 'eve' }))), 'assertion-identity-unknown');
      assert.equal(await answer(authorize(node, await key.sign({ login: 'twin' }))), 'assertion-identity-ambiguous');
      assert.deepEqual([...new Set(asked)], [`${by} ada`, `${by} eve`, `${by} twin`]);
    }
  });
});

suite('an assertion that is used once', () => {
  test('gives one grant; the second request is refused with the reason', async (t) => {
    const { node } = await scene(t);
    const assertion = await key.sign();
    const dryRun = () => explainAssertion(assertion, node.clock.now(), { ...node, judge: node.judgeAssertion });
    const said = async () => (await dryRun()).steps.slice(-2).map(({ passed, words }) => `${passed}: ${words}`);
    const derived = /^true: the identity is derived from the claims: "[^"]+" is /;
    const [unused, identity] = await said();
    assert.equal(unused, 'true: it has not been used');
    assert.match(identity ?? '', derived);
    assert.equal(await answer(authorize(node, assertion)), 'accepted');
    assert.equal(await answer(authorize(node, assertion)), 'assertion-used');
    assert.deepEqual((await dryRun()).refusal, { reason: 'assertion-used' }, 'and a dry run says so');
    assert.equal((await said())[0], 'false: it has not been used: it has');
  });

  test('also if its signature is rewritten, with and without an id', async (t) => {
    const { node } = await scene(t);
    for (const jti of ['an id', undefined]) {
      const assertion = await key.sign({ jti });
      assert.equal(await answer(authorize(node, assertion)), 'accepted');
      assert.equal(await answer(authorize(node, rewriteSignature(assertion))), 'assertion-used');
    }
  });

  test('also after a restart', async (t) => {
    const { node, clock, database } = await scene(t);
    const assertion = await key.sign();
    assert.equal(await answer(authorize(node, assertion)), 'accepted');
    const restarted = await anotherNode(storeOf(await database.open()), { clock, ...judging(clock) });
    assert.equal(await answer(authorize(restarted, assertion)), 'assertion-used');
  });

  test('also after sweeping, as long as it has not expired; then its row goes', async (t) => {
    const { node, clock } = await scene(t);
    const assertion = await key.sign();
    assert.equal(await answer(authorize(node, assertion)), 'accepted');
    clock.move(299);
    await sweep(node, async () => undefined);
    assert.equal(await answer(authorize(node, assertion)), 'assertion-used');
    clock.move(1);
    assert.equal(await answer(authorize(node, assertion)), 'assertion-expired');
    clock.move(2 * 3600);
    await sweep(node, async () => undefined);
    assert.equal((await node.store.page(assertions, { limit: 10 })).length, 0);
  });

  test('a reusable one gives any number until it expires', async (t) => {
    const { node, clock } = await scene(t, { assertions: 'reusable' });
    const assertion = await key.sign();
    assert.equal(await answer(authorize(node, assertion)), 'accepted');
    assert.equal(await answer(authorize(node, assertion)), 'accepted');
    assert.equal((await node.store.page(assertions, { limit: 10 })).length, 0);
    clock.move(300);
    assert.equal(await answer(authorize(node, assertion)), 'assertion-expired');
  });

  test('expires by the clock of the store, even if the clock of the node is behind', async (t) => {
    for (const use of ['once', 'reusable'] as const) {
      const { node, clock } = await scene(t, { assertions: use });
      const assertion = await key.sign();
      const verdict = await node.judgeAssertion(assertion, node.registry.tokenIssuers);
      clock.move(300);
      const behind = { ...node, judgeAssertion: async () => verdict };
      assert.equal(await answer(authorize(behind, assertion)), 'assertion-expired', use);
    }
  });
});
