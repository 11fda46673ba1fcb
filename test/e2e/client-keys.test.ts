// private_key_jwt (RFC 7523 2.2, rfc7523bis) and a platform's JWT as client assertion, at a real service.
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { seconds } from '../../src/core/time.ts';
import { grants, grantsOf } from '../../src/store/tables/grants.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { tokenIssuers } from '../../src/store/tables/token-issuers.ts';
import { aTokenIssuer, claimsOf, ISSUER, keySetOf, platformKey } from '../platform.ts';
import { anIntegration } from '../samples.ts';
import { json } from './caller.ts';
import { ASSERTION_TYPE, ClientScene, ROBOT, TOKEN } from './client-scene.ts';
import { assertRefused, basic } from './oauth-steps.ts';
import { registryFollows } from './registry-follows.ts';
import { clientId, PUBLIC_URL } from './service.ts';
import { confirm, DEVICE_GRANT } from './steps.ts';

type Confirmable = Parameters<typeof confirm>[1];

const scene = await ClientScene.open({ signing: 'ES256' });
const { service } = scene;
after(() => scene.close());

const other = await platformKey('k1');
await service.register(
  anIntegration({
    clientId: clientId('other-robot'),
    keys: { from: 'file', set: keySetOf(other) },
    overrides: { refresh: true },
  }),
);

suite('RFC 7523 2.2: an integration authenticates with its own key', () => {
  test('client_credentials: the integration itself is the identity, named after it', async () => {
    const answer = await scene.byKey({ scope: 'stock:read' });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(Object.keys(answer.json), ['access_token', 'token_type', 'expires_in', 'scope']);
    assert.equal(answer.json['expires_in'], 3600);
    const [grant] = await service.ports.store.page(grants, { where: grantsOf.integration(ROBOT), limit: 1 });
    assert.deepEqual([grant?.origin, grant?.scope], [{ kind: 'client', proof: 'key' }, 'stock:read']);
    const { found } = await service.ports.store.load(identities, grant?.identityId ?? '');
    assert.match(grant?.identityId ?? '', /^integration:[0-9a-f]{32}$/);
    assert.equal(found?.row.userName, `integration/${ROBOT}`);
  });

  test('client_id beside the assertion must be the same', async () => {
    assert.equal((await scene.byKey({ client_id: ROBOT })).status, 200);
    // With another client_id it can only be the assertion of a platform, which is off for that integration.
    assertRefused(await scene.byKey({ client_id: 'orders-sync' }), 400, 'unauthorized_client');
  });

  test('typ is absent, JWT or client-authentication+jwt', async () => {
    for (const typ of [undefined, 'JWT', 'client-authentication+jwt'])
      assert.equal((await scene.byKey({}, {}, { typ })).status, 200, String(typ));
    for (const typ of ['at+jwt', 'dpop+jwt', 'oauth-id-jag+jwt'])
      assertRefused(await scene.byKey({}, {}, { typ }), 401, 'invalid_client');
  });

  test('aud is one text: our issuer, and the token endpoint only where the integration allows it', async () => {
    const endpoint = `${PUBLIC_URL}${TOKEN}`;
    for (const aud of [[PUBLIC_URL], [PUBLIC_URL, 'https://evil.example'], endpoint, `${PUBLIC_URL}/`, undefined])
      assertRefused(await scene.byKey({}, { aud }), 401, 'invalid_client');
    await scene.registerRobot({ tokenEndpointAudience: true });
    assert.equal((await scene.byKey({}, { aud: endpoint })).status, 200);
    assertRefused(await scene.byKey({}, { aud: [endpoint] }), 401, 'invalid_client');
    await scene.registerRobot();
  });

  test('attack: a replayed jti, also with a rewritten text, is refused', async () => {
    const claims = { jti: 'once' };
    assert.equal((await scene.byKey({}, claims)).status, 200);
    assertRefused(await scene.byKey({}, { ...claims, iat: service.now() - 1 }), 401, 'invalid_client');
    const client_assertion = await scene.signed({ jti: undefined });
    const fields = { client_assertion, client_assertion_type: ASSERTION_TYPE };
    assert.deepEqual(
      (await Promise.all([scene.asked(fields), scene.asked(fields)]))
        .map(({ status }) => status)
        .toSorted((a, b) => a - b),
      [200, 401],
    );
  });

  test('attack: key confusion. The key of another, of a platform, and a symmetric one are refused', async () => {
    await service.put(tokenIssuers, aTokenIssuer({ keys: { from: 'file', set: keySetOf(other) } }));
    await registryFollows();
    assertRefused(await scene.byKey({}, {}, {}, other), 401, 'invalid_client');
    const asOther = { iss: ROBOT, sub: 'other-robot' };
    assertRefused(await scene.byKey({ client_id: ROBOT }, asOther), 401, 'invalid_client');
    assertRefused(await scene.byKey({ client_id: ROBOT }, { iss: ISSUER }, {}, other), 400, 'unauthorized_client');
    const [, claims = ''] = (await scene.signed()).split('.');
    for (const alg of ['none', 'HS256']) {
      const header = Buffer.from(JSON.stringify({ alg, kid: 'k1' })).toString('base64url');
      const client_assertion = `${header}.${claims}.${Buffer.from('x').toString('base64url')}`;
      const fields = { client_assertion, client_assertion_type: ASSERTION_TYPE };
      assertRefused(await scene.asked(fields), 401, 'invalid_client');
    }
  });

  test('attack: an access token of ours is no client assertion', async () => {
    await service.register(anIntegration({ clientId: clientId('jwt-robot'), accessTokenFormat: 'jwt' }));
    const { access_token = '' } = await scene.accepted(
      TOKEN,
      { grant_type: 'client_credentials', client_id: 'jwt-robot' },
      scene.ada,
    );
    const fields = { client_id: 'jwt-robot', client_assertion: access_token, client_assertion_type: ASSERTION_TYPE };
    const answer = await scene.asked(fields);
    assert.ok(answer.status >= 400 && answer.status < 500, answer.text);
  });

  test('one method, and the assertion type, are required', async () => {
    const client_assertion = await scene.signed();
    assertRefused(await scene.asked({ client_assertion }), 400, 'invalid_request');
    const both = { client_assertion, client_assertion_type: ASSERTION_TYPE, client_secret: 'x' };
    assertRefused(await scene.asked(both), 400, 'invalid_request');
    const twice = await scene.asked({ client_secret: 'x' }, basic(ROBOT, 'y'));
    assertRefused(twice, 400, 'invalid_request');
  });

  test('a key that the operator removed is refused within a second', async () => {
    const next = await platformKey('k2');
    await scene.registerRobot({ keys: { from: 'file', set: keySetOf(next) } });
    assertRefused(await scene.byKey(), 401, 'invalid_client');
    assert.equal((await scene.byKey({}, {}, {}, next)).status, 200);
    await scene.registerRobot();
  });

  test('a disabled identity of the integration gets no token', async () => {
    const [grant] = await service.ports.store.page(grants, { where: grantsOf.integration(ROBOT), limit: 1 });
    const { found } = await service.ports.store.load(identities, grant?.identityId ?? '');
    assert.ok(found);
    await service.put(identities, { ...found.row, enabled: false });
    assertRefused(await scene.byKey(), 400, 'unauthorized_client');
    await service.put(identities, found.row);
  });

  test('[RFC 6749 6] who authenticated for a grant authenticates for its refresh; authsvc refuses it', async () => {
    const claims = { iss: 'other-robot', sub: 'other-robot' };
    const { refresh_token = '' } = (await scene.byKey({}, claims, {}, other)).json as Record<string, string>;
    assert.ok(refresh_token);
    const refresh = { grant_type: 'refresh_token', refresh_token };
    const bare = await scene.post(TOKEN, { client_id: 'other-robot', ...refresh });
    assertRefused(bare, 401, 'invalid_client');
    const path = '/authsvc/Authorize/Token';
    const contract = await scene.stranger.ask({ path, ...json({ client_id: 'other-robot', refresh_token }) });
    assert.deepEqual([contract.status, contract.json['Error']], [400, 'invalid_grant']);
    assert.equal((await scene.byKey(refresh, claims, {}, other)).status, 200);
  });
});

suite('an integration with keys or secrets', () => {
  const own = { client_id: ROBOT, client_assertion_type: ASSERTION_TYPE };
  const proof = async () => ({ ...own, client_assertion: await scene.signed() });
  const DEVICE = '/oauth2/device_authorization';

  test('authenticates for device codes, refreshes and revocations at /oauth2', async () => {
    await scene.registerRobot({ flows: { device: true, certificate: false } });
    const bare = { client_id: ROBOT };
    assertRefused(await scene.post(DEVICE, bare), 401, 'invalid_client');
    const started = (await scene.post(DEVICE, await proof())).json as unknown as Confirmable;
    await confirm(service, started);
    const redeeming = { grant_type: DEVICE_GRANT, device_code: started.device_code };
    assertRefused(await scene.post(TOKEN, { ...bare, ...redeeming }), 401, 'invalid_client');
    const pair = (await scene.post(TOKEN, { ...(await proof()), ...redeeming })).json as Record<string, string>;
    const refreshing = { grant_type: 'refresh_token', refresh_token: pair['refresh_token'] ?? '' };
    assertRefused(await scene.post(TOKEN, { ...bare, ...refreshing }), 401, 'invalid_client');
    const next = await scene.post(TOKEN, { ...(await proof()), ...refreshing });
    assert.equal(next.status, 200, next.text);
    const token = String(next.json['access_token']);
    assertRefused(await scene.post('/oauth2/revoke', { ...bare, token }), 401, 'invalid_client');
    await scene.activeAnswer(token);
    assert.equal((await scene.post('/oauth2/revoke', { ...(await proof()), token })).status, 200);
    await scene.assertInactive(token);
  });

  test('is served at /authsvc as before', async () => {
    const ask = (path: string, body: object) => scene.stranger.ask({ path: `/authsvc/${path}`, ...json(body) });
    const bare = { client_id: ROBOT };
    const started = await ask('Authorize/Device', { ...bare, scope: 'orders:read' });
    await confirm(service, started.json as unknown as Confirmable);
    const device_code = started.json['device_code'];
    const pair = await ask('Authorize/Token', { ...bare, grant_type: DEVICE_GRANT, device_code });
    assert.equal(pair.status, 200, pair.text);
    const refresh_token = pair.json['refresh_token'];
    assert.equal((await ask('Authorize/Token', { ...bare, refresh_token })).status, 200);
    await scene.registerRobot();
  });
});

suite("a platform's JWT as client assertion", () => {
  const flows = { device: false, certificate: false, assertion: true };
  const platform = () => ({ ...claimsOf({}, service.now()), aud: PUBLIC_URL });
  const sent = async (fields: Record<string, string> = {}, claims = {}) =>
    scene.asked({
      client_id: 'deploy',
      client_assertion: await other.sign({ ...platform(), ...claims }),
      client_assertion_type: ASSERTION_TYPE,
      ...fields,
    });

  test('gives the grant that jwt-bearer gives, once', async () => {
    await service.register(
      anIntegration({ clientId: clientId('deploy'), flows, overrides: { accessTokenLifetime: seconds(900) } }),
    );
    const answer = await sent({}, { jti: 'platform-once' });
    assert.equal(answer.status, 200, answer.text);
    assertRefused(await sent({}, { jti: 'platform-once' }), 401, 'invalid_client');
    assertRefused(await sent({}, { repository: 'mallory/app' }), 401, 'invalid_client');
  });

  test('is refused with another grant type, and without client_id', async () => {
    const refresh = { grant_type: 'refresh_token', refresh_token: 'x' };
    assertRefused(await sent(refresh), 401, 'invalid_client');
    assertRefused(await sent({ client_id: '' }), 400, 'invalid_request');
  });
});
