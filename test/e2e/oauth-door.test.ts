// The oauth door, clause by clause of the RFCs that bind it.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { ASSERTION_GRANT_TYPE, DEVICE_GRANT_TYPE } from '../../src/doors/token/grant-type.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { anIdentity, anIntegration, scopeOf } from '../samples.ts';
import { type Answer, type Caller, callerOver, PROTOCOLS, reachOf } from './caller.ts';
import { assertRefused, basic, type Fields, postForm } from './oauth-steps.ts';
import { clientId, MALLORY, PUBLIC_URL, startService, type TestService } from './service.ts';
import { CLIENT, confirm, deny, forged, pairByCertificate, refresh, VERIFY, verify } from './steps.ts';

const TOKEN = '/oauth2/token';
const DEVICE = '/oauth2/device_authorization';
const REVOKE = '/oauth2/revoke';
const METADATA = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

let service: TestService;
let stranger: Caller;
let ada: Caller;

before(async () => {
  service = await startService();
  stranger = callerOver('HTTP/1.1', reachOf(service));
  ada = callerOver('HTTP/1.1', reachOf(service, service.ada));
});

after(async () => {
  stranger.close();
  ada.close();
  await service.stop();
});

function post(path: string, fields: Fields | string, headers: Fields = {}, caller = stranger): Promise<Answer> {
  return postForm(caller, path, fields, headers);
}

async function accepted(path: string, fields: Fields, caller = stranger): Promise<Record<string, string>> {
  const answer = await post(path, fields, {}, caller);
  assert.equal(answer.status, 200, answer.text);
  return answer.json as Record<string, string>;
}

async function startedDevice(fields: Fields = {}) {
  const { device_code = '', user_code = '', ...rest } = await accepted(DEVICE, { client_id: CLIENT, ...fields });
  return { device_code, user_code, ...rest };
}

function poll(device_code: string, fields: Fields = {}): Promise<Answer> {
  return post(TOKEN, { client_id: CLIENT, grant_type: DEVICE_GRANT_TYPE, device_code, ...fields });
}

async function pairByDevice(fields: Fields = {}): Promise<Record<string, string>> {
  const started = await startedDevice(fields);
  await confirm(service, started);
  return (await poll(started.device_code)).json as Record<string, string>;
}

function refreshBy(refresh_token: string | undefined, fields: Fields = {}): Promise<Answer> {
  return post(TOKEN, {
    client_id: CLIENT,
    grant_type: 'refresh_token',
    refresh_token: refresh_token ?? '',
    ...fields,
  });
}

const CERTIFICATE = { client_id: CLIENT, grant_type: 'client_credentials' };

suite('RFC 6749', () => {
  test('[RFC 6749 2.3.1] client_id comes in the form, or as user name of HTTP Basic, form-encoded, or in both', async () => {
    await service.register(anIntegration({ clientId: clientId('a+b:c%') }));
    const fields = { scope: 'orders:read' };
    const encoded = basic(encodeURIComponent('a+b:c%'));
    for (const [headers, given] of [
      [{}, { client_id: CLIENT }],
      [basic(CLIENT), {}],
      [basic(CLIENT), { client_id: CLIENT }],
      [encoded, {}],
    ] as const) {
      const answer = await post(DEVICE, { ...fields, ...given }, headers);
      assert.equal(answer.status, 200, answer.text);
    }
    assertRefused(await post(DEVICE, { client_id: 'other-sync' }, basic(CLIENT)), 400, 'invalid_request');
    assertRefused(await post(DEVICE, fields), 400, 'invalid_request');
  });

  test('[RFC 6749 2.3] a secret or an assertion is refused: integrations have none', async () => {
    const bySecret = await post(DEVICE, { client_id: CLIENT, client_secret: 'x' });
    assertRefused(bySecret, 401, 'invalid_client');
    assert.equal(bySecret.headers['www-authenticate'], undefined);
    assertRefused(await post(DEVICE, { client_id: CLIENT, client_assertion: 'x.y.z' }), 401, 'invalid_client');
  });

  test('[RFC 6749 5.2] a client that used the Authorization header gets 401 with WWW-Authenticate of its scheme', async () => {
    for (const headers of [basic(CLIENT, 'secret'), basic('nobody'), { authorization: 'Basic ???' }, basic('%zz')]) {
      const answer = await post(TOKEN, { grant_type: 'refresh_token', refresh_token: 'x' }, headers);
      assertRefused(answer, 401, 'invalid_client');
      assert.match(String(answer.headers['www-authenticate']), /^Basic /);
    }
  });

  test('[RFC 6749 3.2] a parameter given twice is refused, an empty one is missing, an unknown one is ignored', async () => {
    const twice = `client_id=${CLIENT}&client_id=${CLIENT}&grant_type=refresh_token&refresh_token=x`;
    assertRefused(await post(TOKEN, twice), 400, 'invalid_request');
    assertRefused(await post(TOKEN, { client_id: '', grant_type: 'refresh_token' }), 400, 'invalid_request');
    assert.equal((await post(DEVICE, { client_id: CLIENT, scope: '', colour: 'red' })).status, 200);
  });

  test('[RFC 6749 3.2] the token endpoint takes POST and forms only', async () => {
    const got = await stranger.ask({ path: TOKEN });
    assertRefused(got, 405, 'invalid_request');
    assert.equal(got.headers['allow'], 'POST');
    const body = JSON.stringify({ ...CERTIFICATE });
    const json = { 'content-type': 'application/json' };
    assertRefused(await stranger.ask({ method: 'POST', path: TOKEN, headers: json, body }), 400, 'invalid_request');
    const charset = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' };
    assert.equal((await post(DEVICE, { client_id: CLIENT }, charset)).status, 200);
  });

  test('[RFC 6749 3.3] scope is a list; the answer says each permission by itself, sorted', async () => {
    const wanted = {
      'stock:read orders:write,read': 'orders:read orders:write stock:read',
      'Orders stock:read': 'orders stock:read',
    };
    for (const [scope, said] of Object.entries(wanted)) {
      assert.equal((await accepted(TOKEN, { ...CERTIFICATE, scope }, ada))['scope'], said);
    }
    for (const scope of ['orders:read;stock:read', 'orders:', 'orders:read "', ' ', 'orders:delete', 'nothing']) {
      assertRefused(await post(TOKEN, { ...CERTIFICATE, scope }, {}, ada), 400, 'invalid_scope');
    }
  });

  test('[RFC 6749 3.3] a missing scope is the whole scope of the integration, without the reserved resource', async () => {
    assert.equal((await accepted(TOKEN, CERTIFICATE, ada))['scope'], 'orders:read orders:write stock:read');
    assert.equal((await pairByDevice())['scope'], 'orders:read orders:write stock:read');
    const reserved = clientId('with-reserved');
    await service.register(anIntegration({ clientId: reserved, scope: scopeOf('orders:read;tessera:admin') }));
    assert.equal((await accepted(TOKEN, { ...CERTIFICATE, client_id: reserved }, ada))['scope'], 'orders:read');
  });

  test('[RFC 6749 4.4] client_credentials by certificate; [RFC 6749 4.4.3] without a refresh token', async () => {
    const answer = await post(TOKEN, { ...CERTIFICATE, scope: 'orders:read' }, {}, ada);
    assert.deepEqual(Object.keys(answer.json), ['access_token', 'token_type', 'expires_in', 'scope']);
    const verified = await verify(stranger, String(answer.json['access_token']));
    assert.equal(verified.json['identity'], anIdentity().id);
    const { access_issued_on_unix_time: from, expires_unix_time: until, valid_for: length } = verified.json;
    assert.equal(Number(until) - Number(from), length, 'the grant ends with its access token');
  });

  test('[RFC 6749 4.4.3] an integration that sets refresh itself gets a refresh token', async () => {
    const client_id = clientId('refreshing');
    await service.register(anIntegration({ clientId: client_id, overrides: { refresh: true } }));
    const { refresh_token } = await accepted(TOKEN, { ...CERTIFICATE, client_id }, ada);
    assert.equal((await refreshBy(refresh_token, { client_id })).status, 200);
  });

  test('[RFC 6749 5.1] an answer has token_type, expires_in and scope, and is not cached', async () => {
    const started = await startedDevice({ scope: 'orders:read' });
    await confirm(service, started);
    const answer = await poll(started.device_code);
    const { access_token, refresh_token, ...rest } = answer.json;
    assert.match(`${String(access_token)} ${String(refresh_token)}`, /^tsa_\S+ tsr_\S+$/);
    const lengths = { expires_in: 90 * 86_400, refresh_token_expires_in: 365 * 86_400 };
    assert.deepEqual(rest, { token_type: 'Bearer', scope: 'orders:read', ...lengths });
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal(answer.headers['pragma'], 'no-cache');
    assert.equal(answer.headers['access-control-allow-origin'], undefined);
  });

  test('[RFC 6749 5.2] grant_type: missing is invalid_request, unknown is unsupported_grant_type', async () => {
    assertRefused(await post(TOKEN, { client_id: CLIENT }), 400, 'invalid_request');
    for (const grant_type of ['password', 'authorization_code', 'constructor', 'Refresh_Token']) {
      assertRefused(await post(TOKEN, { client_id: CLIENT, grant_type }), 400, 'unsupported_grant_type');
    }
    assertRefused(await refreshBy(''), 400, 'invalid_request');
    assertRefused(await poll(''), 400, 'invalid_request');
  });

  test('[RFC 6749 5.2] an unknown or disabled integration is invalid_client', async () => {
    for (const client_id of ['nobody', 'disabled', 'ORDERS-SYNC']) {
      assertRefused(await refreshBy('x', { client_id }), 401, 'invalid_client');
      assertRefused(await post(DEVICE, { client_id }), 401, 'invalid_client');
      assertRefused(await post(REVOKE, { client_id, token: 'x' }), 401, 'invalid_client');
      assertRefused(await post(TOKEN, { ...CERTIFICATE, client_id }, {}, ada), 401, 'invalid_client');
    }
  });

  test('[RFC 6749 5.2] a flow that is off is unauthorized_client', async () => {
    assertRefused(await post(DEVICE, { client_id: 'no-device' }), 400, 'unauthorized_client');
    const off = await post(TOKEN, { ...CERTIFICATE, client_id: 'no-certificate' }, {}, ada);
    assertRefused(off, 400, 'unauthorized_client');
  });

  test('[RFC 6749 6] a refresh rotates; a scope within the grant gets that of the grant, one beyond is refused', async () => {
    const pair = await pairByDevice({ scope: 'orders:read stock:read' });
    assertRefused(await refreshBy(pair['refresh_token'], { scope: 'orders:write' }), 400, 'invalid_scope');
    const answer = await refreshBy(pair['refresh_token'], { scope: 'stock:read' });
    assert.equal(answer.json['scope'], 'orders:read stock:read', 'and the refusal spent nothing');
    assert.notEqual(answer.json['refresh_token'], pair['refresh_token']);
  });

  test('[RFC 6749 6] a refresh token is bound to its client, and a forged one is invalid_grant', async () => {
    const { refresh_token = '' } = await pairByDevice();
    assertRefused(await refreshBy(refresh_token, { client_id: 'other-sync' }), 400, 'invalid_grant');
    assertRefused(await refreshBy(forged(refresh_token)), 400, 'invalid_grant');
    assert.equal((await refreshBy(refresh_token)).status, 200);
  });

  test('[RFC 6749 10.4] a lost answer is repeated byte for byte, and both doors share the grant', async () => {
    const { refresh_token = '' } = await pairByDevice();
    const first = await refreshBy(refresh_token);
    assert.equal((await refreshBy(refresh_token)).json['refresh_token'], first.json['refresh_token']);
    const atAuthsvc = await refresh(stranger, refresh_token);
    assert.equal(atAuthsvc.json['refresh_token'], first.json['refresh_token']);
  });

  test('an identity that is disabled: invalid_grant for a refresh, access_denied for a device code, unauthorized_client for a certificate', async () => {
    const person = anIdentity({ id: MALLORY, userName: 'mallory' });
    const mallory = callerOver('HTTP/1.1', reachOf(service, service.authority.issue({ commonName: 'mallory' })));
    const only = clientId('ada-only');
    const started = await startedDevice();
    await confirm(service, started, person);
    const { refresh_token } = (await poll(started.device_code)).json as Record<string, string>;
    const second = await startedDevice();
    await confirm(service, second, person);
    await service.register(
      anIntegration({ access: { to: 'named', identities: [anIdentity().id], groups: [] }, clientId: only }),
    );
    await service.register(anIntegration({ access: { to: 'named', identities: [anIdentity().id], groups: [] } }));
    assertRefused(await refreshBy(refresh_token), 400, 'invalid_grant');
    assertRefused(await poll(second.device_code), 400, 'access_denied');
    const refused = await post(TOKEN, { ...CERTIFICATE, client_id: only }, {}, mallory);
    mallory.close();
    await service.register(anIntegration());
    assertRefused(refused, 400, 'unauthorized_client');
  });
});

suite('RFC 8628', () => {
  test('[RFC 8628 3.2] device authorization answers with codes, addresses, lifetime and interval', async () => {
    const { device_code, user_code, ...rest } = await startedDevice({ scope: 'orders:read' });
    assert.match(device_code, /^tsd_/);
    assert.deepEqual(rest, {
      verification_uri: `${PUBLIC_URL}/device`,
      verification_uri_complete: `${PUBLIC_URL}/device?user_code=${user_code}`,
      expires_in: 300,
      interval: 5,
    });
  });

  test('[RFC 8628 3.5] authorization_pending, access_denied, expired_token; a code is redeemed once', async () => {
    const denied = await startedDevice();
    assertRefused(await poll(denied.device_code), 400, 'authorization_pending');
    await deny(service, denied);
    assertRefused(await poll(denied.device_code), 400, 'access_denied');
    const started = await startedDevice();
    assertRefused(await poll(started.device_code, { client_id: 'other-sync' }), 400, 'invalid_grant');
    await confirm(service, started);
    assert.equal((await poll(started.device_code)).status, 200);
    assertRefused(await poll(started.device_code), 400, 'invalid_grant');
    const late = await startedDevice();
    service.pass(301);
    assertRefused(await poll(late.device_code), 400, 'expired_token');
  });

  test('[RFC 8628 3.5] polling too fast is slow_down, and the interval grows until the device obeys', async () => {
    const { device_code } = await startedDevice();
    assertRefused(await poll(device_code), 400, 'authorization_pending');
    service.pass(3);
    const hurried = await poll(device_code);
    assertRefused(hurried, 400, 'slow_down');
    assert.match(String(hurried.json['error_description']), /in 10 seconds/);
    service.pass(7);
    assertRefused(await poll(device_code), 400, 'slow_down');
    service.pass(16);
    assertRefused(await poll(device_code), 400, 'authorization_pending');
  });

  test('a library that repeats each failed request at once is never told to slow down', async () => {
    const started = await startedDevice();
    for (let round = 0; round < 4; round++) {
      assertRefused(await poll(started.device_code), 400, 'authorization_pending');
      assertRefused(await poll(started.device_code), 400, 'authorization_pending');
      service.pass(5);
    }
    await confirm(service, started);
    assert.equal((await poll(started.device_code)).status, 200);
  });
});

suite('polling as the oauth2 library of Go does', () => {
  // It does not know how to authenticate. So it tries HTTP Basic with an empty password, and after any failure sends client_id in
  // the form; both requests of a poll have client_id in the form. It forgets what it found out until a request succeeds.
  async function goPoll(device_code: string): Promise<Answer> {
    const fields = { client_id: CLIENT, grant_type: DEVICE_GRANT_TYPE, device_code };
    const first = await post(TOKEN, fields, basic(CLIENT));
    return first.status === 200 ? first : post(TOKEN, fields);
  }

  test('[RFC 8628 3.5] never makes the interval longer, whatever the phase of the clock', async () => {
    const started = await startedDevice();
    for (const step of [5, 4, 6, 5, 4, 6, 5]) {
      service.pass(step);
      assertRefused(await goPoll(started.device_code), 400, 'authorization_pending');
    }
    await confirm(service, started);
    assert.equal((await goPoll(started.device_code)).status, 200);
  });

  test('[RFC 8628 3.5] but twice as often does, and the first poll that obeys is pending again', async () => {
    const { device_code } = await startedDevice();
    assertRefused(await goPoll(device_code), 400, 'authorization_pending');
    service.pass(2);
    assertRefused(
      await post(TOKEN, { client_id: CLIENT, grant_type: DEVICE_GRANT_TYPE, device_code }),
      400,
      'slow_down',
    );
    service.pass(10);
    assertRefused(await goPoll(device_code), 400, 'authorization_pending');
  });
});

suite('RFC 7009', () => {
  async function isDead(access_token: string | undefined): Promise<boolean> {
    return (await verify(stranger, access_token ?? '')).status === 401;
  }

  test('[RFC 7009 2.1] a refresh or access token of any generation ends the whole grant', async () => {
    for (const which of ['refresh_token', 'access_token']) {
      const first = await pairByDevice();
      const second = (await refreshBy(first['refresh_token'])).json as Record<string, string>;
      const answer = await post(REVOKE, { client_id: CLIENT, token: first[which] ?? '', token_type_hint: 'pink' });
      assert.deepEqual([answer.status, answer.text], [200, '{}']);
      assert.ok((await isDead(first['access_token'])) && (await isDead(second['access_token'])));
      assertRefused(await refreshBy(second['refresh_token']), 400, 'invalid_grant');
    }
  });

  test('[RFC 7009 2.1] the token of another client is refused and stays alive', async () => {
    const { access_token = '', refresh_token = '' } = await pairByDevice();
    for (const token of [access_token, refresh_token]) {
      assertRefused(await post(REVOKE, { client_id: 'other-sync', token }), 400, 'invalid_grant');
    }
    assert.equal(await isDead(access_token), false);
  });

  test('[RFC 7009 2.2] a token that is dead, forged or unknown is a success', async () => {
    const { access_token = '', refresh_token = '' } = await pairByDevice();
    for (const token of [forged(refresh_token), forged(access_token), 'eyJhbGciOiJub25lIn0.e30.', 'x']) {
      assert.equal((await post(REVOKE, { client_id: CLIENT, token })).status, 200);
    }
    assert.equal(await isDead(access_token), false, 'a forged token ends nothing');
    for (const token of [refresh_token, refresh_token, access_token]) {
      assert.equal((await post(REVOKE, { client_id: CLIENT, token })).status, 200);
    }
  });

  test('[RFC 7009 2.1] token is required', async () => {
    assertRefused(await post(REVOKE, { client_id: CLIENT }), 400, 'invalid_request');
  });
});

suite('RFC 8414', () => {
  test('[RFC 8414 2, 3.2] both well-known documents are the same, name only what exists, and any page may read them', async () => {
    for (const path of METADATA) {
      const { status, json, headers } = await stranger.ask({ path });
      assert.equal(status, 200);
      assert.match(String(headers['content-type']), /^application\/json/);
      assert.equal(headers['access-control-allow-origin'], '*');
      assert.deepEqual(json, {
        issuer: PUBLIC_URL,
        token_endpoint: `${PUBLIC_URL}/oauth2/token`,
        token_endpoint_auth_methods_supported: ['none', 'tls_client_auth'],
        grant_types_supported: [DEVICE_GRANT_TYPE, 'refresh_token', 'client_credentials', ASSERTION_GRANT_TYPE],
        response_types_supported: ['none'],
        subject_types_supported: ['public'],
        device_authorization_endpoint: `${PUBLIC_URL}/oauth2/device_authorization`,
        revocation_endpoint: `${PUBLIC_URL}/oauth2/revoke`,
        revocation_endpoint_auth_methods_supported: ['none'],
        jwks_uri: `${PUBLIC_URL}/oauth2/jwks`,
        tls_client_certificate_bound_access_tokens: true,
        introspection_endpoint: `${PUBLIC_URL}/oauth2/introspect`,
        introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'tls_client_auth'],
        revocation_feed_endpoint: `${PUBLIC_URL}/oauth2/revocations`,
      });
    }
  });

  test('[RFC 9110 9.1] HEAD answers as GET without the body, where everybody may read', async () => {
    for (const path of [...METADATA, '/oauth2/jwks']) {
      const [got, asked] = [await stranger.ask({ path }), await stranger.ask({ path, method: 'HEAD' })];
      assert.deepEqual([asked.status, asked.text], [200, '']);
      for (const name of ['content-type', 'content-length', 'cache-control', 'etag', 'access-control-allow-origin'])
        assert.equal(asked.headers[name], got.headers[name], name);
      assert.equal((await stranger.ask({ path, method: 'PUT' })).headers['allow'], 'GET, HEAD');
    }
  });

  test('paths are case sensitive and have no trailing slash', async () => {
    for (const path of ['/oauth2/Token', '/OAUTH2/token', '/oauth2/token/']) {
      assertRefused(await post(path, { client_id: CLIENT }), 404, 'invalid_request');
    }
    assertRefused(await stranger.ask({ path: '/.well-known/OpenID-configuration' }), 404, 'invalid_request');
    assertRefused(await stranger.ask({ path: '/oauth2/userinfo' }), 404, 'invalid_request');
  });
});

suite('RFC 8705', () => {
  test('[RFC 8705 5] the metadata names the listener for certificates, if it has an address of its own', async (t) => {
    const own = 'https://mtls.tokens.example';
    const listeners = [
      { tls: true, clientCertificates: 'off', publicUrl: PUBLIC_URL },
      { tls: true, doors: ['ops'], publicUrl: 'https://ops.tokens.example' },
      { tls: true, publicUrl: own },
    ];
    const two = await startService({ listeners });
    const caller = callerOver('HTTP/1.1', reachOf(two));
    t.after(() => two.stop());
    t.after(() => caller.close());
    const { json } = await caller.ask({ path: METADATA[0] as string });
    assert.deepEqual(json['mtls_endpoint_aliases'], {
      token_endpoint: `${own}/oauth2/token`,
      introspection_endpoint: `${own}/oauth2/introspect`,
      revocation_feed_endpoint: `${own}/oauth2/revocations`,
    });
  });

  test('[RFC 8705 2] without a certificate, or with one that is not accepted, client_credentials is invalid_client', async () => {
    assertRefused(await post(TOKEN, CERTIFICATE), 401, 'invalid_client');
    const unknown = callerOver('HTTP/1.1', reachOf(service, service.authority.issue({ commonName: 'nobody' })));
    const refused = await post(TOKEN, CERTIFICATE, {}, unknown);
    unknown.close();
    assertRefused(refused, 401, 'invalid_client');
  });

  test('[RFC 8705 4] a refresh that is bound to a certificate needs it at this door too', async () => {
    const { refresh_token } = await pairByCertificate(ada, 'bound');
    assertRefused(await refreshBy(refresh_token, { client_id: 'bound' }), 400, 'invalid_grant');
    const fields = { client_id: 'bound', grant_type: 'refresh_token', refresh_token };
    assert.equal((await post(TOKEN, fields, {}, ada)).status, 200);
  });
});

test('[RFC 6750 2.1] an access token of this door is used as a bearer token', async () => {
  const { access_token = '' } = await pairByDevice({ scope: 'orders:read' });
  assert.equal((await verify(stranger, access_token)).json['scope'], 'orders:read');
  assert.equal(
    (await stranger.ask({ path: `${VERIFY}?access_token=${access_token}` })).status,
    401,
    'never in the URL',
  );
});

for (const protocol of PROTOCOLS) {
  test(`the door answers over ${protocol}`, async () => {
    const caller = callerOver(protocol, reachOf(service, service.ada));
    const answer = await post(TOKEN, CERTIFICATE, {}, caller);
    caller.close();
    assert.equal(answer.status, 200, answer.text);
  });
}

test('over a limit: 429 slow_down with Retry-After', async (t) => {
  const limits = { requestsPerAddress: { perMinute: 1, burst: 1 } };
  const limited = await startService({ settings: { limits } });
  const caller = callerOver('HTTP/1.1', reachOf(limited));
  t.after(() => limited.stop());
  t.after(() => caller.close());
  assert.equal((await post(DEVICE, { client_id: CLIENT }, {}, caller)).status, 200);
  const refused = await post(DEVICE, { client_id: CLIENT }, {}, caller);
  assertRefused(refused, 429, 'slow_down');
  assert.ok(Number(refused.headers['retry-after']) >= 1);
});

test('the store is away: 503 temporarily_unavailable with Retry-After; a fault: 500 server_error', async (t) => {
  let failure: Error | undefined;
  const failing = await startService({
    store: (real) => ({
      ...real,
      create: (table, key, decide) => (failure ? Promise.reject(failure) : real.create(table, key, decide)),
    }),
  });
  const caller = callerOver('HTTP/1.1', reachOf(failing));
  t.after(() => failing.stop());
  t.after(() => caller.close());
  failure = new StoreUnavailable('secret detail');
  const away = await post(DEVICE, { client_id: CLIENT }, {}, caller);
  assertRefused(away, 503, 'temporarily_unavailable');
  assert.equal(away.headers['retry-after'], '1');
  failure = new Error('secret detail');
  const fault = await post(DEVICE, { client_id: CLIENT }, {}, caller);
  assertRefused(fault, 500, 'server_error');
  assert.doesNotMatch(away.text + fault.text, /secret detail/);
});

test('the door can be elsewhere, and off', async (t) => {
  const moved = await startService({ settings: { oauth: { mount: '/as' }, device: { enabled: false } } });
  const off = await startService({ settings: { oauth: { enabled: false } } });
  const callers = [moved, off].map((each) => callerOver('HTTP/1.1', reachOf(each))) as [Caller, Caller];
  t.after(async () => {
    for (const caller of callers) caller.close();
    await Promise.all([moved.stop(), off.stop()]);
  });
  const { json } = await callers[0].ask({ path: METADATA[0] as string });
  assert.equal(json['token_endpoint'], `${PUBLIC_URL}/as/token`);
  assert.equal((await post('/as/revoke', { client_id: CLIENT, token: 'x' }, {}, callers[0])).status, 200);
  for (const path of METADATA) assert.equal((await callers[1].ask({ path })).status, 404);
  assert.equal((await post(TOKEN, CERTIFICATE, {}, callers[1])).status, 404);
});
