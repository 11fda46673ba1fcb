// Keys, secrets, DPoP and exchange of @tessera/client against the real service, and a real API that @tessera/verify protects.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { privateKey } from '../../../sdk/client/src/by/private-key.ts';
import { secret } from '../../../sdk/client/src/by/secret.ts';
import { exchange } from '../../../sdk/client/src/exchange.ts';
import { memoryStore } from '../../../sdk/client/src/store/memory-store.ts';
import { tokenSource } from '../../../sdk/client/src/token-source.ts';
import type { Guard } from '../../../sdk/verify/src/verify.ts';
import type { ResourceServerId } from '../../../src/core/resource-server.ts';
import { seconds } from '../../../src/core/time.ts';
import { addIntegrationKeys } from '../../../src/operations/admin/integration-keys.ts';
import { makeIntegrationSecret } from '../../../src/operations/admin/secrets.ts';
import { systemRandom } from '../../../src/system.ts';
import { ath, dpopKey } from '../../e2e/dpop-steps.ts';
import { registryFollows } from '../../e2e/registry-follows.ts';
import { clientId } from '../../e2e/service.ts';
import { pairByCertificate, verify } from '../../e2e/steps.ts';
import { given } from '../../given.ts';
import { anIntegration, OPERATOR } from '../../samples.ts';
import { startProtected } from '../verify/protected-api.ts';

const ROBOT = 'robot';
const { privateKey: own, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PEM = own.export({ type: 'pkcs8', format: 'pem' }).toString();
const PROOF_KEY = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

suite('@tessera/client: without a certificate and without a person', () => {
  let guard: Guard;
  let ports: Parameters<typeof makeIntegrationSecret>[2];
  const api = given(() => startProtected());
  before(async () => {
    guard = await api.guard();
    ports = { store: api.ports.store, by: OPERATOR, random: systemRandom };
    const flows = { device: false, certificate: false, secret: true };
    const resourceServer = 'orders-api' as ResourceServerId;
    await api.register(
      anIntegration({ clientId: clientId(ROBOT), flows, resourceServer, overrides: { refresh: true } }),
    );
    const exchange = [{ integration: clientId(ROBOT), scope: 'orders:read' }];
    await api.register(anIntegration({ exchange }));
    const added = await addIntegrationKeys(
      ROBOT,
      { file: publicKey.export({ type: 'spki', format: 'pem' }).toString() },
      ports,
    );
    assert.ok(added.ok);
    await registryFollows();
  });
  after(async () => {
    guard.close();
  });
  const usual = () => ({ server: api.issuer, clientId: ROBOT, ca: api.authority.pem, store: memoryStore() });

  test('by private key, refreshes included', async () => {
    const tokens = tokenSource({ ...usual(), by: privateKey({ key: PEM }) });
    const { refreshToken } = await tokens.login();
    assert.ok(refreshToken);
    assert.equal((await verify(api.holder, await tokens.get())).status, 200);
    await tokens.revoke();
  });

  test('by secret', async () => {
    const made = await makeIntegrationSecret(ROBOT, seconds(1000), ports);
    assert.ok(made.ok);
    await registryFollows();
    const tokens = tokenSource({ ...usual(), by: secret({ secret: made.value.secret.reveal() }) });
    assert.equal((await verify(api.holder, await tokens.get())).status, 200);
    const wrong = tokenSource({ ...usual(), by: secret({ secret: `${made.value.secret.reveal()}x` }) });
    await assert.rejects(wrong.get(), /Check clientId\. Ask the operator for a new secret/);
  });

  test('DPoP: the API takes the token with its proof only', async () => {
    let bound = guard;
    const server = createServer((request, response) => {
      const checked = bound.require('orders:read')(request, response);
      void checked.then((isAllowed) => isAllowed && response.end(bound.caller(request).identity));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const url = `${origin}/orders?page=2`;
    bound = await api.guard({ origin });
    try {
      const tokens = tokenSource({ ...usual(), by: privateKey({ key: PEM }), dpop: PROOF_KEY });
      const answer = await tokens.fetch(url);
      assert.deepEqual([answer.status, (await answer.text()).split(':')[0]], [200, 'integration']);
      const token = await tokens.get();
      const bare = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      assert.equal(bare.status, 401);
      assert.match(bare.headers.get('www-authenticate') ?? '', /^DPoP error="invalid_dpop_proof"/);
      const other = await dpopKey();
      const dpop = await other.proof({ htm: 'GET', htu: url, ath: ath(token) });
      const swapped = await fetch(url, { headers: { authorization: `DPoP ${token}`, dpop } });
      assert.equal(swapped.status, 401);
    } finally {
      bound.close();
      server.close();
    }
  });

  test('attacks on a proof at the API: replay, another address, method or token, an old one', async () => {
    const tokens = tokenSource({ ...usual(), by: privateKey({ key: PEM }), dpop: PROOF_KEY });
    const token = await tokens.get();
    const { Dpop } = await import('../../../sdk/client/src/dpop.ts');
    const keys = new Dpop(PROOF_KEY);
    const url = 'https://orders.example/orders';
    const call = (proof: string, difference = {}) =>
      guard.check(token, { dpop: { proof, method: 'GET', url, ...difference } }).then(({ ok }) => ok);
    const good = keys.proof('GET', url, token);
    assert.equal(await call(good), true);
    assert.equal(await call(good), false, 'replay');
    assert.equal(await call(keys.proof('GET', url, token), { url: 'https://orders.example/admin' }), false);
    assert.equal(await call(keys.proof('GET', url, token), { method: 'DELETE' }), false);
    assert.equal(await call(keys.proof('GET', url, 'another token')), false);
    assert.equal(await call(keys.proof('GET', url)), false);
    assert.equal((await guard.check(token)).ok, false);
  });

  test('DPoP: an answer with a token that is not bound is refused', async () => {
    const answers = createServer((request, response) => {
      const issuer = `http://127.0.0.1:${(answers.address() as AddressInfo).port}`;
      const metadata = { issuer, token_endpoint: `${issuer}/token` };
      const token = { access_token: 'x', token_type: 'Bearer', expires_in: 600 };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(request.url === '/token' ? token : metadata));
    });
    await new Promise<void>((resolve) => answers.listen(0, '127.0.0.1', resolve));
    const server = `http://127.0.0.1:${(answers.address() as AddressInfo).port}`;
    const options = { server, clientId: ROBOT, store: memoryStore(), by: privateKey({ key: PEM }) };
    assert.equal(await tokenSource(options).get(), 'x');
    const bound = tokenSource({ ...options, store: memoryStore(), dpop: PROOF_KEY });
    await assert.rejects(bound.get(), { reason: 'refused', message: /not bound/ });
    answers.close();
  });

  test('exchange: the token of a caller for one of the same person, for the next API', async () => {
    const { access_token } = await pairByCertificate(api.holder, 'orders-sync', 'orders:read');
    const next = await exchange({
      ...usual(),
      by: privateKey({ key: PEM }),
      token: access_token,
      scope: 'orders:read',
    });
    const { json } = await verify(api.holder, next.accessToken);
    assert.deepEqual([json['application'], json['scope']], [ROBOT, 'orders:read']);
    await assert.rejects(
      exchange({ ...usual(), by: privateKey({ key: PEM }), token: access_token, scope: 'stock:read' }),
      { reason: 'refused', error: 'invalid_scope' },
    );
  });
});
