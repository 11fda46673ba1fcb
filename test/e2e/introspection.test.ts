// Introspection (RFC 7662): what a resource server learns.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Audience, ResourceServerId } from '../../src/core/resource-server.ts';
import { seconds } from '../../src/core/time.ts';
import { revokeById } from '../../src/operations/grant/revoke-grant.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { systemRandom } from '../../src/system.ts';
import { drawResourceServerSecret } from '../../src/tokens/resource-server-secret.ts';
import { given } from '../given.ts';
import { ADA, anIdentity, anIntegration, aResourceServer, ORDERS_AUDIENCE } from '../samples.ts';
import { PROTOCOLS } from './caller.ts';
import {
  INACTIVE,
  INTROSPECT,
  IntrospectionScene,
  ORDERS,
  ordersServer,
  STOCK,
  STOCK_AUDIENCE,
} from './introspection-scene.ts';
import { basic, postForm } from './oauth-steps.ts';
import { clientId, MALLORY, PUBLIC_URL, startService } from './service.ts';
import { CLIENT, forged, pairByCertificate, refreshed, revoke, SCOPE } from './steps.ts';

const scene = given(() => IntrospectionScene.open());

suite('what a resource server learns', () => {
  test('[RFC 7662 2.2] an answer about a live token has the fields that concern the resource server', async () => {
    const { access_token: token, expires } = await pairByCertificate(scene.ada);
    const { jti, iat, ...rest } = await scene.activeAnswer(token);
    assert.deepEqual(rest, {
      active: true,
      scope: 'orders:read orders:write',
      client_id: CLIENT,
      sub: ADA,
      username: 'ada',
      token_type: 'Bearer',
      exp: expires,
      aud: ORDERS_AUDIENCE,
      iss: PUBLIC_URL,
    });
    assert.match(String(jti), /^[0-9a-f]{32}\.0$/);
    assert.ok(Math.abs(Number(iat) - scene.service.now()) < 60);
  });

  test('[RFC 7662 2.2] each resource server sees its own resources, and itself alone as audience', async () => {
    const { access_token: token } = await pairByCertificate(scene.ada);
    const { scope, aud } = await scene.activeAnswer(token, STOCK);
    assert.deepEqual([scope, aud], ['stock:read', STOCK_AUDIENCE]);
  });

  test('[RFC 7662 2.2] a token for one resource server tells another nothing', async () => {
    const { access_token: token } = await pairByCertificate(scene.ada, CLIENT, 'orders:read');
    await scene.activeAnswer(token, ORDERS);
    await scene.assertInactive(token, STOCK);
  });

  test('[RFC 7662 4] a grant that is limited by resource is seen by those resource servers alone', async () => {
    const both = aResourceServer({
      id: 'gateway' as ResourceServerId,
      audience: 'https://gateway.example' as Audience,
    });
    const { secret, hash } = drawResourceServerSecret(systemRandom);
    await scene.service.put(resourceServers, { ...both, secrets: [{ hash, createdAt: scene.service.now() }] });
    const gateway = { id: both.id, secret: secret.reveal() };
    const fields = {
      grant_type: 'client_credentials',
      client_id: CLIENT,
      scope: 'orders:read',
      resource: both.audience,
    };
    const answer = await postForm(scene.ada, '/oauth2/token', fields);
    assert.equal(answer.status, 200, answer.text);
    const token = String(answer.json['access_token']);
    assert.equal((await scene.activeAnswer(token, gateway))['aud'], both.audience);
    await scene.assertInactive(token, ORDERS);
    const unlimited = await pairByCertificate(scene.ada, CLIENT, 'orders:read');
    await scene.activeAnswer(unlimited.access_token, gateway);
    await scene.activeAnswer(unlimited.access_token, ORDERS);
  });

  test('[RFC 7662 2.2] username names people only: identities that come from certificates have none', async () => {
    await using derived = await startService({ issuers: [{ identities: 'derived' }] });
    const machine = derived.caller(derived.ada);
    await derived.put(resourceServers, ordersServer(derived));
    const { access_token: token } = await pairByCertificate(machine);
    const { json } = await scene.introspect(token, ORDERS, machine);
    assert.deepEqual([json['active'], json['username']], [true, undefined]);
    assert.match(String(json['sub']), /^example:[0-9a-f]{32}$/);
  });
});

suite('whatever is not a live access token for the resource server is {"active":false}', () => {
  test('[RFC 7662 2.2] what was never a token: text, a forged token, a JWT, a device code, a secret', async () => {
    const { access_token: token } = await pairByCertificate(scene.ada);
    const jwt = 'eyJhbGciOiJub25lIiwidHlwIjoiYXQrand0In0.eyJzdWIiOiJhIn0.';
    for (const text of [
      'x',
      ' ',
      'tsa_',
      forged(token),
      `${token}x`,
      token.toUpperCase(),
      jwt,
      'tsd_x',
      ORDERS.secret,
      '\0',
    ])
      await scene.assertInactive(text);
  });

  test('[RFC 7662 2.2] a refresh token, whatever token_type_hint says', async () => {
    const { refresh_token: token } = await pairByCertificate(scene.ada);
    await scene.assertInactive(token);
    const fields = { token, token_type_hint: 'refresh_token' };
    assert.equal((await postForm(scene.stranger, INTROSPECT, fields, basic(ORDERS.id, ORDERS.secret))).text, INACTIVE);
  });

  test('[RFC 7662 2.2] a token whose grant was revoked, by its caller or by an operator', async () => {
    const first = await pairByCertificate(scene.ada);
    await revoke(scene.stranger, first.access_token);
    await scene.assertInactive(first.access_token);
    const { access_token: token } = await pairByCertificate(scene.ada);
    const [id = ''] = String((await scene.activeAnswer(token))['jti']).split('.');
    await revokeById(id as never, 'by-operator', scene.service.ports);
    await scene.assertInactive(token);
  });

  test('[RFC 7662 2.2] an expired token; one of an ended grant; one superseded by a refresh', async () => {
    await using overlapping = await startService({ settings: { tokens: { accessTokenOverlap: '0s' } } });
    const caller = overlapping.caller(overlapping.ada);
    await overlapping.put(resourceServers, ordersServer(overlapping));
    const first = await pairByCertificate(caller);
    const second = await refreshed(caller, first);
    assert.equal((await scene.introspect(first.access_token, ORDERS, caller)).text, INACTIVE, 'superseded');
    assert.equal((await scene.introspect(second.access_token, ORDERS, caller)).json['active'], true);
    overlapping.pass(90 * 86_400);
    assert.equal((await scene.introspect(second.access_token, ORDERS, caller)).text, INACTIVE, 'expired');
    overlapping.pass(365 * 86_400);
    assert.equal((await scene.introspect(second.access_token, ORDERS, caller)).text, INACTIVE, 'ended');
  });

  test('[RFC 7662 2.2] a token whose identity or integration is disabled, or whose integration was narrowed', async () => {
    const short = clientId('introspected');
    const integration = anIntegration({ clientId: short, overrides: { grantLifetime: seconds(3600) } });
    await scene.service.register(integration);
    const { access_token: token } = await pairByCertificate(scene.ada, short, SCOPE);
    await scene.activeAnswer(token);
    await scene.service.put(identities, anIdentity({ enabled: false }));
    await scene.assertInactive(token);
    await scene.service.put(identities, anIdentity());
    await scene.service.register({ ...integration, enabled: false });
    await scene.assertInactive(token);
    await scene.service.register({ ...integration, scope: anIntegration().scope });
    assert.equal((await scene.activeAnswer(token))['scope'], 'orders:read orders:write');
    await scene.service.register({ ...integration, access: { to: 'named', identities: [MALLORY], groups: [] } });
    await scene.assertInactive(token);
  });
});

for (const protocol of PROTOCOLS) {
  test(`introspection answers over ${protocol}, and its log line names who asked and no secret`, async () => {
    const caller = scene.service.caller(undefined, protocol);
    const { access_token: token } = await pairByCertificate(scene.ada);
    const answer = await scene.introspect(token, ORDERS, caller);
    caller.close();
    assert.equal(answer.json['active'], true);
    const [grantId = ''] = String(answer.json['jti']).split('.');
    const isAboutIt = (line: string) => line.includes('"operation":"introspect"') && line.includes(grantId);
    while (!scene.service.logLines.some(isAboutIt)) await new Promise(setImmediate); // it is written after the answer
    const line = scene.service.logLines.find(isAboutIt) ?? '';
    const { resourceServer, identityId, clientId: integration } = JSON.parse(line) as Record<string, string>;
    assert.deepEqual([resourceServer, identityId, integration], [ORDERS.id, ADA, CLIENT]);
    for (const text of [token, ORDERS.secret]) assert.ok(scene.service.logLines.every((each) => !each.includes(text)));
  });
}
