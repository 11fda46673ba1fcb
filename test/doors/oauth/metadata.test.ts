// What the metadata say about what is registered (RFC 8414, RFC 9728).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Integration } from '../../../src/core/integration.ts';
import { metadataOf, resourceMetadata, withRegistered } from '../../../src/doors/oauth/metadata.ts';
import { anIntegration, aResourceServer, CLIENT, scopeOf } from '../../samples.ts';

const ISSUER = 'https://tokens.example';
const CODES = { authorizationEndpoint: `${ISSUER}/oauth2/authorize` };
const plain = (deviceFlow = true) =>
  metadataOf({ issuer: ISSUER, mount: '/oauth2', settings: { deviceFlow }, certificateUrl: undefined });
const registered = (integrations: readonly Integration[], codes: object = {}, deviceFlow = true) =>
  withRegistered(plain(deviceFlow), { integrations, signingKeys: [] }, { ...CODES, ...codes });

const DEVICE = { device: true, certificate: false };
const CODE = { device: false, certificate: false, code: { redirectUris: ['http://127.0.0.1/'] } } as never;

test('authorization codes are named if an enabled integration uses them [RFC 7636, RFC 9207]', () => {
  const members = {
    authorization_endpoint: CODES.authorizationEndpoint,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
  const named = registered([anIntegration({ flows: CODE })]);
  assert.deepEqual({ ...named, ...members }, named);
  assert.equal(named.grant_types_supported[0], 'authorization_code');
  for (const other of [anIntegration({ flows: DEVICE }), anIntegration({ flows: CODE, enabled: false })])
    assert.deepEqual(registered([other]).response_types_supported, ['none']);
});

test('documents of clients are named if their integration uses codes', () => {
  const isNamed = (integration: string, flows = CODE) =>
    registered([anIntegration({ flows })], { clientDocuments: { hosts: ['*'], integration } })
      .client_id_metadata_document_supported;
  assert.equal(isNamed(CLIENT), true);
  assert.equal(isNamed('another'), undefined);
  assert.equal(isNamed(CLIENT, DEVICE as never), undefined);
});

test('scopes are those that people can confirm, of enabled integrations, without the reserved one', () => {
  const scopes = (difference: Partial<Integration>, deviceFlow = true) =>
    registered([anIntegration({ scope: scopeOf('stock:read;tessera:admin;orders'), ...difference })], {}, deviceFlow)
      .scopes_supported;
  assert.deepEqual(scopes({ flows: DEVICE }), ['orders', 'stock:read']);
  assert.deepEqual(scopes({ flows: CODE }, false), ['orders', 'stock:read']);
  assert.deepEqual(scopes({ flows: DEVICE, scope: scopeOf('orders') }), ['orders']);
  const many = Array.from({ length: 51 }, (_, n) => `r${n}:${Array.from({ length: 10 }, (_, at) => `p${at}`).join()}`);
  assert.equal(scopes({ flows: DEVICE, scope: scopeOf(many.join(';')) })?.length, 500, 'of 510');
  assert.equal(scopes({ flows: DEVICE }, false), undefined, 'nobody can confirm a device');
  assert.equal(scopes({ flows: { device: false, certificate: true } }), undefined);
  assert.equal(scopes({ flows: DEVICE, enabled: false }), undefined);
});

test('the metadata of a resource server have the scopes that it serves', () => {
  const of = (deviceFlow: boolean, ...resources: string[]) => {
    const integrations = [
      anIntegration({ flows: DEVICE, scope: scopeOf('stock:read;orders:read,write;api://x/.default') }),
    ];
    return resourceMetadata(aResourceServer({ resources }), plain(deviceFlow), { integrations });
  };
  assert.deepEqual(of(true, 'orders'), {
    resource: 'https://orders.example',
    authorization_servers: [ISSUER],
    bearer_methods_supported: ['header'],
    resource_name: 'Orders',
    scopes_supported: ['orders:read', 'orders:write'],
  });
  assert.deepEqual(of(true, 'api://x/.default').scopes_supported, ['api://x/.default']);
  assert.equal(of(true, 'other', 'api').scopes_supported, undefined);
  assert.equal(of(false, 'orders').scopes_supported, undefined);
});

test('anybody may ask for scopes: they are gathered once for each state of the registry', () => {
  let gathered = 0;
  const integration = {
    ...anIntegration({ flows: DEVICE }),
    get scope() {
      gathered += 1;
      return scopeOf('orders:read');
    },
  };
  const integrations = [integration];
  for (let asked = 0; asked < 10; asked++) {
    const { scopes_supported: served } = resourceMetadata(aResourceServer(), plain(), { integrations });
    assert.deepEqual(served, ['orders:read']);
  }
  assert.equal(gathered, 1);
});
