// What every request to the standard door has in common: a log line that says whose it was, and one place in the limit of its address.
// And how long what opened a stream proves its resource server.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { suite, type TestContext, test } from 'node:test';
import type { ResourceServer, ResourceServerId } from '../../../src/core/resource-server.ts';
import { isStillProven } from '../../../src/doors/oauth/introspect.ts';
import type { OauthCall } from '../../../src/doors/oauth/mount.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { systemRandom } from '../../../src/system.ts';
import { drawResourceServerSecret } from '../../../src/tokens/resource-server-secret.ts';
import type { Answer } from '../../e2e/caller.ts';
import { ClientScene, ROBOT, TOKEN } from '../../e2e/client-scene.ts';
import { dpopKey } from '../../e2e/dpop-steps.ts';
import { INTROSPECT, ORDERS } from '../../e2e/introspection-scene.ts';
import { CERTIFICATE, DEVICE, REVOKE } from '../../e2e/oauth-scene.ts';
import { assertRefused, basic, type Fields } from '../../e2e/oauth-steps.ts';
import { clientId, PUBLIC_URL } from '../../e2e/service.ts';
import { CLIENT, confirm } from '../../e2e/steps.ts';
import { eventually } from '../../eventually.ts';
import { given } from '../../given.ts';
import { ADA, anIntegration, aResourceServer, NOW } from '../../samples.ts';

const PLATFORM = {
  client_assertion: `e30.${Buffer.from('{"iss":"https://ci.example"}').toString('base64url')}.AA`,
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
};
const ASSERTION = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'x' };
const EXCHANGE = {
  grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
  subject_token: 'x',
  subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
};
const JWT = 'urn:ietf:params:oauth:token-type:jwt';
const CODE = { grant_type: 'authorization_code', code: 'x', redirect_uri: 'http://127.0.0.1/', code_verifier: 'x' };

suite('the log line of a request', () => {
  const scene = given(() => ClientScene.open());

  const lines = () => scene.service.logLines.filter((line) => line.includes('"msg":"request"'));
  async function logged(sent: () => Promise<Answer>): Promise<readonly [Record<string, unknown>, Answer]> {
    const known = lines().length;
    const answer = await sent();
    await eventually('it is logged', () => lines().length > known);
    const { operation, outcome, clientId, identityId, grantId, resourceServer, reason } = JSON.parse(
      lines()[known] ?? '',
    );
    const said = { operation, outcome, clientId, identityId, resourceServer, reason, hasGrant: grantId !== undefined };
    return [Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)), answer];
  }
  const post = (path: string, fields: Fields, headers: Fields = {}, caller = scene.stranger) =>
    logged(() => scene.post(path, fields, headers, caller));
  const accepted = { outcome: 'accepted', clientId: CLIENT, identityId: ADA, hasGrant: true };

  test('that made or ended a grant names its integration, its identity and itself', async () => {
    const [certified] = await post(TOKEN, CERTIFICATE, {}, scene.ada);
    assert.deepEqual(certified, { ...accepted, operation: 'authorize-certificate' });
    const started = await scene.startedDevice();
    await confirm(scene.service, started);
    const [redeemed, { json: pair }] = await logged(() => scene.poll(started.device_code));
    assert.deepEqual(redeemed, { ...accepted, operation: 'redeem' });
    const [refreshed, { json: next }] = await logged(() => scene.refreshBy(String(pair['refresh_token'])));
    assert.deepEqual(refreshed, { ...accepted, operation: 'refresh' });
    const token = String(next['access_token']);
    const [seen] = await post(INTROSPECT, { token }, basic(ORDERS.id, ORDERS.secret));
    assert.deepEqual(seen, { ...accepted, operation: 'introspect', resourceServer: ORDERS.id });
    const [revoked] = await post(REVOKE, { client_id: CLIENT, token });
    assert.deepEqual(revoked, { ...accepted, operation: 'revoke' });
    const [own] = await logged(() => scene.byKey());
    const identityId = `integration:${hash('sha256', `integration\0${ROBOT}`).slice(0, 32)}`;
    assert.deepEqual(own, { ...accepted, operation: 'authorize-client', clientId: ROBOT, identityId });
  });

  test('without a grant names its integration, and who asked', async () => {
    const outcome = { outcome: 'accepted', hasGrant: false };
    const [started] = await post(DEVICE, { client_id: CLIENT });
    assert.deepEqual(started, { ...outcome, operation: 'authorize-device', clientId: CLIENT });
    const [revoked] = await post(REVOKE, { client_id: CLIENT, token: 'x' });
    assert.deepEqual(revoked, { ...outcome, operation: 'revoke', clientId: CLIENT });
    const [inactive] = await post(INTROSPECT, { token: 'x' }, basic(ORDERS.id, ORDERS.secret));
    assert.deepEqual(inactive, { ...outcome, operation: 'introspect', resourceServer: ORDERS.id });
    const [snapshot] = await logged(() =>
      scene.stranger.ask({ path: '/oauth2/revocations', headers: basic(ORDERS.id, ORDERS.secret) }),
    );
    assert.deepEqual(snapshot, { ...outcome, operation: 'snapshot-revocations', resourceServer: ORDERS.id });
  });

  test('names an integration at once after it was added', async () => {
    const flows = { device: true, certificate: true, assertion: true };
    for (const [id, path, fields, caller] of [
      ['added-for-devices', DEVICE, {}, scene.stranger],
      ['added-for-certificates', TOKEN, CERTIFICATE, scene.ada],
      ['added-for-assertions', TOKEN, ASSERTION, scene.stranger],
    ] as const) {
      await scene.service.put(integrations, anIntegration({ clientId: clientId(id), flows }));
      const [{ clientId: named }] = await post(path, { ...fields, client_id: id }, {}, caller);
      assert.equal(named, id);
    }
  });

  for (const [operation, reason, fields] of [
    ['redeem-code', 'code-flow-disabled', CODE],
    ['authorize-assertion', 'assertion-flow-disabled', ASSERTION],
    ['authorize-assertion', 'assertion-flow-disabled', { ...CERTIFICATE, ...PLATFORM }],
    ['authorize-assertion', 'assertion-flow-disabled', { ...EXCHANGE, subject_token_type: JWT }],
    ['exchange', 'client-authentication-required', EXCHANGE],
    ['authorize-token', 'grant-type-missing', {}],
  ] as const)
    test(`that was refused says why: ${operation} by ${Object.values(fields).join(', ').slice(0, 60)}`, async () => {
      const [refused] = await post(TOKEN, { client_id: CLIENT, ...fields });
      assert.deepEqual(refused, { operation, outcome: 'refused', reason, clientId: CLIENT, hasGrant: false });
    });
});

test('the assertion of a platform proves no integration: only client_credentials takes it in this place', async () => {
  await using scene = await ClientScene.open();
  for (const [path, fields] of [
    [DEVICE, {}],
    [REVOKE, { token: 'x' }],
    [TOKEN, { grant_type: 'refresh_token', refresh_token: 'x' }],
    [TOKEN, CODE],
  ] as const)
    assertRefused(await scene.post(path, { client_id: CLIENT, ...fields, ...PLATFORM }), 401, 'invalid_client');
  const byPlatform = await scene.post(TOKEN, { ...CERTIFICATE, ...PLATFORM });
  assertRefused(byPlatform, 400, 'unauthorized_client');
});

suite('the limit of an address', () => {
  async function limited(t: TestContext, burst: number): Promise<ClientScene> {
    const limits = { requestsPerAddress: { perMinute: 1, burst } };
    const scene = await ClientScene.open({ settings: { limits } });
    t.after(() => scene.close());
    return scene;
  }

  test('counts every request once, whatever is wrong with it, and then refuses each', async (t) => {
    const key = await dpopKey();
    const requests: readonly (readonly [path: string, fields: Fields, headers?: Fields])[] = [
      [TOKEN, {}],
      [TOKEN, { client_id: CLIENT }],
      [TOKEN, CERTIFICATE],
      [TOKEN, { ...CERTIFICATE, client_secret: 'wrong' }],
      [TOKEN, { ...CERTIFICATE, ...PLATFORM }],
      [TOKEN, { client_id: CLIENT, ...ASSERTION }],
      [TOKEN, { client_id: CLIENT, ...EXCHANGE }],
      [TOKEN, CERTIFICATE, { dpop: await key.proof({ htu: `${PUBLIC_URL}/other` }) }],
      [TOKEN, CERTIFICATE, { dpop: await key.proof({ htu: `${PUBLIC_URL}${TOKEN}` }) }],
      [DEVICE, { client_id: CLIENT }],
      [DEVICE, { client_id: 'nobody' }],
      [INTROSPECT, { token: 'x' }],
      [INTROSPECT, { token: 'x' }, basic(ORDERS.id, 'wrong')],
    ];
    const scene = await limited(t, requests.length);
    for (const [path, fields, headers] of requests)
      assert.notEqual((await scene.post(path, fields, headers)).status, 429, JSON.stringify([path, fields]));
    for (const [path, fields, headers] of requests)
      assertRefused(await scene.post(path, fields, headers), 429, 'slow_down');
  });

  test('hides no grant that has ended, and a token that is checked has a limit of its own', async (t) => {
    const scene = await limited(t, 4);
    const [alive, dead] = [await scene.pairByDevice(), await scene.pairByDevice()];
    const token = dead['access_token'] ?? '';
    assert.equal((await scene.post(REVOKE, { client_id: CLIENT, token })).status, 200);
    assertRefused(await scene.post(TOKEN, {}), 429, 'slow_down');
    assertRefused(await scene.refreshBy(dead['refresh_token']), 400, 'invalid_grant');
    assertRefused(await scene.refreshBy(alive['refresh_token']), 429, 'slow_down');
    await scene.assertInactive(token);
    await scene.activeAnswer(alive['access_token'] ?? '');
  });

  test('is not that of an integration: this has one for tokens, and one for devices', async () => {
    const limits = { requestsPerIntegration: { perMinute: 1, burst: 2 } };
    await using scene = await ClientScene.open({ settings: { limits } });
    const { refresh_token } = await scene.pairByDevice();
    const { json: next } = await scene.refreshBy(refresh_token);
    assertRefused(await scene.refreshBy(String(next['refresh_token'])), 429, 'slow_down');
    assertRefused(await scene.post(TOKEN, CERTIFICATE, {}, scene.ada), 429, 'slow_down');
    await scene.startedDevice();
    assertRefused(await scene.post(DEVICE, { client_id: CLIENT }), 429, 'slow_down');
    assert.equal((await scene.post(DEVICE, { client_id: 'other-sync' })).status, 200);
  });
});

test('a resource server is proven as long as its secret is its own, and it is the one that asked', async () => {
  const { secret, hash } = drawResourceServerSecret(systemRandom);
  const server = aResourceServer({ secrets: [{ hash, createdAt: NOW }] });
  const proven = (headers: object, known: readonly ResourceServer[], asked = server) => {
    const registry = { resourceServers: known, lookForResourceServers: async () => known };
    const presentation = { presented: { by: 'nothing' }, requestId: 'r' };
    const call = { request: { headers }, presentation, mount: { ports: { registry } } };
    return isStillProven(asked, {}, call as unknown as OauthCall);
  };
  const proof = basic(server.id, secret.reveal());
  assert.equal(await proven(proof, [server]), true);
  for (const [what, headers, known, asked] of [
    ['another secret', proof, [{ ...server, secrets: [] }], server],
    ['disabled', proof, [{ ...server, enabled: false }], server],
    ['another server', proof, [server], { ...server, id: 'another' as ResourceServerId }],
    ['no proof', {}, [server], server],
  ] as const)
    assert.equal(await proven(headers, known, asked), false, what);
});
