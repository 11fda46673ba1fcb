// Clients that authenticate, exchange or send DPoP proofs, over their limits.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import type { ResourceServerId } from '../../src/core/resource-server.ts';
import { assertions } from '../../src/store/tables/attempts.ts';
import { platformKey } from '../platform.ts';
import { anIntegration } from '../samples.ts';
import { ClientScene, ROBOT, TOKEN } from './client-scene.ts';
import { dpopKey } from './dpop-steps.ts';
import { ORDERS } from './introspection-scene.ts';
import { assertRefused } from './oauth-steps.ts';
import { clientId, PUBLIC_URL } from './service.ts';

const BURST = 4;
const limit = { perMinute: 1, burst: BURST };

async function sceneWith(t: TestContext, limits: Record<string, unknown>): Promise<ClientScene> {
  const scene = await ClientScene.open({ signing: 'ES256', settings: { limits } });
  t.after(() => scene.close());
  return scene;
}

suite('limits of an address come before signatures', () => {
  test('an assertion over the limit is neither verified nor spent', async (t) => {
    const scene = await sceneWith(t, { requestsPerAddress: limit });
    const forger = await platformKey();
    for (let sent = 0; sent < BURST; sent++)
      assertRefused(await scene.byKey({}, {}, {}, forger), 401, 'invalid_client');
    assertRefused(await scene.byKey({}, {}, {}, forger), 429, 'slow_down');
    assertRefused(await scene.byKey(), 429, 'slow_down');
    assert.deepEqual(await scene.service.ports.store.page(assertions, { limit: 1 }), []);
  });

  test('a DPoP proof over the limit is not verified', async (t) => {
    const scene = await sceneWith(t, { requestsPerAddress: limit });
    const key = await dpopKey();
    const { jwk } = await dpopKey();
    const refresh = { grant_type: 'refresh_token', client_id: ROBOT, refresh_token: 'x' };
    const forged = async () => {
      const dpop = await key.proof({ htu: `${PUBLIC_URL}${TOKEN}`, iat: scene.service.now(), htm: 'GET' }, { jwk });
      return scene.post(TOKEN, refresh, { dpop });
    };
    for (let sent = 0; sent < BURST; sent++) assertRefused(await forged(), 400, 'invalid_dpop_proof');
    assertRefused(await forged(), 429, 'slow_down');
  });
});

test('exchanges count for the API that asks, not for the person: she may be over her cap', async (t) => {
  const scene = await sceneWith(t, { grantsPerIdentity: limit });
  await scene.registerRobot({ resourceServer: ORDERS.id as ResourceServerId });
  await scene.service.register(
    anIntegration({ exchange: [{ integration: clientId(ROBOT), scope: 'orders:read;stock:read' }] }),
  );
  let token = '';
  for (let made = 0; made < BURST; made++) token = (await scene.pairByDevice())['access_token'] ?? '';
  assert.equal((await scene.pairByDevice())['error'], 'slow_down');
  const exchange = async () =>
    scene.byKey({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    });
  for (let made = 0; made < BURST; made++) assert.equal((await exchange()).status, 200);
  assertRefused(await exchange(), 429, 'slow_down');
});
