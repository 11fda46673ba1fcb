// Introspection (RFC 7662): who may ask, and what a resource server learns.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Audience, ResourceServer, ResourceServerId } from '../../src/core/resource-server.ts';
import { seconds } from '../../src/core/time.ts';
import { changeResourceServer } from '../../src/operations/admin/change-resource-server.ts';
import { dropOldSecret, makeResourceServerSecret } from '../../src/operations/admin/resource-server-secret.ts';
import { revokeById } from '../../src/operations/grant/revoke-grant.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { resourceServers } from '../../src/store/tables/registry.ts';
import { systemRandom } from '../../src/system.ts';
import { drawResourceServerSecret } from '../../src/tokens/resource-server-secret.ts';
import { ADA, anIdentity, anIntegration, aResourceServer, ORDERS_AUDIENCE } from '../samples.ts';
import { type Answer, bearer, type Caller, callerOver, PROTOCOLS, reachOf } from './caller.ts';
import { assertRefused, basic, type Fields, postForm } from './oauth-steps.ts';
import { clientId, MALLORY, PUBLIC_URL, registryFollows, startService, type TestService } from './service.ts';
import { CLIENT, forged, pairByCertificate, refreshed, revoke, SCOPE } from './steps.ts';

const INTROSPECT = '/oauth2/introspect';
const STOCK_AUDIENCE = 'urn:example:stock' as Audience;
const INACTIVE = '{"active":false}';

let service: TestService;
let stranger: Caller;
let ada: Caller;
const SECRETS = { orders: drawResourceServerSecret(systemRandom), stock: drawResourceServerSecret(systemRandom) };
const ORDERS = { id: 'orders-api', secret: SECRETS.orders.secret.reveal() };
const STOCK = { id: 'stock-api', secret: SECRETS.stock.secret.reveal() };

before(async () => {
  service = await startService();
  stranger = callerOver('HTTP/1.1', reachOf(service));
  ada = callerOver('HTTP/1.1', reachOf(service, service.ada));
  const made = (hash: ResourceServer['secrets'][number]['hash']) => [{ hash, createdAt: service.now() }];
  await service.put(resourceServers, aResourceServer({ secrets: made(SECRETS.orders.hash) }));
  await service.put(resourceServers, stockServer({ secrets: made(SECRETS.stock.hash) }));
  await registryFollows();
});

after(async () => {
  stranger.close();
  ada.close();
  await service.stop();
});

function stockServer(difference: Partial<ResourceServer> = {}): ResourceServer {
  return aResourceServer({
    id: 'stock-api' as ResourceServerId,
    audience: STOCK_AUDIENCE,
    resources: ['stock'],
    ...difference,
  });
}

function introspect(token: string, { id, secret } = ORDERS, caller = stranger): Promise<Answer> {
  return postForm(caller, INTROSPECT, { token }, basic(id, secret));
}

async function activeAnswer(token: string, server = ORDERS): Promise<Record<string, unknown>> {
  const answer = await introspect(token, server);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json['active'], true);
  return answer.json;
}

async function assertInactive(token: string, server = ORDERS): Promise<void> {
  const { status, text, headers } = await introspect(token, server);
  assert.deepEqual([status, text], [200, INACTIVE]);
  assert.equal(headers['cache-control'], 'no-store');
}

suite('what a resource server learns', () => {
  test('[RFC 7662 2.2] an answer about a live token has the fields that concern the resource server', async () => {
    const { access_token: token, expires } = await pairByCertificate(ada);
    const { jti, iat, ...rest } = await activeAnswer(token);
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
    assert.ok(Math.abs(Number(iat) - service.now()) < 60);
  });

  test('[RFC 7662 2.2] each resource server sees its own resources, and itself alone as audience', async () => {
    const { access_token: token } = await pairByCertificate(ada);
    const { scope, aud } = await activeAnswer(token, STOCK);
    assert.deepEqual([scope, aud], ['stock:read', STOCK_AUDIENCE]);
  });

  test('[RFC 7662 2.2] a token for one resource server tells another nothing', async () => {
    const { access_token: token } = await pairByCertificate(ada, CLIENT, 'orders:read');
    await activeAnswer(token, ORDERS);
    await assertInactive(token, STOCK);
  });

  test('[RFC 7662 4] a grant that is limited by resource is seen by those resource servers alone', async () => {
    const both = aResourceServer({
      id: 'gateway' as ResourceServerId,
      audience: 'https://gateway.example' as Audience,
    });
    const { secret, hash } = drawResourceServerSecret(systemRandom);
    await service.put(resourceServers, { ...both, secrets: [{ hash, createdAt: service.now() }] });
    const gateway = { id: both.id, secret: secret.reveal() };
    const fields = {
      grant_type: 'client_credentials',
      client_id: CLIENT,
      scope: 'orders:read',
      resource: both.audience,
    };
    const answer = await postForm(ada, '/oauth2/token', fields);
    assert.equal(answer.status, 200, answer.text);
    const token = String(answer.json['access_token']);
    assert.equal((await activeAnswer(token, gateway))['aud'], both.audience);
    await assertInactive(token, ORDERS);
    const unlimited = await pairByCertificate(ada, CLIENT, 'orders:read');
    await activeAnswer(unlimited.access_token, gateway);
    await activeAnswer(unlimited.access_token, ORDERS);
  });

  test('[RFC 7662 2.2] username names people only: identities that come from certificates have none', async (t) => {
    const derived = await startService({ issuers: [{ identities: 'derived' }] });
    const machine = callerOver('HTTP/1.1', reachOf(derived, derived.ada));
    t.after(() => derived.stop());
    t.after(() => machine.close());
    await derived.put(
      resourceServers,
      aResourceServer({ secrets: [{ hash: SECRETS.orders.hash, createdAt: derived.now() }] }),
    );
    const { access_token: token } = await pairByCertificate(machine);
    const { json } = await introspect(token, ORDERS, machine);
    assert.deepEqual([json['active'], json['username']], [true, undefined]);
    assert.match(String(json['sub']), /^example:[0-9a-f]{32}$/);
  });
});

suite('whatever is not a live access token for the resource server is {"active":false}', () => {
  test('[RFC 7662 2.2] what was never a token: text, a forged token, a JWT, a device code, a secret', async () => {
    const { access_token: token } = await pairByCertificate(ada);
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
      await assertInactive(text);
  });

  test('[RFC 7662 2.2] a refresh token, whatever token_type_hint says', async () => {
    const { refresh_token: token } = await pairByCertificate(ada);
    await assertInactive(token);
    const fields = { token, token_type_hint: 'refresh_token' };
    assert.equal((await postForm(stranger, INTROSPECT, fields, basic(ORDERS.id, ORDERS.secret))).text, INACTIVE);
  });

  test('[RFC 7662 2.2] a token whose grant was revoked, by its caller or by an operator', async () => {
    const first = await pairByCertificate(ada);
    await revoke(stranger, first.access_token);
    await assertInactive(first.access_token);
    const { access_token: token } = await pairByCertificate(ada);
    const [id = ''] = String((await activeAnswer(token))['jti']).split('.');
    await revokeById(id as never, 'by-operator', service.ports);
    await assertInactive(token);
  });

  test('[RFC 7662 2.2] an expired token; one of an ended grant; one superseded by a refresh', async (t) => {
    const overlapping = await startService({ settings: { tokens: { accessTokenOverlap: '0s' } } });
    const caller = callerOver('HTTP/1.1', reachOf(overlapping, overlapping.ada));
    t.after(() => overlapping.stop());
    t.after(() => caller.close());
    const secrets = [{ hash: SECRETS.orders.hash, createdAt: overlapping.now() }];
    await overlapping.put(resourceServers, aResourceServer({ secrets }));
    const first = await pairByCertificate(caller);
    const second = await refreshed(caller, first);
    assert.equal((await introspect(first.access_token, ORDERS, caller)).text, INACTIVE, 'superseded');
    assert.equal((await introspect(second.access_token, ORDERS, caller)).json['active'], true);
    overlapping.pass(90 * 86_400);
    assert.equal((await introspect(second.access_token, ORDERS, caller)).text, INACTIVE, 'expired');
    overlapping.pass(365 * 86_400);
    assert.equal((await introspect(second.access_token, ORDERS, caller)).text, INACTIVE, 'ended');
  });

  test('[RFC 7662 2.2] a token whose identity or integration is disabled, or whose integration was narrowed', async () => {
    const short = clientId('introspected');
    const integration = anIntegration({ clientId: short, overrides: { grantLifetime: seconds(3600) } });
    await service.register(integration);
    const { access_token: token } = await pairByCertificate(ada, short, SCOPE);
    await activeAnswer(token);
    await service.put(identities, anIdentity({ enabled: false }));
    await assertInactive(token);
    await service.put(identities, anIdentity());
    await service.register({ ...integration, enabled: false });
    await assertInactive(token);
    await service.register({ ...integration, scope: anIntegration().scope });
    assert.equal((await activeAnswer(token))['scope'], 'orders:read orders:write');
    await service.register({ ...integration, access: { to: 'named', identities: [MALLORY], groups: [] } });
    await assertInactive(token);
  });
});

suite('who may ask', () => {
  test('[RFC 7662 2.1] by client_secret_basic or client_secret_post', async () => {
    const { access_token: token } = await pairByCertificate(ada);
    await activeAnswer(token);
    const fields = { token, client_id: ORDERS.id, client_secret: ORDERS.secret };
    assert.equal((await postForm(stranger, INTROSPECT, fields)).json['active'], true);
    const both = await postForm(stranger, INTROSPECT, { token, client_id: ORDERS.id }, basic(ORDERS.id, ORDERS.secret));
    assert.equal(both.json['active'], true, 'client_id in both places');
  });

  test('[RFC 7662 2.1, 2.3] without proof, or with a wrong one: 401 with WWW-Authenticate, for a good token and a bad one', async () => {
    const { access_token } = await pairByCertificate(ada);
    const wrong: [Fields, Fields][] = [
      [{}, {}],
      [{ client_id: ORDERS.id }, {}],
      [{ client_id: ORDERS.id, client_secret: 'tsc_wrong' }, {}],
      [{ client_id: ORDERS.id, client_assertion: 'x.y.z' }, {}],
      [{}, basic(ORDERS.id)],
      [{}, basic(ORDERS.id, STOCK.secret)],
      [{}, basic(ORDERS.id, SECRETS.orders.hash)],
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
        const answer = await postForm(stranger, INTROSPECT, { token, ...fields }, headers);
        assertRefused(answer, 401, 'invalid_client');
        assert.equal(answer.headers['www-authenticate'], 'Basic realm="tessera"');
      }
    }
  });

  test('an unknown id and a wrong secret get the same answer: ids cannot be collected', async () => {
    const [known, unknown] = [
      await introspect('x', { ...ORDERS, secret: 'x' }),
      await introspect('x', { id: 'nobody', secret: 'x' }),
    ];
    assert.equal(known.text, unknown.text);
    assert.deepEqual(Object.keys(known.headers).sort(), Object.keys(unknown.headers).sort());
  });

  test('[RFC 6749 2.3] two proofs in one request, or two ids, are invalid_request; so is a missing token', async () => {
    const header = basic(ORDERS.id, ORDERS.secret);
    const twice = { token: 'x', client_id: ORDERS.id, client_secret: ORDERS.secret };
    assertRefused(await postForm(stranger, INTROSPECT, twice, header), 400, 'invalid_request');
    assertRefused(
      await postForm(stranger, INTROSPECT, { token: 'x', client_id: STOCK.id }, header),
      400,
      'invalid_request',
    );
    assertRefused(await postForm(stranger, INTROSPECT, { token: '' }, header), 400, 'invalid_request');
    assertRefused(await stranger.ask({ path: INTROSPECT }), 405, 'invalid_request');
  });

  test('a resource server proves itself by the certificate of the identity that speaks for it [RFC 8705 2.1]', async () => {
    const { access_token: token } = await pairByCertificate(ada);
    await service.put(resourceServers, stockServer({ id: 'by-identity' as ResourceServerId, identity: ADA }));
    await registryFollows();
    for (const fields of [{ token }, { token, client_id: 'by-identity' }]) {
      const answer = await postForm(ada, INTROSPECT, fields);
      assert.deepEqual([answer.json['active'], answer.json['aud']], [true, STOCK_AUDIENCE]);
    }
    assertRefused(await postForm(ada, INTROSPECT, { token, client_id: ORDERS.id }), 401, 'invalid_client');
    const mallory = callerOver('HTTP/1.1', reachOf(service, service.authority.issue({ commonName: 'mallory' })));
    const unknown = callerOver('HTTP/1.1', reachOf(service, service.authority.issue({ commonName: 'nobody' })));
    for (const caller of [mallory, unknown]) {
      const refused = await postForm(caller, INTROSPECT, { token, client_id: 'by-identity' });
      caller.close();
      assertRefused(refused, 401, 'invalid_client');
      assert.equal(refused.headers['www-authenticate'], 'Basic realm="tessera"');
    }
    await service.put(resourceServers, stockServer({ id: 'by-identity' as ResourceServerId, enabled: false }));
    await registryFollows();
  });

  test('or by an access token of that identity, unless the token is limited to other resource servers [RFC 7662 2.1]', async () => {
    const { access_token: token } = await pairByCertificate(ada);
    await service.put(resourceServers, stockServer({ id: 'by-token' as ResourceServerId, identity: ADA }));
    await registryFollows();
    const own = await pairByCertificate(ada, CLIENT, 'stock:read');
    const ask = (accessToken: string) =>
      postForm(stranger, INTROSPECT, { token }, bearer(accessToken).headers as Fields);
    assert.equal((await ask(own.access_token)).json['aud'], STOCK_AUDIENCE);
    const fields = { grant_type: 'client_credentials', client_id: CLIENT, resource: ORDERS_AUDIENCE };
    const limited = String((await postForm(ada, '/oauth2/token', fields)).json['access_token']);
    await revoke(stranger, own.access_token);
    for (const accessToken of [own.access_token, limited, own.refresh_token, 'x', ORDERS.secret]) {
      const refused = await ask(accessToken);
      assertRefused(refused, 401, 'invalid_client');
      assert.equal(refused.headers['www-authenticate'], 'Bearer realm="tessera", error="invalid_token"');
    }
    await service.put(resourceServers, stockServer({ id: 'by-token' as ResourceServerId, enabled: false }));
    await registryFollows();
  });

  test('a certificate of an issuer that is limited to integrations proves no resource server', async (t) => {
    const limited = await startService({ issuers: [{ integrations: [clientId(CLIENT)] }] });
    const caller = callerOver('HTTP/1.1', reachOf(limited, limited.ada));
    t.after(() => limited.stop());
    t.after(() => caller.close());
    await limited.put(resourceServers, aResourceServer({ identity: ADA }));
    await registryFollows();
    assertRefused(await postForm(caller, INTROSPECT, { token: 'x' }), 401, 'invalid_client');
  });

  test('a disabled resource server is refused within a second, and answered again once it is enabled', async () => {
    const { access_token: token } = await pairByCertificate(ada);
    const admin = { ...service.ports, by: 'test', issuer: PUBLIC_URL };
    await changeResourceServer(STOCK.id, { enabled: false }, admin);
    await registryFollows();
    assertRefused(await introspect(token, STOCK), 401, 'invalid_client');
    await changeResourceServer(STOCK.id, { enabled: true }, admin);
    await activeAnswer(token, STOCK);
  });
});

test('a secret is replaced without an interruption: two are valid, until the old one is dropped', async () => {
  const { access_token: token } = await pairByCertificate(ada);
  const admin = { ...service.ports, by: 'test' };
  await service.put(
    resourceServers,
    aResourceServer({ id: 'rotating' as ResourceServerId, audience: 'urn:r' as Audience }),
  );
  const make = async (replaces = false) => {
    const made = await makeResourceServerSecret('rotating', { replaces }, admin);
    return made.ok ? made.value.reveal() : made.refusal.reason;
  };
  const isValid = async (secret: string) => (await introspect(token, { id: 'rotating', secret })).status === 200;
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

test('guessing secrets is limited by address: 429 with Retry-After; the right secret is still answered', async (t) => {
  const limits = { requestsPerAddress: { perMinute: 6, burst: 3 } };
  const limited = await startService({ settings: { limits } });
  const caller = callerOver('HTTP/1.1', reachOf(limited, limited.ada));
  t.after(() => limited.stop());
  t.after(() => caller.close());
  const secrets = [{ hash: SECRETS.orders.hash, createdAt: limited.now() }];
  await limited.put(resourceServers, aResourceServer({ secrets }));
  await registryFollows();
  const guess = (n: number) => introspect('x', { id: ORDERS.id, secret: `tsc_${n}` }, caller);
  for (let n = 0; n < 3; n++) assertRefused(await guess(n), 401, 'invalid_client');
  const refused = await guess(3);
  assertRefused(refused, 429, 'slow_down');
  assert.ok(Number(refused.headers['retry-after']) >= 1);
  assertRefused(await postForm(caller, INTROSPECT, { token: 'x' }, basic(ORDERS.id)), 429, 'slow_down');
  for (let n = 0; n < 10; n++) assert.equal((await introspect('x', ORDERS, caller)).text, INACTIVE);
});

test('introspections are limited like other checks of tokens', async (t) => {
  const limited = await startService({ settings: { limits: { checksPerAddress: { perMinute: 1, burst: 2 } } } });
  const caller = callerOver('HTTP/1.1', reachOf(limited));
  t.after(() => limited.stop());
  t.after(() => caller.close());
  await limited.put(
    resourceServers,
    aResourceServer({ secrets: [{ hash: SECRETS.orders.hash, createdAt: limited.now() }] }),
  );
  for (let n = 0; n < 2; n++) assert.equal((await introspect('x', ORDERS, caller)).status, 200);
  assertRefused(await introspect('x', ORDERS, caller), 429, 'slow_down');
});

for (const protocol of PROTOCOLS) {
  test(`introspection answers over ${protocol}, and its log line names who asked and no secret`, async () => {
    const caller = callerOver(protocol, reachOf(service));
    const { access_token: token } = await pairByCertificate(ada);
    const answer = await introspect(token, ORDERS, caller);
    caller.close();
    assert.equal(answer.json['active'], true);
    const [grantId = ''] = String(answer.json['jti']).split('.');
    const isAboutIt = (line: string) => line.includes('"operation":"introspect"') && line.includes(grantId);
    while (!service.logLines.some(isAboutIt)) await new Promise(setImmediate); // it is written after the answer
    const line = service.logLines.find(isAboutIt) ?? '';
    const { resourceServer, identityId, clientId: integration } = JSON.parse(line) as Record<string, string>;
    assert.deepEqual([resourceServer, identityId, integration], [ORDERS.id, ADA, CLIENT]);
    for (const text of [token, ORDERS.secret]) assert.ok(service.logLines.every((each) => !each.includes(text)));
  });
}
