// Generated secrets of integrations, made and ended by commands, used at a real service.
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { seconds } from '../../src/core/time.ts';
import { dropIntegrationSecrets, makeIntegrationSecret } from '../../src/operations/admin/secrets.ts';
import { systemRandom } from '../../src/system.ts';
import { anIntegration, OPERATOR } from '../samples.ts';
import { ClientScene } from './client-scene.ts';
import { assertRefused, basic } from './oauth-steps.ts';
import { registryFollows } from './registry-follows.ts';
import { clientId } from './service.ts';

const scene = await ClientScene.open({ log: { level: 'trace' } });
const { service } = scene;
after(() => scene.close());

const NAME = 'gateway';
const DAY = 86_400;
const flows = { device: false, certificate: false, secret: true };
const ports = { store: service.ports.store, by: OPERATOR, random: systemRandom };

async function make(days = 90): Promise<string> {
  const made = await makeIntegrationSecret(NAME, seconds(days * DAY), ports);
  assert.ok(made.ok, JSON.stringify(made));
  await registryFollows();
  return made.value.secret.reveal();
}

await service.register(anIntegration({ clientId: clientId(NAME), flows }));
const secret = await make(10);

suite('a generated secret', () => {
  test('works by client_secret_basic and client_secret_post', async () => {
    for (const answer of [
      await scene.asked({}, basic(NAME, secret)),
      await scene.asked({ client_id: NAME, client_secret: secret }),
    ])
      assert.equal(answer.status, 200, answer.text);
  });

  test('a wrong one, and one for an integration without secrets, is 401 with a challenge', async () => {
    const wrong = await scene.asked({}, basic(NAME, `${secret}x`));
    assertRefused(wrong, 401, 'invalid_client');
    assert.match(String(wrong.headers['www-authenticate']), /^Basic /);
    assertRefused(await scene.asked({}, basic('orders-sync', secret)), 401, 'invalid_client');
    assertRefused(await scene.asked({ client_id: NAME }), 401, 'invalid_client');
  });

  test('two at a time; the older one is dropped without an interruption', async () => {
    const newer = await make();
    assert.equal((await scene.asked({}, basic(NAME, secret))).status, 200);
    const third = await makeIntegrationSecret(NAME, seconds(DAY), ports);
    assert.equal(third.ok ? '' : third.refusal.reason, 'client-secrets-exhausted');
    await dropIntegrationSecrets(NAME, { all: false }, ports);
    await registryFollows();
    assertRefused(await scene.asked({}, basic(NAME, secret)), 401, 'invalid_client');
    assert.equal((await scene.asked({}, basic(NAME, newer))).status, 200);
    await dropIntegrationSecrets(NAME, { all: true }, ports);
  });

  test('needs an end within 180 days, and stops working then', async () => {
    for (const days of [0, 181]) {
      const made = await makeIntegrationSecret(NAME, seconds(days * DAY), ports);
      assert.equal(made.ok ? '' : made.refusal.reason, 'secret-lifetime-malformed');
    }
    assert.ok((await makeIntegrationSecret(NAME, seconds(180 * DAY), ports)).ok);
    await dropIntegrationSecrets(NAME, { all: true }, ports);
    const short = await make(1);
    assert.equal((await scene.asked({}, basic(NAME, short))).status, 200);
    service.pass(DAY);
    assertRefused(await scene.asked({}, basic(NAME, short)), 401, 'invalid_client');
  });

  test('is refused from other addresses than those required', async () => {
    const allowed = await make();
    const found = await service.ports.registry.findIntegration(NAME);
    assert.ok(found);
    await service.register({ ...found, secretAddresses: ['10.0.0.0/8', '2001:db8::/32'] });
    assertRefused(await scene.asked({}, basic(NAME, allowed)), 401, 'invalid_client');
    await service.register({ ...found, secretAddresses: ['10.0.0.0/8', '127.0.0.1'] });
    assert.equal((await scene.asked({}, basic(NAME, allowed))).status, 200);
  });

  test('is off unless the operator turned secrets on, also if one was made before', async () => {
    const made = await make();
    const found = await service.ports.registry.findIntegration(NAME);
    assert.ok(found);
    await service.register({ ...found, flows: { ...flows, secret: false } });
    assertRefused(await scene.asked({}, basic(NAME, made)), 401, 'invalid_client');
    await dropIntegrationSecrets(NAME, { all: true }, ports);
    const refused = await makeIntegrationSecret(NAME, seconds(DAY), ports);
    assert.equal(refused.ok ? '' : refused.refusal.reason, 'secret-flow-off');
  });

  test('attack: neither secrets nor assertions are in logs, events or the store', async () => {
    const client_assertion = await scene.signed();
    await scene.asked({ client_id: NAME, client_secret: secret });
    await scene.asked({ client_assertion, client_assertion_type: 'urn:x' });
    await scene.byKey();
    const events = await service.ports.store.newestEvents({ count: 200 });
    const rows = JSON.stringify([service.ports.registry.integrations, events]);
    for (const text of [service.logLines.join('\n'), rows])
      for (const canary of [secret.slice(4), client_assertion.split('.')[2] ?? '']) assert.ok(!text.includes(canary));
  });
});
