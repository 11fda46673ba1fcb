// Who may decide about a device, and how the states of the contract are reached.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Integration } from '../../../src/core/integration.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { registryFollows } from '../../e2e/registry-follows.ts';
import { post, startCode, verdict } from './calling-device.ts';
import { BOB, ORDERS, type RunningService, startService } from './running-service.ts';
import { signedIn } from './visitor.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

/** In force once every node has read it again. */
async function changeIntegration(difference: Partial<Integration>): Promise<void> {
  await service.store.change(integrations, ORDERS.clientId, () => ({
    outcome: undefined,
    next: { ...ORDERS, ...difference },
  }));
  await registryFollows();
}

suite('who may confirm', () => {
  test('only the browser session that entered the code confirms or denies it', async () => {
    const code = await startCode(service);
    const ada = await signedIn(service);
    const path = await ada.enterCode(code.userCode);
    for (const other of [await signedIn(service, 'bob'), await signedIn(service, 'ada')]) {
      await other.get('/account');
      assert.equal((await other.get(path)).status, 403);
      assert.equal((await other.post(`${path}/confirm`)).status, 403);
      assert.equal((await other.post(`${path}/deny`)).status, 403);
      assert.equal((await other.post('/device', { user_code: code.userCode })).status, 403);
    }
    assert.equal(await verdict(service, code), 'authorization_pending');
    await ada.get(path);
    assert.equal((await ada.post(`${path}/confirm`)).status, 303);
    assert.equal(await verdict(service, code), 'ok');
  });

  test('no GET confirms, denies, revokes or signs out', async () => {
    const code = await startCode(service);
    const ada = await signedIn(service);
    const path = await ada.enterCode(code.userCode);
    for (const tail of ['/confirm', '/deny']) assert.equal((await ada.get(path + tail)).status, 405);
    assert.equal((await ada.get('/account/sign-out')).status, 405);
    assert.equal(await verdict(service, code), 'authorization_pending');
  });
});

suite('deny, back, confirm', () => {
  test('a decision is final, whatever is sent afterwards', async () => {
    const code = await startCode(service);
    const ada = await signedIn(service);
    const path = await ada.enterCode(code.userCode);
    await ada.post(`${path}/deny`);
    assert.equal((await ada.post(`${path}/confirm`)).status, 409);
    assert.equal((await ada.post('/device', { user_code: code.userCode })).status, 409);
    assert.equal(await verdict(service, code), 'unauthorized_client');
  });
});

suite('device states of the contract', () => {
  test('disabled server-wide → invalid_client at the start', async () => {
    const off = await startService({ sets: ['device.enabled=false'] });
    try {
      const { body } = await post(off, '/authsvc/Authorize/Device', { client_id: 'orders-sync', scope: 'orders:read' });
      assert.equal(body['Error'], 'invalid_client');
    } finally {
      await off.stop();
    }
  });

  test('switched off while a code is pending → invalid_client; the page says why and offers only Deny', async () => {
    const code = await startCode(service);
    const ada = await signedIn(service);
    const path = await ada.enterCode(code.userCode);
    await changeIntegration({ flows: { device: false, certificate: true } });
    const { text } = await ada.get(path);
    assert.match(text, /Confirming devices is switched off/);
    assert.doesNotMatch(text, /\/confirm"/);
    assert.equal((await ada.post(`${path}/confirm`)).status, 403);
    assert.equal(await verdict(service, code), 'invalid_client');
    await changeIntegration({});
  });

  test('identity no longer allowed after it confirmed → unauthorized_client', async () => {
    const code = await startCode(service);
    const ada = await signedIn(service);
    await ada.post(`${await ada.enterCode(code.userCode)}/confirm`);
    await changeIntegration({ access: { to: 'named', identities: [BOB.id], groups: [] } });
    assert.equal(await verdict(service, code), 'unauthorized_client');
    await changeIntegration({});
  });

  test('failed sign-ins from a known browser spend the code → invalid_grant, and the page says so', async () => {
    const code = await startCode(service);
    const ada = await signedIn(service);
    await ada.get('/account');
    await ada.post('/account/sign-out');
    for (let tries = 0; tries < 5; tries++) {
      assert.equal(await verdict(service, code), 'authorization_pending');
      assert.equal((await ada.signIn('ada', 'wrong', { user_code: code.userCode })).status, 403);
    }
    assert.equal(await verdict(service, code), 'invalid_grant');
    await ada.signIn();
    await ada.get('/device');
    const { status, text } = await ada.post('/device', { user_code: code.userCode });
    assert.equal(status, 410);
    assert.match(text, /no longer works/);
    service.advance(900);
  });
});
