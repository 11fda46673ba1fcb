// The metadata of the oauth door (RFC 8414), and where the door is.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { given } from '../given.ts';
import { anIntegration, scopeOf } from '../samples.ts';
import type { Caller } from './caller.ts';
import { CERTIFICATE, METADATA, OauthScene, TOKEN } from './oauth-scene.ts';
import { assertRefused, type Fields } from './oauth-steps.ts';
import { clientId, PUBLIC_URL, startService } from './service.ts';
import { CLIENT, DEVICE_GRANT } from './steps.ts';

const door = given(() => OauthScene.open());

const OWN_PROOFS = ['private_key_jwt', 'client_secret_basic', 'client_secret_post'];
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

suite('RFC 8414', () => {
  test('[RFC 8414 2, 3.2] both well-known documents are the same, name only what exists, and any page may read them', async () => {
    for (const path of METADATA) {
      const { status, json, headers } = await door.stranger.ask({ path });
      assert.equal(status, 200);
      assert.match(String(headers['content-type']), /^application\/json/);
      assert.equal(headers['access-control-allow-origin'], '*');
      assert.deepEqual(json, {
        issuer: PUBLIC_URL,
        token_endpoint: `${PUBLIC_URL}/oauth2/token`,
        token_endpoint_auth_methods_supported: ['none', 'tls_client_auth', ...OWN_PROOFS],
        token_endpoint_auth_signing_alg_values_supported: ALGORITHMS,
        dpop_signing_alg_values_supported: ['ES256', 'EdDSA', 'Ed25519', 'RS256', 'PS256'],
        authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
        grant_types_supported: [
          'urn:ietf:params:oauth:grant-type:device_code',
          'refresh_token',
          'client_credentials',
          'urn:ietf:params:oauth:grant-type:jwt-bearer',
          'urn:ietf:params:oauth:grant-type:token-exchange',
        ],
        response_types_supported: ['none'],
        subject_types_supported: ['public'],
        device_authorization_endpoint: `${PUBLIC_URL}/oauth2/device_authorization`,
        revocation_endpoint: `${PUBLIC_URL}/oauth2/revoke`,
        revocation_endpoint_auth_methods_supported: ['none', ...OWN_PROOFS],
        revocation_endpoint_auth_signing_alg_values_supported: ALGORITHMS,
        jwks_uri: `${PUBLIC_URL}/oauth2/jwks`,
        tls_client_certificate_bound_access_tokens: true,
        introspection_endpoint: `${PUBLIC_URL}/oauth2/introspect`,
        introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'tls_client_auth'],
        revocation_feed_endpoint: `${PUBLIC_URL}/oauth2/revocations`,
        scopes_supported: ['orders:read', 'orders:write', 'stock:read'],
      });
    }
  });

  test('[RFC 8414 2, 3.2] every address is https without a fragment, and no list is empty', async () => {
    await using withoutDevice = await startService({ settings: { device: { enabled: false } } });
    const caller = withoutDevice.caller();
    for (const asked of [door.stranger, caller]) {
      const { json } = await asked.ask({ path: METADATA[0] });
      for (const [name, value] of Object.entries(json)) {
        if (Array.isArray(value)) assert.ok(value.length > 0, name);
        if (/issuer|_endpoint$|_uri$/.test(name)) assert.match(String(value), /^https:\/\/[^?#]+$/, name);
      }
    }
    const { json } = await caller.ask({ path: METADATA[0] });
    assert.equal(json['device_authorization_endpoint'], undefined);
    assert.equal(json['scopes_supported'], undefined);
    assert.ok(!(json['grant_types_supported'] as string[]).includes(DEVICE_GRANT));
  });

  test('[RFC 9110 9.1] HEAD answers as GET without the body, where everybody may read', async () => {
    for (const path of [...METADATA, '/oauth2/jwks']) {
      const [got, asked] = [await door.stranger.ask({ path }), await door.stranger.ask({ path, method: 'HEAD' })];
      assert.deepEqual([asked.status, asked.text], [200, '']);
      for (const name of ['content-type', 'content-length', 'cache-control', 'etag', 'access-control-allow-origin'])
        assert.equal(asked.headers[name], got.headers[name], name);
      assert.equal((await door.stranger.ask({ path, method: 'PUT' })).headers['allow'], 'GET, HEAD, OPTIONS');
    }
  });

  test('[RFC 8414 2] scopes_supported and the algorithms of JWTs follow what operators register', async () => {
    await using service = await startService({ signing: 'EdDSA' });
    const caller = service.caller();
    const asked = async () => {
      service.pass(1); // the document is written once a second
      const { json } = await caller.ask({ path: METADATA[0] });
      return [json['scopes_supported'], json['id_token_signing_alg_values_supported']];
    };
    const before = ['orders:read', 'orders:write', 'stock:read'];
    assert.deepEqual(await asked(), [before, ['EdDSA']]);
    const added = { clientId: clientId('added'), scope: scopeOf('archive;invoices:read;tessera:admin') };
    await service.register(anIntegration(added));
    await eventually('it is listed', async () => JSON.stringify(await asked()).includes('invoices'));
    assert.deepEqual(await asked(), [['archive', 'invoices:read', ...before], ['EdDSA']], 'nothing of tessera itself');
    const machines = { device: false, certificate: true, assertion: true };
    await service.register(anIntegration({ ...added, flows: machines }));
    await eventually(
      'it is not, without a flow for people',
      async () => !JSON.stringify(await asked()).includes('invoices'),
    );
    await service.register(anIntegration(added));
    await eventually('it is listed again', async () => JSON.stringify(await asked()).includes('invoices'));
    await service.register(anIntegration({ ...added, enabled: false }));
    await eventually('it is not', async () => !JSON.stringify(await asked()).includes('invoices'));
  });

  test('[RFC 8705 5] the metadata names the listener for certificates, if it has an address of its own', async () => {
    const own = 'https://mtls.tokens.example';
    const listeners = [
      { tls: true, clientCertificates: 'off', publicUrl: PUBLIC_URL },
      { tls: true, doors: ['ops'], publicUrl: 'https://ops.tokens.example' },
      { tls: true, publicUrl: own },
    ];
    await using two = await startService({ listeners });
    const caller = two.caller();
    const { json } = await caller.ask({ path: METADATA[0] });
    assert.deepEqual(json['mtls_endpoint_aliases'], {
      token_endpoint: `${own}/oauth2/token`,
      revocation_endpoint: `${own}/oauth2/revoke`,
      introspection_endpoint: `${own}/oauth2/introspect`,
      revocation_feed_endpoint: `${own}/oauth2/revocations`,
    });
  });

  test('[RFC 8705 5] a listener whose certificates a proxy passes on counts too, after one that asks for them', async (t) => {
    const [proxied, direct] = ['https://proxied.tokens.example', 'https://direct.tokens.example'];
    const behind = { tls: true, clientCertificates: 'off', publicUrl: proxied };
    const proxies = { addresses: ['127.0.0.1'], clientCertificateHeader: 'url-encoded-pem' };
    for (const [listeners, own] of [
      [[behind], proxied],
      [[behind, { tls: true, publicUrl: direct }], direct],
    ] as const) {
      const service = await startService({ listeners, settings: { proxies } });
      const caller = service.caller();
      t.after(() => service.stop());
      t.after(() => caller.close());
      const { json } = await caller.ask({ path: METADATA[0] });
      assert.equal((json['mtls_endpoint_aliases'] as Fields)?.['token_endpoint'], `${own}/oauth2/token`);
    }
  });

  test('paths are case sensitive and have no trailing slash', async () => {
    for (const path of ['/oauth2/Token', '/OAUTH2/token', '/oauth2/token/']) {
      assertRefused(await door.post(path, { client_id: CLIENT }), 404, 'invalid_request');
      assertRefused(await door.stranger.ask({ path }), 404, 'invalid_request'); // not 405: POST is not allowed there either
    }
    assertRefused(await door.stranger.ask({ path: '/oauth2/token' }), 405, 'invalid_request');
    assertRefused(await door.stranger.ask({ path: '/.well-known/OpenID-configuration' }), 404, 'invalid_request');
    assertRefused(await door.stranger.ask({ path: '/oauth2/userinfo' }), 404, 'invalid_request');
  });
});

test('the door can be elsewhere, and off', async (t) => {
  const moved = await startService({ settings: { oauth: { mount: '/as' }, device: { enabled: false } } });
  const off = await startService({ settings: { oauth: { enabled: false } } });
  const callers = [moved, off].map((each) => each.caller()) as [Caller, Caller];
  t.after(async () => {
    for (const caller of callers) caller.close();
    await Promise.all([moved.stop(), off.stop()]);
  });
  const { json } = await callers[0].ask({ path: METADATA[0] });
  assert.equal(json['token_endpoint'], `${PUBLIC_URL}/as/token`);
  assert.equal((await door.post('/as/revoke', { client_id: CLIENT, token: 'x' }, {}, callers[0])).status, 200);
  for (const path of METADATA) assert.equal((await callers[1].ask({ path })).status, 404);
  assert.equal((await door.post(TOKEN, CERTIFICATE, {}, callers[1])).status, 404);
});
