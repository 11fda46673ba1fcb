// jwt-bearer (RFC 7523 2.1) at the oauth door of a real service, with a platform that serves its keys on loopback.
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { grants, grantsOf } from '../../src/store/tables/grants.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { tokenIssuers } from '../../src/store/tables/token-issuers.ts';
import { eventually } from '../eventually.ts';
import { platformKey, platformServer, rewriteSignature } from '../platform.ts';
import { ORDERS_AUDIENCE } from '../samples.ts';
import { form, PROTOCOLS } from './caller.ts';
import { registryFollows } from './registry-follows.ts';
import { PUBLIC_URL } from './service.ts';
import { verify } from './steps.ts';
import { assertRefused, CLIENT, openWorkloads, TOKEN } from './workload-scene.ts';

const { assertionOf, issuerOf, key, platform, post, service, stranger, close } = await openWorkloads();
after(close);

/** Sends an assertion that is refused as `invalid_grant`. Returns the reason in the log line of the request. */
async function refusedFor(assertion: string): Promise<string | undefined> {
  const before = service.logLines.length;
  const answer = await post({ assertion });
  assertRefused(answer, 400, 'invalid_grant');
  const reasons = () => {
    const lines = service.logLines.slice(before).map((line) => JSON.parse(line) as Record<string, string>);
    return lines.flatMap(({ reason }) => reason ?? []);
  };
  await eventually('the refusal is logged', () => reasons().length > 0);
  return reasons()[0];
}

suite('RFC 7523 2.1: an assertion as authorization grant', () => {
  for (const protocol of PROTOCOLS) {
    test(`gives an access token and no refresh token over ${protocol}`, async () => {
      const caller = service.caller(undefined, protocol);
      const answer = await post({ assertion: await assertionOf() }, caller);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(Object.keys(answer.json), ['access_token', 'token_type', 'expires_in', 'scope']);
      assert.deepEqual(
        [answer.json['token_type'], answer.json['expires_in'], answer.json['scope']],
        ['Bearer', 900, 'orders:read orders:write stock:read'],
      );
      assert.equal((await verify(caller, String(answer.json['access_token']))).status, 200);
      caller.close();
    });
  }

  test('[RFC 7521 4.1] gives a refresh token if the integration sets refresh itself', async () => {
    const answer = await post({ client_id: 'deploy-refreshing', assertion: await assertionOf() });
    const { refresh_token: refreshToken } = answer.json as Record<string, string>;
    assert.ok(refreshToken, answer.text);
    const fields = { grant_type: 'refresh_token', client_id: 'deploy-refreshing', refresh_token: refreshToken };
    assert.equal((await stranger.ask({ path: TOKEN, ...form(fields) })).status, 200);
  });

  test('[RFC 7521 4.1] takes a scope within that of the integration', async () => {
    const narrow = await post({ assertion: await assertionOf(), scope: 'stock:read' });
    assert.equal(narrow.json['scope'], 'stock:read');
    assertRefused(await post({ assertion: await assertionOf(), scope: 'stock:write' }), 400, 'invalid_scope');
  });

  test('[RFC 8707 2] takes resource, which limits the scope', async () => {
    const limited = await post({ assertion: await assertionOf(), resource: ORDERS_AUDIENCE });
    assert.equal(limited.json['scope'], 'orders:read orders:write', limited.text);
    const unknown = { assertion: await assertionOf(), resource: 'https://unknown.example' };
    assertRefused(await post(unknown), 400, 'invalid_target');
  });

  test('[RFC 9068 2] gives a JWT if the integration has this format', async () => {
    const answer = await post({ client_id: 'deploy-jwt', assertion: await assertionOf() });
    const [, claims = ''] = String(answer.json['access_token']).split('.');
    const { sub, client_id, iss } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, string>;
    assert.deepEqual([client_id, iss], ['deploy-jwt', PUBLIC_URL]);
    assert.match(sub ?? '', /^ci:[0-9a-f]{32}$/);
    assert.equal((await verify(stranger, String(answer.json['access_token']))).status, 200);
  });
});

suite('RFC 7523 3: an assertion that is not valid is invalid_grant', () => {
  const now = () => Math.floor(Date.now() / 1000);
  type Claims = Record<string, unknown>;
  const cases: readonly (readonly [clause: string, reason: string, claims: () => Claims])[] = [
    ['3 (1)] no iss', 'assertion-issuer-unknown', () => ({ iss: undefined })],
    ['3 (1)] an unknown iss', 'assertion-issuer-unknown', () => ({ iss: 'https://evil.example' })],
    [
      '3 (1)] an iss that is the same only after normalization',
      'assertion-issuer-unknown',
      () => ({ iss: `${platform.url}/` }),
    ],
    ['3 (2)] no sub', 'assertion-malformed', () => ({ sub: undefined })],
    ['3 (3)] no aud', 'assertion-audience-wrong', () => ({ aud: undefined })],
    ['3 (3)] another aud', 'assertion-audience-wrong', () => ({ aud: 'https://github.com/acme' })],
    [
      '3 (3)] an aud that is the same only after normalization',
      'assertion-audience-wrong',
      () => ({ aud: `${PUBLIC_URL}:443` }),
    ],
    ['3 (4)] no exp', 'assertion-malformed', () => ({ exp: undefined })],
    ['3 (4)] an exp in the past', 'assertion-expired', () => ({ iat: now() - 400, exp: now() - 100 })],
    ['3 (4)] an exp far in the future', 'assertion-lifetime-too-long', () => ({ exp: now() + 86_400 })],
    ['3 (5)] an nbf in the future', 'assertion-not-yet-valid', () => ({ nbf: now() + 200 })],
    ['3 (6)] an iat in the future', 'assertion-not-yet-valid', () => ({ iat: now() + 200 })],
    ['3 (8)] claims that no rule matches', 'assertion-rule-unmatched', () => ({ repository: 'mallory/app' })],
  ];
  for (const [clause, reason, claims] of cases) {
    test(`[RFC 7523 ${clause}: ${reason}`, async () => {
      assert.equal(await refusedFor(await assertionOf(claims())), reason);
    });
  }

  test('[RFC 7523 3 (7)] an assertion that was used: assertion-used', async () => {
    const assertion = await assertionOf();
    assert.equal((await post({ assertion })).status, 200);
    assert.equal(await refusedFor(assertion), 'assertion-used');
  });

  test('[RFC 7523 3 (10), RFC 7515 4.1.11] crit, and a typ that is not a JWT: assertion-malformed', async () => {
    for (const header of [{ typ: 'at+jwt' }, { crit: ['exp'], exp: 1 }]) {
      const [, payload = '', signature = ''] = (await assertionOf()).split('.');
      const text = Buffer.from(JSON.stringify({ alg: key.alg, kid: key.kid, ...header })).toString('base64url');
      assert.equal(await refusedFor(`${text}.${payload}.${signature}`), 'assertion-malformed');
    }
  });

  test('[RFC 7523 5] RS256 is implemented', async () => {
    const rsa = await platformKey('rsa', 'RS256');
    const signer = await platformServer([rsa]);
    await service.put(tokenIssuers, issuerOf({ label: 'rsa', issuer: signer.url }));
    await registryFollows();
    assert.equal((await post({ assertion: await assertionOf({ iss: signer.url }, rsa) })).status, 200);
    signer.close();
  });

  test('[RFC 7523 3 (9)] a forged assertion, and no signature', async () => {
    assertRefused(await post({ assertion: await assertionOf({}, await platformKey()) }), 400, 'invalid_grant');
    const [, payload = ''] = (await assertionOf()).split('.');
    const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    assertRefused(await post({ assertion: `${none}.${payload}.` }), 400, 'invalid_grant');
    assertRefused(await post({ assertion: 'not.a.jwt' }), 400, 'invalid_grant');
  });

  test('[RFC 7521 4.1, 4.1.1] no assertion is invalid_request, an integration without the flow unauthorized_client', async () => {
    assertRefused(await post({}), 400, 'invalid_request');
    const assertion = await assertionOf();
    assertRefused(await post({ client_id: 'orders-sync', assertion }), 400, 'unauthorized_client');
    assertRefused(await post({ client_id: 'nobody', assertion }), 401, 'invalid_client');
    assertRefused(await post({ client_id: 'disabled', assertion }), 401, 'invalid_client');
    assert.equal((await post({ assertion })).status, 200, 'none of these used it up');
  });

  test('a disabled identity is unauthorized_client', async () => {
    const claims = { sub: 'repo:acme/app:ref:refs/heads/disabled' };
    const first = await post({ assertion: await assertionOf(claims) });
    assert.equal(first.status, 200, first.text);
    const [grant] = (await service.ports.store.find(grants, grantsOf.integration(CLIENT))).toSorted((a, b) =>
      a.id < b.id ? 1 : -1,
    );
    const { found } = await service.ports.store.load(identities, grant?.identityId ?? '');
    if (found) await service.put(identities, { ...found.row, enabled: false });
    assertRefused(await post({ assertion: await assertionOf(claims) }), 400, 'unauthorized_client');
  });

  test('no assertion reaches the log, also of those that were refused', async () => {
    const assertion = await assertionOf({ repository: 'mallory/app' });
    await post({ assertion });
    const log = service.logLines.join('');
    assert.match(log, /assertion refused/);
    assert.match(log, /"setting":"conditions"/);
    assert.match(log, /found \\"mallory\/app\\"|mallory\/app/);
    for (const part of assertion.split('.')) assert.ok(!log.includes(part));
  });
});

suite('an assertion is used once', () => {
  test('64 requests at once: one grant, 63 clear refusals', async () => {
    const before = (await service.ports.store.find(grants, grantsOf.integration(CLIENT))).length;
    const assertion = await assertionOf();
    const texts = Array.from({ length: 64 }, (_, n) => (n % 2 ? assertion : rewriteSignature(assertion)));
    const answers = await Promise.all(texts.map((text) => post({ assertion: text })));
    const accepted = answers.filter(({ status }) => status === 200);
    assert.equal(accepted.length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      assertRefused(answer, 400, 'invalid_grant');
      assert.match(answer.text, /was used before/);
    }
    assert.equal((await service.ports.store.find(grants, grantsOf.integration(CLIENT))).length, before + 1);
  });
});
