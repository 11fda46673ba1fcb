// Token exchange (RFC 8693) at a real service: an API that received a token gets one for the next API.
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { Integration } from '../../src/core/integration.ts';
import type { ResourceServerId } from '../../src/core/resource-server.ts';
import { integrationIdentity } from '../../src/operations/grant/seen-identity.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { claimsIn } from '../jwt-node.ts';
import { ADA, anIdentity, anIntegration, ORDERS_AUDIENCE, scopeOf } from '../samples.ts';
import type { Answer } from './caller.ts';
import { ASSERTION_TYPE, ClientScene, ROBOT, TOKEN } from './client-scene.ts';
import { ORDERS, ordersServer, STOCK, STOCK_AUDIENCE } from './introspection-scene.ts';
import { assertRefused } from './oauth-steps.ts';
import { registryFollows } from './registry-follows.ts';
import { clientId } from './service.ts';
import { CLIENT, verify } from './steps.ts';

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const scene = await ClientScene.open({ signing: 'ES256' });
const { service } = scene;
after(() => scene.close());

/** The integration of the subject tokens. */
function registerShop(difference: Partial<Integration> = {}): Promise<void> {
  const exchange = [{ integration: clientId(ROBOT), scope: 'orders:read;stock:read' }];
  return service.register(anIntegration({ exchange, ...difference }));
}
const asApi = { resourceServer: ORDERS.id as ResourceServerId };
await registerShop();
await scene.registerRobot(asApi);

async function subject(fields: Record<string, string> = {}): Promise<Record<string, string>> {
  return scene.pairByDevice({ scope: 'orders:read orders:write stock:read', ...fields });
}

async function exchange(subject_token = '', fields: Record<string, string> = {}): Promise<Answer> {
  const client_assertion = await scene.signed();
  const client = { client_assertion, client_assertion_type: ASSERTION_TYPE };
  return scene.post(TOKEN, {
    grant_type: EXCHANGE,
    subject_token,
    subject_token_type: ACCESS_TOKEN,
    ...client,
    ...fields,
  });
}

async function exchanged(token?: string, fields: Record<string, string> = {}): Promise<Record<string, string>> {
  const answer = await exchange(token, fields);
  assert.equal(answer.status, 200, answer.text);
  return answer.json as Record<string, string>;
}

function byCertificate(subject_token = '', caller = scene.ada): Promise<Answer> {
  const fields = { grant_type: EXCHANGE, subject_token, subject_token_type: ACCESS_TOKEN, client_id: ROBOT };
  return scene.post(TOKEN, fields, {}, caller);
}

suite('RFC 8693: an API exchanges the token that it received', () => {
  test('for one of the same person, which names the API in act', async () => {
    const { access_token: parent } = await subject();
    const child = await exchanged(parent, { scope: 'stock:read' });
    assert.deepEqual(
      [child['issued_token_type'], child['token_type'], child['scope'], child['refresh_token']],
      [ACCESS_TOKEN, 'Bearer', 'stock:read', undefined],
    );
    const seen = await scene.activeAnswer(child['access_token'] ?? '', STOCK);
    assert.deepEqual([seen['sub'], seen['client_id']], [ADA, ROBOT]);
    assert.equal((seen['act'] as Record<string, string>)['client_id'], ROBOT);
    const { json: verified } = await verify(scene.stranger, child['access_token'] ?? '');
    assert.deepEqual(verified['act'], seen['act'], 'also at Verify');
  });

  test('resource and audience choose the next API', async () => {
    const { access_token: parent } = await subject();
    for (const target of [{ resource: STOCK_AUDIENCE }, { audience: STOCK.id }, { audience: STOCK_AUDIENCE }]) {
      assert.equal((await exchanged(parent, target))['scope'], 'stock:read');
      const typed = { ...target, requested_token_type: ACCESS_TOKEN };
      assert.equal((await exchanged(parent, typed))['scope'], 'stock:read');
    }
    assertRefused(await exchange(parent, { audience: 'nobody' }), 400, 'invalid_target');
  });

  test('as a JWT it carries act and the audience of the next API', async () => {
    await scene.registerRobot({ ...asApi, accessTokenFormat: 'jwt' });
    const { access_token: parent } = await subject();
    const child = await exchanged(parent, { scope: 'stock:read' });
    const { aud, sub, act } = claimsIn(child['access_token'] ?? '');
    assert.deepEqual([aud, sub, (act as Record<string, string>)['client_id']], [STOCK_AUDIENCE, ADA, ROBOT]);
    await scene.registerRobot(asApi);
  });
});

suite('attacks on an exchange', () => {
  test('it never widens: neither beyond the token, nor the list, nor the API itself', async () => {
    const { access_token: narrow } = await subject({ scope: 'orders:read' });
    assertRefused(await exchange(narrow, { scope: 'stock:read' }), 400, 'invalid_scope');
    const { access_token: wide } = await subject();
    assertRefused(await exchange(wide, { scope: 'orders:write' }), 400, 'invalid_scope');
    assert.equal((await exchanged(wide))['scope'], 'orders:read stock:read');
    await scene.registerRobot({ ...asApi, scope: scopeOf('stock:read') });
    assertRefused(await exchange(wide, { scope: 'orders:read' }), 400, 'invalid_scope');
    assert.equal((await exchanged(wide))['scope'], 'stock:read');
    await scene.registerRobot(asApi);
  });

  test('it never outlives the token, and has no refresh token whatever the integration says', async () => {
    await scene.registerRobot({ ...asApi, overrides: { refresh: true } });
    await service.register(
      anIntegration({
        exchange: [{ integration: clientId(ROBOT), scope: 'stock:read' }],
        overrides: { accessTokenLifetime: 100 as never },
      }),
    );
    const { access_token: parent } = await subject();
    service.pass(40);
    const child = await exchanged(parent);
    assert.ok(Number(child['expires_in']) <= 60, child['expires_in']);
    assert.equal(child['refresh_token'], undefined);
    await registerShop();
    await scene.registerRobot(asApi);
  });

  test('it does not survive its parent: revocation, reuse, a disabled person, a narrowed integration', async () => {
    const pair = await subject();
    const child = (await exchanged(pair['access_token'])) as { access_token: string };
    await scene.activeAnswer(child.access_token, STOCK);
    await service.put(identities, anIdentity({ enabled: false }));
    await scene.assertInactive(child.access_token, STOCK);
    await service.put(identities, anIdentity());
    await registerShop({ scope: scopeOf('orders:read') });
    await scene.assertInactive(child.access_token, STOCK);
    await registerShop();
    await scene.activeAnswer(child.access_token, STOCK);
    await scene.accepted('/oauth2/revoke', { client_id: CLIENT, token: pair['access_token'] ?? '' });
    await scene.assertInactive(child.access_token, STOCK);
    assertRefused(await exchange(pair['access_token']), 400, 'invalid_request');

    const reused = await subject();
    const { access_token: second = '' } = await exchanged(reused['access_token']);
    await scene.refreshBy((await scene.refreshBy(reused['refresh_token'])).json['refresh_token'] as string);
    assertRefused(await scene.refreshBy(reused['refresh_token']), 400, 'invalid_grant');
    await scene.assertInactive(second, STOCK);
  });

  test('it ends when the list no longer names the API, or the API is disabled, also further down a chain', async () => {
    const chain = { ...asApi, exchange: [{ integration: clientId(ROBOT), scope: 'orders:read;stock:read' }] };
    await scene.registerRobot(chain);
    const { access_token: child = '' } = await exchanged((await subject())['access_token']);
    const { access_token: grandchild = '' } = await exchanged(child);
    const bothAre = async (claim: 'activeAnswer' | 'assertInactive') => {
      for (const token of [child, grandchild]) await scene[claim](token, STOCK);
    };
    await bothAre('activeAnswer');
    for (const exchange of [[], [{ integration: clientId(ROBOT), scope: 'orders:read' }]]) {
      await registerShop({ exchange });
      await bothAre('assertInactive');
    }
    await registerShop();
    const api = integrationIdentity({ clientId: clientId(ROBOT) });
    await service.put(identities, { ...api, enabled: false });
    await bothAre('assertInactive');
    await service.put(identities, api);
    await bothAre('activeAnswer');
    await scene.registerRobot(asApi);
  });

  test('it ends when the API has no resource server any more, another one, or one that is disabled', async () => {
    const { access_token: child = '' } = await exchanged(
      (await subject({ resource: ORDERS_AUDIENCE }))['access_token'],
    );
    await scene.activeAnswer(child, ORDERS);
    const server = ordersServer(service);
    for (const [resourceServer, enabled] of [
      [undefined, true],
      [STOCK.id, true],
      [ORDERS.id, false],
    ] as const) {
      await service.put(resourceServers, { ...server, enabled });
      await scene.registerRobot(resourceServer ? { resourceServer: resourceServer as ResourceServerId } : {});
      assert.equal((await verify(scene.stranger, child)).status, 401, `${resourceServer} ${enabled}`);
    }
    await service.put(resourceServers, server);
    await scene.registerRobot(asApi);
    await scene.activeAnswer(child, ORDERS);
  });

  test('it lives for an hour at most', async () => {
    const { access_token: parent, expires_in } = await subject();
    assert.ok(Number(expires_in) > 3600);
    assert.ok(Number((await exchanged(parent))['expires_in']) <= 3600);
  });

  test('it is never asked for by a bare client_id', async () => {
    const { access_token } = await subject();
    assertRefused(await byCertificate(access_token, scene.stranger), 401, 'invalid_client');
  });

  test('only by the API that the token is for, and that its integration lists', async () => {
    const { access_token: elsewhere } = await subject({ resource: STOCK_AUDIENCE, scope: 'stock:read' });
    assertRefused(await exchange(elsewhere), 400, 'invalid_request');
    const { access_token: good } = await subject();
    await scene.registerRobot();
    assertRefused(await exchange(good), 400, 'unauthorized_client');
    await scene.registerRobot(asApi);
    await registerShop({ exchange: [] });
    assertRefused(await exchange(good), 400, 'unauthorized_client');
    await registerShop();
    assertRefused(await exchange('forged'), 400, 'invalid_request');
    assertRefused(await exchange(good, { subject_token_type: 'urn:x' }), 400, 'invalid_request');
    assertRefused(await exchange(good, { actor_token: 'x' }), 400, 'invalid_request');
    assertRefused(await exchange(good, { requested_token_type: 'urn:x' }), 400, 'invalid_request');
  });

  test('it does not shed a binding: a bound token gives one that is bound to the certificate that speaks for the API', async () => {
    await registerShop({ binding: 'certificate' });
    const bound = await scene.accepted(TOKEN, { client_id: CLIENT, grant_type: 'client_credentials' }, scene.ada);
    assertRefused(await exchange(bound['access_token']), 400, 'invalid_request');
    const flows = { device: false, certificate: true };
    await scene.registerRobot({ ...asApi, flows });
    assertRefused(await byCertificate(bound['access_token'], scene.ada), 401, 'invalid_client');
    await service.register(anIntegration({ clientId: clientId(ROBOT), ...asApi, flows }));
    assertRefused(await byCertificate(bound['access_token'], scene.ada), 400, 'unauthorized_client');
    await service.put(resourceServers, { ...ordersServer(service), identity: ADA });
    await registryFollows();
    const child = await byCertificate(bound['access_token'], scene.ada);
    const { cnf } = await scene.activeAnswer(String(child.json['access_token']), STOCK);
    assert.ok((cnf as Record<string, string>)['x5t#S256']);
    await registerShop();
    await scene.registerRobot(asApi);
  });

  test('it does not prove a resource server, whoever its holder speaks for', async () => {
    await service.put(resourceServers, { ...ordersServer(service), identity: ADA });
    const exchange = [{ integration: clientId(ROBOT), scope: 'tickets:read' }];
    await registerShop({ scope: scopeOf('orders:read;tickets:read'), exchange });
    await scene.registerRobot({ ...asApi, scope: scopeOf('tickets:read') });
    const { access_token: token = '' } = await scene.pairByDevice({ scope: 'orders:read tickets:read' });
    const { access_token: child } = await exchanged(token);
    const proof = { authorization: `Bearer ${child}` };
    assertRefused(await scene.post('/oauth2/introspect', { token }, proof), 401, 'invalid_client');
    const { access_token: own } = await scene.pairByDevice({ scope: 'tickets:read' });
    const answer = await scene.post('/oauth2/introspect', { token }, { authorization: `Bearer ${own}` });
    assert.equal(answer.json['active'], true, answer.text);
    await registerShop();
    await scene.registerRobot(asApi);
  });

  test('an endless chain is refused', async () => {
    await scene.registerRobot({
      ...asApi,
      exchange: [{ integration: clientId(ROBOT), scope: 'orders:read;stock:read' }],
    });
    let { access_token: token } = await subject({ resource: ORDERS_AUDIENCE, scope: 'orders:read' });
    for (let hop = 0; hop < 4; hop++) token = (await exchanged(token))['access_token'];
    assertRefused(await exchange(token), 400, 'unauthorized_client');
    await scene.registerRobot(asApi);
  });
});
