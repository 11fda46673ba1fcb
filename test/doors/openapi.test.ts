// The OpenAPI document. openapi-judged.test.ts has an independent linter and generated clients.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  RedemptionRequest,
  RefreshRequest,
  ScopeParameters,
  ScopeRequest,
  TokenParameters,
} from '../../src/doors/authsvc/schemas.ts';
import * as oauth from '../../src/doors/oauth/schemas.ts';
import {
  type OpenapiDocument,
  type OpenapiOperation,
  type OpenapiSchema,
  withNamedSchemas,
  withPlainLinks,
} from '../../src/doors/openapi-document.ts';
import { opsPaths } from '../../src/doors/ops/openapi.ts';
import { documentOf, MOUNTS } from './openapi-sample.ts';

const document = documentOf(MOUNTS);

/** The operations of docs/contract.md. */
const ROUTES = [
  { method: 'post', path: '/Authorize/Token' },
  { method: 'post', path: '/Authorize/Certificate' },
  { method: 'post', path: '/Authorize/Device' },
  { method: 'get', path: '/Authorize/Verify' },
  { method: 'get', path: '/Revoke/Token' },
];

interface Limited {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
}

function operationsOf({ paths }: OpenapiDocument): OpenapiOperation[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}

test('every operation of every mount has an id of its own, also where mounts differ only in punctuation', () => {
  const ids = operationsOf(document).map(({ operationId }) => operationId);
  assert.deepEqual([...new Set(ids)], ids);
  assert.ok(ids.includes('authsvc-authorize-token'), ids.join());
  assert.ok(ids.includes('legacy-twice-v2-2-authorize-token'), ids.join());
});

test('the OpenAPI document has every operation of every mount, and no other', () => {
  const expected = MOUNTS.flatMap(({ path: mount }) => ROUTES.map(({ path }) => mount + path));
  assert.deepEqual(Object.keys(document.paths).slice(0, expected.length), expected);
  for (const { method, path } of ROUTES) {
    assert.deepEqual(Object.keys(document.paths[`/authsvc${path}`] ?? {}), [method]);
  }
});

test('the public document names no metrics', () => {
  assert.deepEqual(Object.keys(opsPaths()), ['/healthz', '/readyz']);
});

test('the document has the parameters that the parsers read', () => {
  const documented = { ...RefreshRequest.properties, ...RedemptionRequest.properties };
  assert.deepEqual(Object.keys(documented).sort(), Object.keys(TokenParameters.properties).sort());
  assert.deepEqual(Object.keys(ScopeRequest.properties), Object.keys(ScopeParameters.properties));
});

test('the document has the parameters that the oauth door reads, without those that it always refuses', () => {
  const pairs = [
    [oauth.TokenForm, oauth.TokenParameters, ['actor_token']],
    [oauth.IntrospectionForm, oauth.IntrospectionParameters, ['client_assertion']],
  ] as const;
  for (const [documented, read, refused] of pairs) {
    const names = [...Object.keys(documented.properties), ...refused];
    assert.deepEqual(names.sort(), Object.keys(read.properties).sort());
  }
});

test('every tag of an operation is described, and every schema of a body has a name', () => {
  const { tags } = document as unknown as { readonly tags: readonly { readonly name: string }[] };
  const used = new Set(operationsOf(document).flatMap((operation) => operation.tags ?? []));
  assert.deepEqual(tags.map(({ name }) => name).sort(), [...used].sort());
  const unnamed = operationsOf(document).flatMap(({ operationId, requestBody, responses }) =>
    [requestBody, ...Object.values(responses)].flatMap((body) => {
      const { schema } = body?.content?.['application/json'] ?? {};
      return !schema || schema.title || schema.oneOf ? [] : [operationId];
    }),
  );
  assert.deepEqual(unnamed, []);
});

test('requests say what they require, and the form of Authorize/Token has no refresh_token [contract 4.1]', () => {
  const content = document.paths['/authsvc/Authorize/Token']?.['post']?.requestBody?.content;
  const form = content?.['application/x-www-form-urlencoded']?.schema;
  assert.deepEqual(form?.required, ['client_id', 'grant_type', 'device_code']);
  assert.deepEqual(Object.keys(form?.properties ?? {}), ['client_id', 'grant_type', 'device_code']);
  const kinds = content?.['application/json']?.schema?.oneOf?.map(({ required }) => required);
  assert.deepEqual(kinds, [
    ['client_id', 'refresh_token'],
    ['client_id', 'grant_type', 'device_code'],
  ]);
});

test('the schema of a refusal has the error keys of its mount [spec-gaps: Departures]', () => {
  const [spec, oauth] = [
    ['Error', 'Error_description'],
    ['error', 'error_description'],
  ] as const;
  const both = [...spec, ...oauth];
  const expected = [
    [spec, spec],
    [oauth, oauth],
    [oauth, both],
    [oauth, both],
  ] as const;
  for (const [at, { path }] of MOUNTS.entries()) {
    const { 400: refusal } = document.paths[`${path}/Authorize/Token`]?.['post']?.responses ?? {};
    const { schema, example } = refusal?.content?.['application/json'] ?? {};
    const [required, shown] = expected[at] ?? [];
    assert.deepEqual(schema?.required, required);
    assert.deepEqual(Object.keys(example ?? {}), shown);
  }
});

test('the document has every status that an operation returns, and no other', () => {
  const statusesOf = (path: string, method: string) =>
    Object.keys(document.paths[`/authsvc/${path}`]?.[method]?.responses ?? {}).join(' ');
  assert.equal(statusesOf('Authorize/Token', 'post'), '200 400 404 405 413 429 431 503');
  assert.equal(statusesOf('Authorize/Device', 'post'), '200 400 404 405 413 429 431 503');
  assert.equal(statusesOf('Authorize/Certificate', 'post'), '200 400 401 404 405 413 429 431 503');
  assert.equal(statusesOf('Authorize/Verify', 'get'), '200 400 401 404 405 429 431 503');
  assert.equal(statusesOf('Revoke/Token', 'get'), '200 400 401 404 405 429 431 503');
});

test('the same for the oauth door, each with its meaning', () => {
  const posted = '200 400 401 404 405 413 429 431 500 503';
  const expected = {
    ...{ token: posted, device_authorization: posted, revoke: posted, introspect: posted },
    revocations: '200 400 401 404 405 410 429 431 500 503',
    ...{ jwks: '200 400 404 405 431 503', 'resources/{id}': '200 400 404 405 431 503' },
  };
  for (const [path, statuses] of Object.entries(expected)) {
    const [[method, operation] = []] = Object.entries(document.paths[`/oauth2/${path}`] ?? {});
    assert.deepEqual(
      [method, operation?.requestBody?.required],
      statuses === posted ? ['post', true] : ['get', undefined],
    );
    assert.equal(Object.keys(operation?.responses ?? {}).join(' '), statuses, path);
    const { content } = operation?.responses[200] ?? {};
    assert.equal(content?.['text/event-stream'] !== undefined, path === 'revocations', 'it alone is a stream');
    const { schema } = content?.['application/json'] ?? {};
    assert.equal((schema?.additionalProperties as unknown) === false, path === 'revoke', 'a revocation says nothing');
    for (const [status, { description, headers }] of Object.entries(operation?.responses ?? {})) {
      assert.ok(description, `${path} ${status}`);
      const names = Object.keys(headers ?? {}).join();
      const isProven = ['introspect', 'revocations'].includes(path);
      const usual = { 405: 'Allow', 429: 'Retry-After', 503: 'Retry-After', 401: isProven ? 'WWW-Authenticate' : '' };
      assert.equal(names, usual[status as '401'] ?? '', `${path} ${status}`);
      assert.equal(headers !== undefined, names !== '', `${path} ${status}`);
    }
  }
});

test('schemas limit what the service limits, and nothing else', () => {
  const { schemas = {} } = withNamedSchemas(document).components as { schemas?: Record<string, OpenapiSchema> };
  const limits: Record<string, object> = {};
  for (const [schema, { properties = {} }] of Object.entries(schemas))
    for (const [name, { minLength, maxLength, minimum }] of Object.entries(properties) as [string, Limited][])
      if (minLength !== undefined || maxLength !== undefined || minimum !== undefined)
        limits[`${schema} ${name}`] = [minLength, maxLength, minimum];
  const [some, duration] = [
    [1, undefined, undefined],
    [undefined, undefined, 0],
  ];
  const [clientId, lengths] = [[1, 128, undefined], { expires_in: duration, interval: duration }];
  const oauthId = [1, 512, undefined];
  const withPrefix = (schema: string, of: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(of).map(([name, limit]) => [`${schema} ${name}`, limit]));
  assert.deepEqual(limits, {
    ...withPrefix('RefreshRequest', { client_id: clientId, refresh_token: some }),
    ...withPrefix('RedemptionRequest', { client_id: clientId, device_code: some }),
    ...withPrefix('ScopeRequest', { client_id: clientId, scope: [1, 4096, undefined] }),
    ...withPrefix('TokenGrant', { expires_in: duration }),
    ...withPrefix('CertificateGrant', { expires_in: duration }),
    ...withPrefix('DeviceGrant', lengths),
    ...withPrefix('VerifiedToken', { valid_for: duration }),
    ...withPrefix('OauthTokenRequest', { client_id: oauthId }),
    ...withPrefix('OauthDeviceRequest', { client_id: oauthId }),
    ...withPrefix('OauthRevocationRequest', { client_id: oauthId, token: some }),
    ...withPrefix('OauthIntrospectionRequest', { client_id: clientId, token: some }),
    ...withPrefix('OauthTokenGrant', { expires_in: duration, refresh_token_expires_in: duration }),
  });
  const { client_id, code } = schemas['OauthTokenRequest']?.properties ?? {};
  assert.deepEqual([client_id?.examples, code && 'examples' in code], [['orders-sync'], false]);
});

test('an example of an answer has every field that is always there, and shows one moment in all its forms', () => {
  const exampleOf = (path: string, method: string) => {
    const { 200: granted } = document.paths[`/authsvc/${path}`]?.[method]?.responses ?? {};
    assert.equal('links' in (granted ?? {}), path !== 'Revoke/Token');
    return granted?.content?.['application/json']?.example;
  };
  const [seconds, iso, milliseconds] = [1_800_000_000, '2027-01-15T08:00:00Z', '/Date(1800000000000)/'];
  assert.equal(new Date(iso).getTime(), seconds * 1000);
  assert.deepEqual(exampleOf('Authorize/Token', 'post'), {
    ...{ access_token: 'tsa_EXAMPLE==', refresh_token: 'tsr_EXAMPLE==', expires_in: 7_775_999, expires: seconds },
    ...{ token_type: 'Bearer', scope: 'orders:read,write;stock:read', refresh_until: seconds },
  });
  assert.deepEqual(exampleOf('Authorize/Device', 'post'), {
    ...{ device_code: 'tsd_EXAMPLE==', user_code: 'BCDF-GHJK', verification_uri: 'https://tokens.example/device' },
    verification_uri_complete: 'https://tokens.example/device?user_code=BCDF-GHJK',
    ...{ expires_in: 300, expires: seconds, interval: 5 },
  });
  const times = (name: string) => ({ [name]: milliseconds, [`${name}_ISO8601`]: iso, [`${name}_unix_time`]: seconds });
  assert.deepEqual(exampleOf('Authorize/Verify', 'get'), {
    identity: 'local:{0a1b2c3d-0000-4000-8000-000000000001}',
    ...{ application: 'orders-sync', scope: 'orders:read', valid_for: 7_775_999 },
    ...{ ...times('access_issued_on'), access_expires_ISO8601: iso, access_expires_unix_time: seconds },
    ...{ ...times('grant_issued_on'), ...times('expires') },
  });
  assert.deepEqual(exampleOf('Revoke/Token', 'get'), {});
});

test('an example of a refusal has a code of its status, and says what was not accepted', () => {
  const token = 'The access token was not accepted.';
  for (const [path, method, of400, of401, words] of [
    ['Authorize/Token', 'post', 'authorization_pending', undefined, undefined],
    ['Authorize/Device', 'post', 'invalid_client', undefined, undefined],
    ['Authorize/Certificate', 'post', 'invalid_request', 'invalid_client', 'The client certificate was not accepted.'],
    ['Authorize/Verify', 'get', 'invalid_request', 'invalid_token', token],
    ['Revoke/Token', 'get', 'invalid_request', 'invalid_token', token],
  ] as const) {
    const { responses = {}, requestBody } = document.paths[`/authsvc/${path}`]?.[method] ?? {};
    for (const [status, { content }] of Object.entries(responses)) {
      const { Error: code } = (content?.['application/json']?.example ?? {}) as { Error?: string };
      const expected = { 200: undefined, 400: of400, 401: of401 };
      assert.equal(code, status in expected ? expected[Number(status) as 400] : 'invalid_request', `${path} ${status}`);
    }
    assert.equal(responses[401]?.description, words);
    assert.equal(requestBody?.required, method === 'post' ? true : undefined);
  }
  const { description } = document.paths['/authsvc/Authorize/Token']?.['post']?.responses[400] ?? {};
  assert.match(String(description), /^Refused: authorization_pending, [^.]*unauthorized_client\. /);
  assert.doesNotMatch(String(description), /invalid_token/);
});

test('no schema has names that differ only in case or punctuation: clients in Go and Java would not compile', () => {
  const { schemas = {} } = withNamedSchemas(document).components as { schemas?: Record<string, OpenapiSchema> };
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');
  for (const names of [
    Object.keys(schemas),
    ...Object.values(schemas).map(({ properties = {} }) => Object.keys(properties)),
  ])
    assert.equal(new Set(names.map(plain)).size, names.length, names.join());
});

test('links of the document for generators have no body: their parser takes only a text there', () => {
  const linksOf = (documented: OpenapiDocument) =>
    operationsOf(documented).flatMap(({ responses }) => Object.values(responses[200]?.links ?? {}));
  assert.ok(linksOf(document).some(({ requestBody }) => requestBody));
  const plain = linksOf(withPlainLinks(document));
  assert.equal(plain.length, linksOf(document).length);
  assert.deepEqual(
    plain.filter((link) => 'requestBody' in link),
    [],
  );
});

test('every link leads to an operation of the same mount', () => {
  for (const { path: mount } of MOUNTS) {
    const paths = Object.entries(document.paths).filter(([path]) =>
      ROUTES.some((route) => path === mount + route.path),
    );
    const operations = paths.flatMap(([, methods]) => Object.values(methods));
    const ids = operations.map(({ operationId }) => operationId);
    const links = operations.flatMap(({ responses }) => Object.values(responses[200]?.links ?? {}));
    assert.equal(links.length, 8);
    for (const { operationId, description: _, requestBody, ...others } of links) {
      assert.ok(ids.includes(operationId), operationId);
      assert.deepEqual([others, requestBody !== undefined], [{}, operationId.endsWith('authorize-token')]);
    }
  }
});
