// The parameter resource (RFC 8707) with every grant type of the oauth door.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Audience, ResourceServerId } from '../../src/core/resource-server.ts';
import { showGrant } from '../../src/operations/admin/find-grants.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { given, prepare } from '../given.ts';
import { anIntegration, aResourceServer, ORDERS_AUDIENCE, scopeOf } from '../samples.ts';
import type { Answer } from './caller.ts';
import { assertRefused, type Fields, postForm } from './oauth-steps.ts';
import { clientId, startService } from './service.ts';
import { CLIENT, confirm, DEVICE_GRANT, refresh } from './steps.ts';

const TOKEN = '/oauth2/token';
const ORDERS = ORDERS_AUDIENCE;
const STOCK = 'urn:example:stock' as Audience;
const BY_CERTIFICATE = { client_id: CLIENT, grant_type: 'client_credentials' };

const service = given(() => startService());
const ada = given(() => service.caller(service.ada));
prepare(async () => {
  await service.put(resourceServers, aResourceServer());
  const stock = { id: 'stock-api' as ResourceServerId, audience: STOCK, resources: ['stock'] };
  await service.put(resourceServers, aResourceServer(stock));
});

/** A form with `resource` as often as there are values. */
function post(path: string, fields: Fields, ...resources: readonly string[]): Promise<Answer> {
  const parameters = new URLSearchParams(fields);
  for (const resource of resources) parameters.append('resource', resource);
  return postForm(ada, path, parameters.toString());
}

async function started(fields: Fields, ...resources: readonly string[]) {
  const answer = await post('/oauth2/device_authorization', { client_id: CLIENT, ...fields }, ...resources);
  assert.equal(answer.status, 200, answer.text);
  const device = answer.json as { device_code: string; user_code: string };
  await confirm(service, device);
  return device;
}

function redeem({ device_code }: { device_code: string }, ...resources: readonly string[]): Promise<Answer> {
  return post(TOKEN, { client_id: CLIENT, grant_type: DEVICE_GRANT, device_code }, ...resources);
}

function refreshBy({ json }: Answer, ...resources: readonly string[]): Promise<Answer> {
  const fields = { client_id: CLIENT, grant_type: 'refresh_token', refresh_token: String(json['refresh_token']) };
  return post(TOKEN, fields, ...resources);
}

test('[RFC 8707 2] client_credentials: resource limits the scope, and may be repeated', async () => {
  const one = await post(TOKEN, BY_CERTIFICATE, ORDERS);
  assert.equal(one.json['scope'], 'orders:read orders:write');
  const both = await post(TOKEN, { ...BY_CERTIFICATE, scope: 'stock:read orders:read' }, STOCK, ORDERS);
  assert.equal(both.json['scope'], 'orders:read stock:read');
  const empty = await post(TOKEN, { ...BY_CERTIFICATE, resource: '' });
  assert.equal(empty.json['scope'], 'orders:read orders:write stock:read', 'empty is missing');
});

test('[RFC 8707 2] an unknown resource, or one that serves nothing of the scope, is invalid_target', async () => {
  for (const resource of ['https://unknown.example', `${ORDERS}/v1`, 'orders-api', 'orders', '#', 'https://a#b']) {
    assertRefused(await post(TOKEN, BY_CERTIFICATE, resource), 400, 'invalid_target');
    assertRefused(await post('/oauth2/device_authorization', { client_id: CLIENT }, resource), 400, 'invalid_target');
  }
  assertRefused(await post(TOKEN, { ...BY_CERTIFICATE, scope: 'orders:read' }, STOCK), 400, 'invalid_target');
  assertRefused(await post(TOKEN, { ...BY_CERTIFICATE, scope: 'orders:read' }, ORDERS, STOCK), 400, 'invalid_target');
});

test('[RFC 8707 2.2] device code: the resource of the authorization holds; the redemption may name fewer', async () => {
  const kept = await redeem(await started({}, ORDERS));
  assert.equal(kept.json['scope'], 'orders:read orders:write');
  const fewer = await redeem(await started({}, ORDERS, STOCK), STOCK);
  assert.equal(fewer.json['scope'], 'stock:read');
  const late = await redeem(await started({ scope: 'orders:read stock:read' }), ORDERS);
  assert.equal(late.json['scope'], 'orders:read');
});

test('[RFC 8707 2.2] a redemption that names another resource is invalid_target, and the code stays good', async () => {
  const device = await started({}, ORDERS);
  for (const resource of [STOCK, 'https://unknown.example']) {
    assertRefused(await redeem(device, resource), 400, 'invalid_target');
  }
  assert.equal((await redeem(device, ORDERS)).status, 200);
});

test('[RFC 8707 2.2] refresh: absent or the same; anything else is invalid_target, and the token stays good', async () => {
  const pair = await redeem(await started({}, ORDERS, STOCK));
  for (const wrong of [[ORDERS], [ORDERS, STOCK, 'urn:x'], ['urn:x']]) {
    assertRefused(await refreshBy(pair, ...wrong), 400, 'invalid_target');
  }
  const same = await refreshBy(pair, STOCK, ORDERS);
  assert.equal(same.json['scope'], 'orders:read orders:write stock:read');
  const absent = await refreshBy(same);
  assert.equal(absent.status, 200, absent.text);
  const unlimited = await redeem(await started({}));
  assertRefused(await refreshBy(unlimited, ORDERS), 400, 'invalid_target');
  assert.equal((await refreshBy(unlimited)).status, 200);
});

test('a grant stays limited when its resource servers change, and both doors refresh it', async () => {
  const pair = await redeem(await started({ scope: 'orders:read' }, ORDERS));
  await service.put(resourceServers, aResourceServer({ enabled: false }));
  const again = await refreshBy(pair, ORDERS);
  assert.equal(again.json['scope'], 'orders:read', again.text);
  assert.equal((await refresh(ada, String(again.json['refresh_token']))).status, 200);
  await service.put(resourceServers, aResourceServer());
});

test('operators see what a grant is limited to, in the grant and in the event log', async () => {
  await redeem(await started({ scope: 'orders:read stock:read' }, STOCK, ORDERS));
  const { store } = service.ports;
  const issued = (await store.newestEvents({ count: 10 })).findLast((event) => event.type === 'issued');
  assert.equal(issued?.detail.resource, `${ORDERS} ${STOCK}`);
  const shown = await showGrant(issued?.subjectId ?? '', { store });
  assert.equal(shown.ok && shown.value.resource, `${ORDERS} ${STOCK}`);
});

test('a retry of a refresh gets the same pair with resource too [RFC 6749 10.4]', async () => {
  const pair = await redeem(await started({}, ORDERS));
  const first = await refreshBy(pair, ORDERS);
  assert.equal((await refreshBy(pair, ORDERS)).json['refresh_token'], first.json['refresh_token']);
  assert.equal((await refreshBy(pair)).json['refresh_token'], first.json['refresh_token']);
});

test('only resource may be repeated', async () => {
  assertRefused(await postForm(ada, TOKEN, 'client_id=a&scope=a&scope=b'), 400, 'invalid_request');
});

test('the reserved resource is served by nobody, so resource never names it', async () => {
  const reserved = clientId('reserved-target');
  await service.register(anIntegration({ clientId: reserved, scope: scopeOf('orders:read;tessera:admin') }));
  const fields = { ...BY_CERTIFICATE, client_id: reserved, scope: 'tessera:admin orders:read' };
  assert.equal((await post(TOKEN, fields, ORDERS)).json['scope'], 'orders:read');
});
