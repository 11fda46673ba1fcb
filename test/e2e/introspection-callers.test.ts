// Introspection (RFC 7662): who may ask.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Audience, ResourceServer, ResourceServerId } from '../../src/core/resource-server.ts';
import { dropOldSecret, makeResourceServerSecret } from '../../src/operations/admin/secrets.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { changeResourceServer, removeResourceServer } from '../administer.ts';
import { given } from '../given.ts';
import { ADA, anIntegration, aResourceServer, OPERATOR, ORDERS_AUDIENCE, scopeOf } from '../samples.ts';
import { bearer } from './caller.ts';
import {
  INACTIVE,
  INTROSPECT,
  IntrospectionScene,
  ORDERS,
  ORDERS_SECRET_HASH,
  ordersServer,
  STOCK,
  STOCK_AUDIENCE,
  stockServer,
} from './introspection-scene.ts';
import { assertRefused, basic, type Fields, postForm } from './oauth-steps.ts';
import { registryFollows } from './registry-follows.ts';
import { clientId, PUBLIC_URL, startService } from './service.ts';
import { CLIENT, pairByCertificate, revoke } from './steps.ts';

const scene = given(() => IntrospectionScene.open({ signing: 'ES256' }));

const feed = (accessToken: string) => scene.stranger.ask({ path: '/oauth2/revocations', ...bearer(accessToken) });

suite('who may ask', () => {
  test('[RFC 7662 2.1] by client_secret_basic or client_secret_post', async () => {
    const { access_token: token } = await pairByCertificate(scene.ada);
    await scene.activeAnswer(token);
    const fields = { token, client_id: ORDERS.id, client_secret: ORDERS.secret };
    assert.equal((await postForm(scene.stranger, INTROSPECT, fields)).json['active'], true);
    const both = await postForm(
      scene.stranger,
      INTROSPECT,
      { token, client_id: ORDERS.id },
      basic(ORDERS.id, ORDERS.secret),
    );
    assert.equal(both.json['active'], true, 'client_id in both places');
  });

  test('[RFC 7662 2.1, 2.3] without proof, or with a wrong one: 401 with WWW-Authenticate, for a good token and a bad one', async () => {
    const { access_token } = await pairByCertificate(scene.ada);
    const wrong: [Fields, Fields][] = [
      [{}, {}],
      [{ client_id: ORDERS.id }, {}],
      [{ client_id: ORDERS.id, client_secret: 'tsc_wrong' }, {}],
      [{ client_id: ORDERS.id, client_assertion: 'x.y.z' }, {}],
      [{}, basic(ORDERS.id)],
      [{}, basic(ORDERS.id, STOCK.secret)],
      [{}, basic(ORDERS.id, ORDERS_SECRET_HASH)],
      [{}, basic('ORDERS-API', ORDERS.secret)],
      [{}, basic('nobody', ORDERS.secret)],
      [{}, basic(CLIENT, '')],
      [{}, basic(ORDERS_AUDIENCE, ORDERS.secret)],
      [{}, { authorization: 'Basic' }],
      [{}, { authorization: 'Basic ???' }],
      [{}, { authorization: `Digest ${ORDERS.secret}` }],
    ];
    for (const [fields, headers] of wrong) {
      for (const token of [access_token, 'x']) {
        const answer = await postForm(scene.stranger, INTROSPECT, { token, ...fields }, headers);
        assertRefused(answer, 401, 'invalid_client');
        assert.equal(answer.headers['www-authenticate'], 'Basic realm="tessera"');
      }
    }
  });

  test('an unknown id and a wrong secret get the same answer: ids cannot be collected', async () => {
    const [known, unknown] = [
      await scene.introspect('x', { ...ORDERS, secret: 'x' }),
      await scene.introspect('x', { id: 'nobody', secret: 'x' }),
    ];
    assert.equal(known.text, unknown.text);
    assert.deepEqual(Object.keys(known.headers).sort(), Object.keys(unknown.headers).sort());
  });

  test('[RFC 6749 2.3] two proofs in one request, or two ids, are invalid_request; so is a missing token', async () => {
    const header = basic(ORDERS.id, ORDERS.secret);
    const twice = { token: 'x', client_id: ORDERS.id, client_secret: ORDERS.secret };
    assertRefused(await postForm(scene.stranger, INTROSPECT, twice, header), 400, 'invalid_request');
    assertRefused(
      await postForm(scene.stranger, INTROSPECT, { token: 'x', client_id: STOCK.id }, header),
      400,
      'invalid_request',
    );
    assertRefused(await postForm(scene.stranger, INTROSPECT, { token: '' }, header), 400, 'invalid_request');
    assertRefused(await scene.stranger.ask({ path: INTROSPECT }), 405, 'invalid_request');
  });

  test('a resource server proves itself by the certificate of the identity that speaks for it [RFC 8705 2.1]', async () => {
    const { access_token: token } = await pairByCertificate(scene.ada);
    await scene.service.put(resourceServers, stockServer({ id: 'by-identity' as ResourceServerId, identity: ADA }));
    await registryFollows();
    for (const fields of [{ token }, { token, client_id: 'by-identity' }]) {
      const answer = await postForm(scene.ada, INTROSPECT, fields);
      assert.deepEqual([answer.json['active'], answer.json['aud']], [true, STOCK_AUDIENCE]);
    }
    assertRefused(await postForm(scene.ada, INTROSPECT, { token, client_id: ORDERS.id }), 401, 'invalid_client');
    const mallory = scene.service.caller(scene.service.authority.issue({ commonName: 'mallory' }));
    const unknown = scene.service.caller(scene.service.authority.issue({ commonName: 'nobody' }));
    for (const caller of [mallory, unknown]) {
      const refused = await postForm(caller, INTROSPECT, { token, client_id: 'by-identity' });
      caller.close();
      assertRefused(refused, 401, 'invalid_client');
      assert.equal(refused.headers['www-authenticate'], 'Basic realm="tessera"');
    }
    await scene.service.put(resourceServers, stockServer({ id: 'by-identity' as ResourceServerId, enabled: false }));
    await registryFollows();
  });

  test('or by an access token of that identity whose audience is this service, opaque or JWT [RFC 7662 2.1]', async () => {
    const { access_token: token } = await pairByCertificate(scene.ada);
    await scene.service.put(resourceServers, stockServer({ id: 'by-token' as ResourceServerId, identity: ADA }));
    for (const accessTokenFormat of ['opaque', 'jwt'] as const) {
      const client = `speaks-${accessTokenFormat}`;
      const scope = scopeOf('introspection:use;stock:read');
      await scene.service.register(anIntegration({ clientId: clientId(client), accessTokenFormat, scope }));
      const ask = (accessToken: string) =>
        postForm(scene.stranger, INTROSPECT, { token }, bearer(accessToken).headers as Fields);
      const own = await pairByCertificate(scene.ada, client, 'introspection:use');
      assert.equal((await ask(own.access_token)).json['aud'], STOCK_AUDIENCE);
      assert.equal((await feed(own.access_token)).status, 200);
      const asAnother = { token, client_id: ORDERS.id };
      const ofOwn = bearer(own.access_token).headers as Fields;
      assertRefused(await postForm(scene.stranger, INTROSPECT, asAnother, ofOwn), 401, 'invalid_client');
      const ofStock = await pairByCertificate(scene.ada, client, 'stock:read');
      const ofBoth = await pairByCertificate(scene.ada, client, 'introspection:use;stock:read');
      const fields = { grant_type: 'client_credentials', client_id: CLIENT, resource: ORDERS_AUDIENCE };
      const limited = String((await postForm(scene.ada, '/oauth2/token', fields)).json['access_token']);
      await revoke(scene.stranger, own.access_token);
      const others = [
        ofStock.access_token,
        ofBoth.access_token,
        limited,
        own.access_token,
        own.refresh_token,
        'x',
        ORDERS.secret,
      ];
      for (const accessToken of others) {
        for (const refused of [await ask(accessToken), await feed(accessToken)]) {
          assertRefused(refused, 401, 'invalid_client');
          assert.equal(refused.headers['www-authenticate'], 'Bearer realm="tessera", error="invalid_token"');
        }
      }
    }
    await scene.service.put(resourceServers, stockServer({ id: 'by-token' as ResourceServerId, enabled: false }));
    await registryFollows();
  });

  test('a token for a resource server that was disabled or removed speaks for nobody', async () => {
    const admin = { ...scene.service.ports, by: OPERATOR, issuer: PUBLIC_URL };
    const put = (id: string, difference: Partial<ResourceServer>) =>
      scene.service.put(resourceServers, stockServer({ id: id as ResourceServerId, ...difference }));
    await put('parcels-api', { audience: 'urn:parcels' as Audience, resources: ['parcels'] });
    await put('by-other', { identity: ADA });
    for (const accessTokenFormat of ['opaque', 'jwt'] as const) {
      const scope = scopeOf('introspection:use;parcels:read');
      const client = `parcels-${accessTokenFormat}`;
      await scene.service.register(anIntegration({ clientId: clientId(client), accessTokenFormat, scope }));
    }
    const end = [
      () => changeResourceServer('parcels-api', { enabled: false }, admin),
      () => removeResourceServer('parcels-api', { isConfirmed: true }, admin),
    ];
    for (const act of end) {
      const clients = ['parcels-opaque', 'parcels-jwt'];
      const earlier = await Promise.all(clients.map((each) => pairByCertificate(scene.ada, each, 'parcels:read')));
      assert.ok((await act()).ok);
      await registryFollows();
      const later = await Promise.all(clients.map((each) => pairByCertificate(scene.ada, each, 'parcels:read')));
      for (const { access_token } of [...earlier, ...later])
        assertRefused(await feed(access_token), 401, 'invalid_client');
    }
    const own = await pairByCertificate(scene.ada, 'parcels-opaque', 'introspection:use');
    assert.equal((await feed(own.access_token)).status, 200);
    await put('by-other', { enabled: false });
    await registryFollows();
  });

  test('a token that is bound to a certificate speaks for nobody without this certificate [RFC 8705 3]', async () => {
    const { access_token: token } = await pairByCertificate(scene.ada);
    await scene.service.put(resourceServers, stockServer({ id: 'by-bound' as ResourceServerId, identity: ADA }));
    const client = 'speaks-bound';
    const scope = scopeOf('introspection:use');
    await scene.service.register(anIntegration({ clientId: clientId(client), binding: 'certificate', scope }));
    const own = await pairByCertificate(scene.ada, client, 'introspection:use');
    const headers = bearer(own.access_token).headers as Fields;
    assert.equal((await postForm(scene.ada, INTROSPECT, { token }, headers)).json['aud'], STOCK_AUDIENCE);
    const sibling = scene.service.authority.issue({ commonName: 'ada' });
    const other = scene.service.caller(sibling);
    for (const caller of [scene.stranger, other])
      assertRefused(await postForm(caller, INTROSPECT, { token }, headers), 401, 'invalid_client');
    other.close();
    await scene.service.put(resourceServers, stockServer({ id: 'by-bound' as ResourceServerId, enabled: false }));
    await registryFollows();
  });

  test('a certificate of an issuer that is limited to integrations proves no resource server', async () => {
    await using limited = await startService({ issuers: [{ integrations: [clientId(CLIENT)] }] });
    const caller = limited.caller(limited.ada);
    await limited.put(resourceServers, aResourceServer({ identity: ADA }));
    await registryFollows();
    assertRefused(await postForm(caller, INTROSPECT, { token: 'x' }), 401, 'invalid_client');
  });

  test('a disabled resource server is refused within a second, and answered again once it is enabled', async () => {
    const { access_token: token } = await pairByCertificate(scene.ada);
    const admin = { ...scene.service.ports, by: OPERATOR, issuer: PUBLIC_URL };
    const disabled = await changeResourceServer(STOCK.id, { enabled: false }, admin);
    assert.ok(disabled.ok, JSON.stringify(disabled));
    await registryFollows();
    assertRefused(await scene.introspect(token, STOCK), 401, 'invalid_client');
    await changeResourceServer(STOCK.id, { enabled: true }, admin);
    await scene.activeAnswer(token, STOCK);
  });
});

test('a secret is replaced without an interruption: two are valid, until the old one is dropped', async () => {
  const { access_token: token } = await pairByCertificate(scene.ada);
  const admin = { ...scene.service.ports, by: OPERATOR };
  await scene.service.put(
    resourceServers,
    aResourceServer({ id: 'rotating' as ResourceServerId, audience: 'urn:r' as Audience }),
  );
  const make = async (replaces = false) => {
    const made = await makeResourceServerSecret('rotating', { replaces }, admin);
    return made.ok ? made.value.reveal() : made.refusal.reason;
  };
  const isValid = async (secret: string) => (await scene.introspect(token, { id: 'rotating', secret })).status === 200;
  const [first, second] = [await make(), await make()];
  assert.match(first, /^tsc_[A-Za-z0-9_-]{43}$/);
  assert.deepEqual([await isValid(first), await isValid(second)], [true, true]);
  assert.equal(await make(), 'secrets-exhausted');
  assert.ok((await dropOldSecret('rotating', admin)).ok);
  await registryFollows();
  assert.deepEqual([await isValid(first), await isValid(second)], [false, true]);
  const third = await make(true);
  await registryFollows();
  assert.deepEqual([await isValid(second), await isValid(third)], [false, true]);
});

test('guessing secrets is limited by address: 429 with Retry-After; the right secret is still answered', async () => {
  const limits = { requestsPerAddress: { perMinute: 6, burst: 3 } };
  await using limited = await startService({ settings: { limits } });
  const caller = limited.caller(limited.ada);
  await limited.put(resourceServers, ordersServer(limited));
  await registryFollows();
  const guess = (n: number) => scene.introspect('x', { id: ORDERS.id, secret: `tsc_${n}` }, caller);
  for (let n = 0; n < 3; n++) assertRefused(await guess(n), 401, 'invalid_client');
  const refused = await guess(3);
  assertRefused(refused, 429, 'slow_down');
  assert.ok(Number(refused.headers['retry-after']) >= 1);
  assertRefused(await postForm(caller, INTROSPECT, { token: 'x' }, basic(ORDERS.id)), 429, 'slow_down');
  for (let n = 0; n < 10; n++) assert.equal((await scene.introspect('x', ORDERS, caller)).text, INACTIVE);
});

test('introspections are limited like other checks of tokens', async () => {
  await using limited = await startService({ settings: { limits: { checksPerAddress: { perMinute: 1, burst: 2 } } } });
  const caller = limited.caller();
  await limited.put(resourceServers, ordersServer(limited));
  for (let n = 0; n < 2; n++) assert.equal((await scene.introspect('x', ORDERS, caller)).status, 200);
  assertRefused(await scene.introspect('x', ORDERS, caller), 429, 'slow_down');
});
