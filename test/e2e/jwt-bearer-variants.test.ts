// jwt-bearer as platforms, MCP and enterprises send it: without client_id, with the token endpoint as audience, and ID-JAG. And the
// scope strings of other libraries.
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { TokenIssuer } from '../../src/core/token-issuer.ts';
import { tokenIssuers } from '../../src/store/tables/token-issuers.ts';
import { claimsOf, keySetOf, platformKey } from '../platform.ts';
import { anIntegration, ORDERS_AUDIENCE, scopeOf } from '../samples.ts';
import { bearer, form, json, type Question } from './caller.ts';
import { registryFollows } from './registry-follows.ts';
import { clientId, PUBLIC_URL } from './service.ts';
import { DEVICE, DEVICE_GRANT, VERIFY } from './steps.ts';
import { assertRefused, CLIENT, openWorkloads, TOKEN } from './workload-scene.ts';

const { assertionOf, issuerOf, key, post, service, stranger, close } = await openWorkloads();
after(close);

const LAST_RULE = issuerOf().rules[0] as TokenIssuer['rules'][number];

suite('RFC 7523 2.1 as platforms and MCP send it', () => {
  test('without client_id where the rule names one integration', async () => {
    assertRefused(await post({ client_id: '', assertion: await assertionOf() }), 400, 'invalid_request');
    await service.put(tokenIssuers, issuerOf({ rules: [{ ...LAST_RULE, integrations: [clientId(CLIENT)] }] }));
    await registryFollows();
    const answer = await post({ client_id: '', assertion: await assertionOf() });
    assert.equal(answer.status, 200, answer.text);
    assert.equal((await post({ assertion: await assertionOf() })).status, 200);
    const two = [clientId(CLIENT), clientId('deploy-jwt')];
    await service.put(tokenIssuers, issuerOf({ rules: [{ ...LAST_RULE, integrations: two }] }));
    await registryFollows();
    assertRefused(await post({ client_id: '', assertion: await assertionOf() }), 400, 'invalid_request');
  });

  test('the token endpoint as aud, only where the token issuer allows it', async () => {
    const aud = `${PUBLIC_URL}${TOKEN}`;
    await service.put(tokenIssuers, issuerOf());
    await registryFollows();
    assertRefused(await post({ assertion: await assertionOf({ aud }) }), 400, 'invalid_grant');
    await service.put(tokenIssuers, issuerOf({ tokenEndpointAudience: true }));
    await registryFollows();
    assert.equal((await post({ assertion: await assertionOf({ aud }) })).status, 200);
    assert.equal((await post({ assertion: await assertionOf() })).status, 200);
  });

  test('the JWT of a platform as subject_token of an exchange', async () => {
    const answer = await post({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: await assertionOf(),
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    });
    assert.equal(answer.json['issued_token_type'], 'urn:ietf:params:oauth:token-type:access_token', answer.text);
  });
});

suite('ID-JAG: assertions of an enterprise', async () => {
  const provider = await platformKey('idp');
  const robot = await platformKey('robot');
  const ENTERPRISE = 'https://idp.example';
  const flows = { device: false, certificate: false, assertion: true };
  const enterprise = issuerOf({
    label: 'idp',
    issuer: ENTERPRISE,
    kind: 'enterprise',
    keys: { from: 'file', set: keySetOf(provider) },
    assertions: 'reusable',
    rules: [{ conditions: [{ claim: '/tenant', test: { is: 'acme' } }], identity: '{/sub}', identities: 'derived' }],
  });
  await service.put(tokenIssuers, enterprise);
  const keys = { from: 'file', set: keySetOf(robot) } as const;
  const agent = anIntegration({ clientId: clientId('agent'), flows, keys, overrides: { refresh: true } });
  await service.register(agent);

  const jag = (claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}) =>
    provider.sign(
      {
        ...claimsOf({}, service.now()),
        ...{ iss: ENTERPRISE, sub: 'ada', aud: PUBLIC_URL, tenant: 'acme', client_id: 'agent' },
        ...claims,
      },
      { typ: 'oauth-id-jag+jwt', ...header },
    );
  const send = async (assertion: string, fields: Record<string, string> = {}) => {
    const own = { ...claimsOf({}, service.now()), iss: 'agent', sub: 'agent', aud: PUBLIC_URL };
    const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    const proof = { client_assertion: await robot.sign(own), client_assertion_type };
    return post({ client_id: 'agent', assertion, ...proof, ...fields });
  };

  test('gives a token within its scope and resource, and never a refresh token', async () => {
    const claims = { scope: 'openid orders:read stock:read', resource: ORDERS_AUDIENCE };
    const answer = await send(await jag(claims));
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual([answer.json['scope'], answer.json['refresh_token']], ['orders:read', undefined]);
    assertRefused(await send(await jag({ scope: 'orders:read' }), { scope: 'orders:write' }), 400, 'invalid_scope');
    assertRefused(await send(await jag({ scope: '' })), 400, 'invalid_scope');
    const empty = await send(await jag(claims), { resource: '' });
    assert.equal(empty.json['scope'], 'orders:read', 'an empty parameter widens nothing');
  });

  test('once, whatever the token issuer says', async () => {
    const assertion = await jag();
    assert.equal((await send(assertion)).status, 200);
    assertRefused(await send(assertion), 400, 'invalid_grant');
  });

  test('for the client that it names, which has authenticated unless the integration allows others', async () => {
    assertRefused(await send(await jag({ client_id: 'deploy' })), 400, 'invalid_grant');
    const bare = await post({ client_id: 'agent', assertion: await jag() });
    assertRefused(bare, 401, 'invalid_client');
    await service.register({ ...agent, publicEnterprise: true });
    assert.equal((await post({ client_id: 'agent', assertion: await jag() })).status, 200);
  });

  test('an unknown or empty resource, several audiences and another typ are invalid_grant', async () => {
    for (const assertion of [
      await jag({ resource: 'https://unknown.example' }),
      await jag({ resource: [] }),
      await jag({ resource: [ORDERS_AUDIENCE, ''] }),
      await jag({ aud: [PUBLIC_URL] }),
      await jag({ jti: undefined }),
      await jag({ client_id: undefined }),
      await jag({}, { typ: 'JWT' }),
    ])
      assertRefused(await send(assertion), 400, 'invalid_grant');
  });

  test('no other token issuer may send this typ', async () => {
    const assertion = await assertionOf({}, key, { typ: 'oauth-id-jag+jwt' });
    assertRefused(await post({ assertion }), 400, 'invalid_grant');
  });
});

suite('scope strings of others', () => {
  test('openid, offline_access, profile and email are ignored where the integration does not name them', async () => {
    const scope = 'openid profile email offline_access stock:read';
    assert.equal((await post({ assertion: await assertionOf(), scope })).json['scope'], 'stock:read');
    const alone = await post({ assertion: await assertionOf(), scope: 'openid' });
    assert.equal(alone.json['scope'], 'orders:read orders:write stock:read', alone.text);
    const flows = { device: false, certificate: true, assertion: true };
    await service.register(anIntegration({ clientId: clientId('profiles'), scope: scopeOf('profile:read'), flows }));
    const named = { client_id: 'profiles', assertion: await assertionOf(), scope: 'profile' };
    assert.equal((await post(named)).json['scope'], 'profile');
    await service.put(tokenIssuers, issuerOf({ rules: [{ ...LAST_RULE, integrations: [clientId('profiles')] }] }));
    await registryFollows();
    const unnamed = { client_id: '', assertion: await assertionOf(), scope: 'openid profile' };
    assert.equal((await post(unnamed)).json['scope'], 'profile');
    await service.put(tokenIssuers, issuerOf());
    await registryFollows();
  });

  test('opaque items are compared whole, and are malformed at authsvc', async () => {
    const scope = scopeOf('orders:read;api://orders/.default');
    const flows = { device: true, certificate: true, assertion: true };
    await service.register(anIntegration({ clientId: clientId('opaque'), scope, flows }));
    const ask = async (wanted: string) => post({ client_id: 'opaque', assertion: await assertionOf(), scope: wanted });
    const answer = await ask('api://orders/.default');
    assert.equal(answer.json['scope'], 'api://orders/.default', answer.text);
    for (const wrong of ['api://orders/.DEFAULT', 'api://orders', 'https://orders.example/x'])
      assertRefused(await ask(wrong), 400, 'invalid_scope');
    const asked = { client_id: 'opaque', scope: 'api://orders/.default' };
    const atContract = async (request: Question) => {
      const { status, json: body } = await stranger.ask(request);
      return [status, body['Error']];
    };
    assert.deepEqual(await atContract({ path: DEVICE, ...json(asked) }), [400, 'invalid_scope']);
    const token = bearer(String(answer.json['access_token']));
    assert.deepEqual(await atContract({ path: VERIFY, ...token }), [401, 'invalid_token']);
    const started = await stranger.ask({ path: '/oauth2/device_authorization', ...form(asked) });
    const { device_code } = started.json;
    const redeeming = json({ client_id: 'opaque', grant_type: DEVICE_GRANT, device_code });
    assert.deepEqual(await atContract({ path: '/authsvc/Authorize/Token', ...redeeming }), [400, 'invalid_grant']);
  });
});
