// Token exchange (RFC 8693) at a real service: an API that received a token gets one for the next API.
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { Integration } from '../../src/core/integration.ts';
import type { ResourceServerId } from '../../src/core/resource-server.ts';
import { grants, grantsOf } from '../../src/store/tables/grants.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { claimsIn } from '../jwt-node.ts';
import { ADA, anIdentity, anIntegration, ORDERS_AUDIENCE, scopeOf } from '../samples.ts';
import type { Answer } from './caller.ts';
import { ASSERTION_TYPE, ClientScene, ROBOT, TOKEN } from './client-scene.ts';
import { ORDERS, STOCK, STOCK_AUDIENCE } from './introspection-scene.ts';
import { assertRefused, basic } from './oauth-steps.ts';
import { clientId } from './service.ts';
import { CLIENT } from './steps.ts';

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
  });

  test('resource and audience choose the next API', async () => {
    const { access_token: parent } = await subject();
    for (const fields of [{ resource: STOCK_AUDIENCE }, { audience: STOCK.id }, { audience: STOCK_AUDIENCE }])
      assert.equal((await exchanged(parent, fields))['scope'], 'stock:read');
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

  test('the feed says that it ended with its parent, also in a snapshot, and through a chain', async () => {
    const pair = await subject();
    const { access_token: child = '' } = await exchanged(pair['access_token']);
    await scene.registerRobot({ ...asApi, exchange: [{ integration: clientId(ROBOT), scope: 'stock:read' }] });
    const { access_token: grandchild = '' } = await exchanged(pair['access_token']).then(async () => exchanged(child));
    const where = grantsOf.integration(ROBOT);
    const ids = (await service.ports.store.page(grants, { where, limit: 500 })).slice(-3).map(({ id }) => id);
    await scene.accepted('/oauth2/revoke', { client_id: CLIENT, token: pair['access_token'] ?? '' });
    await scene.assertInactive(grandchild, STOCK);
    const headers = { accept: 'application/json', ...basic(STOCK.id, STOCK.secret) };
    const { json } = await scene.stranger.ask({ path: '/oauth2/revocations', headers });
    const ended = (json['entries'] as Record<string, string>[]).map(({ grant }) => grant);
    for (const id of ids) assert.ok(ended.includes(id), id);
    await scene.registerRobot(asApi);
  });

  test('it is never asked for by a bare client_id', async () => {
    const { access_token: subject_token = '' } = await subject();
    const fields = { grant_type: EXCHANGE, subject_token, subject_token_type: ACCESS_TOKEN, client_id: ROBOT };
    assertRefused(await scene.post(TOKEN, fields), 401, 'invalid_client');
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
  });

  test('it does not shed a binding: a bound token gives one that is bound to the caller', async () => {
    await registerShop({ binding: 'certificate' });
    const bound = await scene.accepted(TOKEN, { client_id: CLIENT, grant_type: 'client_credentials' }, scene.ada);
    assertRefused(await exchange(bound['access_token']), 400, 'invalid_request');
    await scene.registerRobot({ ...asApi, flows: { device: false, certificate: true } });
    const fields = {
      grant_type: EXCHANGE,
      subject_token: bound['access_token'] ?? '',
      subject_token_type: ACCESS_TOKEN,
      client_id: ROBOT,
    };
    const child = await scene.accepted(TOKEN, fields, scene.ada);
    const { cnf } = await scene.activeAnswer(child['access_token'] ?? '', STOCK);
    assert.ok((cnf as Record<string, string>)['x5t#S256']);
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
