// The token endpoint of the oauth door, clause by clause of RFC 6749 and RFC 8705.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { given } from '../given.ts';
import { anIdentity, anIntegration, scopeOf } from '../samples.ts';
import { PROTOCOLS } from './caller.ts';
import { CERTIFICATE, DEVICE, OauthScene, REVOKE, TOKEN } from './oauth-scene.ts';
import { assertRefused, basic } from './oauth-steps.ts';
import { clientId, MALLORY, startService } from './service.ts';
import { CLIENT, confirm, forged, pairByCertificate, refresh, VERIFY, verify } from './steps.ts';

const door = given(() => OauthScene.open());

suite('RFC 6749', () => {
  test('[RFC 6749 2.3.1] client_id comes in the form, or as user name of HTTP Basic, form-encoded, or in both', async () => {
    await door.service.register(anIntegration({ clientId: clientId('a+b:c%') }));
    const fields = { scope: 'orders:read' };
    const encoded = basic(encodeURIComponent('a+b:c%'));
    for (const [headers, given] of [
      [{}, { client_id: CLIENT }],
      [basic(CLIENT), {}],
      [basic(CLIENT), { client_id: CLIENT }],
      [encoded, {}],
    ] as const) {
      const answer = await door.post(DEVICE, { ...fields, ...given }, headers);
      assert.equal(answer.status, 200, answer.text);
    }
    assertRefused(await door.post(DEVICE, { client_id: 'other-sync' }, basic(CLIENT)), 400, 'invalid_request');
    assertRefused(await door.post(DEVICE, fields), 400, 'invalid_request');
  });

  test('[RFC 6749 2.3] a secret or an assertion is refused where the integration has none', async () => {
    const bySecret = await door.post(DEVICE, { client_id: CLIENT, client_secret: 'x' });
    assertRefused(bySecret, 401, 'invalid_client');
    assert.equal(bySecret.headers['www-authenticate'], undefined);
    const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    const byAssertion = { client_id: CLIENT, client_assertion: 'x.y.z', client_assertion_type };
    assertRefused(await door.post(DEVICE, byAssertion), 401, 'invalid_client');
  });

  test('[RFC 6749 2.3] client_id alone, which anybody may know, gets no token', async () => {
    const others = ['device_code', 'jwt-bearer', 'token-exchange'].map(
      (name) => `urn:ietf:params:oauth:grant-type:${name}`,
    );
    for (const grant_type of ['authorization_code', 'refresh_token', ...others])
      assertRefused(await door.post(TOKEN, { client_id: CLIENT, grant_type }), 400, 'invalid_request');
    const byCertificate = { client_id: CLIENT, grant_type: 'client_credentials' };
    assertRefused(await door.post(TOKEN, byCertificate), 401, 'invalid_client');
  });

  test('[RFC 6749 6] authentication that comes with a refresh is checked first, and a refusal spends nothing', async () => {
    const { refresh_token = '' } = await door.pairByDevice();
    const fields = { client_id: CLIENT, grant_type: 'refresh_token', refresh_token };
    assertRefused(await door.post(TOKEN, fields, basic(CLIENT, 'guess')), 401, 'invalid_client');
    assertRefused(await door.post(TOKEN, { ...fields, client_secret: 'guess' }), 401, 'invalid_client');
    assert.equal((await door.post(TOKEN, fields)).status, 200);
  });

  test('[RFC 6749 5.2] a client that used the Authorization header gets 401 with WWW-Authenticate of its scheme', async () => {
    for (const headers of [basic(CLIENT, 'secret'), basic('nobody'), { authorization: 'Basic ???' }, basic('%zz')]) {
      const answer = await door.post(TOKEN, { grant_type: 'refresh_token', refresh_token: 'x' }, headers);
      assertRefused(answer, 401, 'invalid_client');
      assert.match(String(answer.headers['www-authenticate']), /^Basic /);
    }
  });

  test('[RFC 6749 3.3] scope is a list; the answer says each permission by itself, sorted', async () => {
    const wanted = {
      'stock:read orders:write,read': 'orders:read orders:write stock:read',
      'Orders stock:read': 'orders stock:read',
    };
    for (const [scope, said] of Object.entries(wanted)) {
      assert.equal((await door.accepted(TOKEN, { ...CERTIFICATE, scope }, door.ada))['scope'], said);
    }
    for (const scope of ['orders:read;stock:read', 'orders:', 'orders:read "', ' ', 'orders:delete', 'nothing']) {
      assertRefused(await door.post(TOKEN, { ...CERTIFICATE, scope }, {}, door.ada), 400, 'invalid_scope');
    }
  });

  test('[RFC 6749 3.3] a missing scope is the whole scope of the integration, without the reserved resource', async () => {
    assert.equal((await door.accepted(TOKEN, CERTIFICATE, door.ada))['scope'], 'orders:read orders:write stock:read');
    assert.equal((await door.pairByDevice())['scope'], 'orders:read orders:write stock:read');
    const reserved = clientId('with-reserved');
    await door.service.register(anIntegration({ clientId: reserved, scope: scopeOf('orders:read;tessera:admin') }));
    assert.equal(
      (await door.accepted(TOKEN, { ...CERTIFICATE, client_id: reserved }, door.ada))['scope'],
      'orders:read',
    );
  });

  test('[RFC 6749 4.4] client_credentials by certificate; [RFC 6749 4.4.3] without a refresh token', async () => {
    const answer = await door.post(TOKEN, { ...CERTIFICATE, scope: 'orders:read' }, {}, door.ada);
    assert.deepEqual(Object.keys(answer.json), ['access_token', 'token_type', 'expires_in', 'scope']);
    const verified = await verify(door.stranger, String(answer.json['access_token']));
    assert.equal(verified.json['identity'], anIdentity().id);
    const { access_issued_on_unix_time: from, expires_unix_time: until, valid_for: length } = verified.json;
    assert.equal(Number(until) - Number(from), length, 'the grant ends with its access token');
    assert.equal(length, 3600);
  });

  test('[RFC 6749 4.4.3] an integration that sets refresh itself gets a refresh token', async () => {
    const client_id = clientId('refreshing');
    await door.service.register(anIntegration({ clientId: client_id, overrides: { refresh: true } }));
    const { refresh_token } = await door.accepted(TOKEN, { ...CERTIFICATE, client_id }, door.ada);
    assert.equal((await door.refreshBy(refresh_token, { client_id })).status, 200);
  });

  test('[RFC 6749 5.1] an answer has token_type, expires_in and scope, and is not cached', async () => {
    const started = await door.startedDevice({ scope: 'orders:read' });
    await confirm(door.service, started);
    const answer = await door.poll(started.device_code);
    const { access_token, refresh_token, ...rest } = answer.json;
    assert.match(`${String(access_token)} ${String(refresh_token)}`, /^tsa_\S+ tsr_\S+$/);
    const lengths = { expires_in: 90 * 86_400, refresh_token_expires_in: 365 * 86_400 };
    assert.deepEqual(rest, { token_type: 'Bearer', scope: 'orders:read', ...lengths });
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal(answer.headers['pragma'], 'no-cache');
    assert.equal(answer.headers['access-control-allow-origin'], undefined);
  });

  test('[RFC 6749 5.2] grant_type: missing is invalid_request, unknown is unsupported_grant_type', async () => {
    assertRefused(await door.post(TOKEN, { client_id: CLIENT }), 400, 'invalid_request');
    for (const grant_type of ['password', 'implicit', 'constructor', 'Refresh_Token']) {
      assertRefused(await door.post(TOKEN, { client_id: CLIENT, grant_type }), 400, 'unsupported_grant_type');
    }
    assertRefused(await door.refreshBy(''), 400, 'invalid_request');
    assertRefused(await door.poll(''), 400, 'invalid_request');
  });

  test('[RFC 6749 5.2] an unknown or disabled integration is invalid_client', async () => {
    for (const client_id of ['nobody', 'disabled', 'ORDERS-SYNC']) {
      assertRefused(await door.refreshBy('x', { client_id }), 401, 'invalid_client');
      assertRefused(await door.post(DEVICE, { client_id }), 401, 'invalid_client');
      assertRefused(await door.post(REVOKE, { client_id, token: 'x' }), 401, 'invalid_client');
      assertRefused(await door.post(TOKEN, { ...CERTIFICATE, client_id }, {}, door.ada), 401, 'invalid_client');
    }
  });

  test('[RFC 6749 5.2] a flow that is off is unauthorized_client', async () => {
    assertRefused(await door.post(DEVICE, { client_id: 'no-device' }), 400, 'unauthorized_client');
    const off = await door.post(TOKEN, { ...CERTIFICATE, client_id: 'no-certificate' }, {}, door.ada);
    assertRefused(off, 400, 'unauthorized_client');
  });

  test('[RFC 6749 6] a refresh rotates; a scope within the grant gets that of the grant, one beyond is refused', async () => {
    const pair = await door.pairByDevice({ scope: 'orders:read stock:read' });
    assertRefused(await door.refreshBy(pair['refresh_token'], { scope: 'orders:write' }), 400, 'invalid_scope');
    const answer = await door.refreshBy(pair['refresh_token'], { scope: 'stock:read' });
    assert.equal(answer.json['scope'], 'orders:read stock:read', 'and the refusal spent nothing');
    assert.notEqual(answer.json['refresh_token'], pair['refresh_token']);
  });

  test('[RFC 6749 6] a refresh token is bound to its client, and a forged one is invalid_grant', async () => {
    const { refresh_token = '' } = await door.pairByDevice();
    assertRefused(await door.refreshBy(refresh_token, { client_id: 'other-sync' }), 400, 'invalid_grant');
    assertRefused(await door.refreshBy(forged(refresh_token)), 400, 'invalid_grant');
    assert.equal((await door.refreshBy(refresh_token)).status, 200);
  });

  test('[RFC 6749 10.4] a lost answer is repeated byte for byte, and both doors share the grant', async () => {
    const { refresh_token = '' } = await door.pairByDevice();
    const first = await door.refreshBy(refresh_token);
    assert.equal((await door.refreshBy(refresh_token)).json['refresh_token'], first.json['refresh_token']);
    const atAuthsvc = await refresh(door.stranger, refresh_token);
    assert.equal(atAuthsvc.json['refresh_token'], first.json['refresh_token']);
  });

  test('an identity that is disabled: invalid_grant for a refresh, access_denied for a device code, unauthorized_client for a certificate', async () => {
    const person = anIdentity({ id: MALLORY, userName: 'mallory' });
    const mallory = door.service.caller(door.service.authority.issue({ commonName: 'mallory' }));
    const only = clientId('ada-only');
    const started = await door.startedDevice();
    await confirm(door.service, started, person);
    const { refresh_token } = (await door.poll(started.device_code)).json as Record<string, string>;
    const second = await door.startedDevice();
    await confirm(door.service, second, person);
    await door.service.register(
      anIntegration({ access: { to: 'named', identities: [anIdentity().id], groups: [] }, clientId: only }),
    );
    await door.service.register(anIntegration({ access: { to: 'named', identities: [anIdentity().id], groups: [] } }));
    assertRefused(await door.refreshBy(refresh_token), 400, 'invalid_grant');
    assertRefused(await door.poll(second.device_code), 400, 'access_denied');
    const refused = await door.post(TOKEN, { ...CERTIFICATE, client_id: only }, {}, mallory);
    mallory.close();
    await door.service.register(anIntegration());
    assertRefused(refused, 400, 'unauthorized_client');
  });
});

suite('RFC 8705', () => {
  test('[RFC 8705 2] without a certificate, or with one that is not accepted, client_credentials is invalid_client', async () => {
    assertRefused(await door.post(TOKEN, CERTIFICATE), 401, 'invalid_client');
    const unknown = door.service.caller(door.service.authority.issue({ commonName: 'nobody' }));
    const refused = await door.post(TOKEN, CERTIFICATE, {}, unknown);
    unknown.close();
    assertRefused(refused, 401, 'invalid_client');
  });

  test('[RFC 8705 2] client_id is required beside a certificate', async () => {
    const { client_id: _, ...withoutId } = CERTIFICATE;
    assertRefused(await door.post(TOKEN, withoutId, {}, door.ada), 400, 'invalid_request');
  });

  test('[RFC 8705 4] a refresh that is bound to a certificate needs it at this door too', async () => {
    const { refresh_token } = await pairByCertificate(door.ada, 'bound');
    assertRefused(await door.refreshBy(refresh_token, { client_id: 'bound' }), 400, 'invalid_grant');
    const fields = { client_id: 'bound', grant_type: 'refresh_token', refresh_token };
    assert.equal((await door.post(TOKEN, fields, {}, door.ada)).status, 200);
  });
});

test('[RFC 6750 2.1] an access token of this door is used as a bearer token', async () => {
  const { access_token = '' } = await door.pairByDevice({ scope: 'orders:read' });
  assert.equal((await verify(door.stranger, access_token)).json['scope'], 'orders:read');
  assert.equal(
    (await door.stranger.ask({ path: `${VERIFY}?access_token=${access_token}` })).status,
    401,
    'never in the URL',
  );
});

for (const protocol of PROTOCOLS) {
  test(`the door answers over ${protocol}`, async () => {
    const caller = door.service.caller(door.service.ada, protocol);
    const answer = await door.post(TOKEN, CERTIFICATE, {}, caller);
    caller.close();
    assert.equal(answer.status, 200, answer.text);
  });
}

test('over a limit: 429 slow_down with Retry-After', async () => {
  const limits = { requestsPerAddress: { perMinute: 1, burst: 1 } };
  await using limited = await startService({ settings: { limits } });
  const caller = limited.caller();
  assert.equal((await door.post(DEVICE, { client_id: CLIENT }, {}, caller)).status, 200);
  const refused = await door.post(DEVICE, { client_id: CLIENT }, {}, caller);
  assertRefused(refused, 429, 'slow_down');
  assert.ok(Number(refused.headers['retry-after']) >= 1);
});
