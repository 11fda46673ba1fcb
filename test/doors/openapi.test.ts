// The OpenAPI document. openapi-judged.test.ts has an independent linter and generated clients.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/doors/authsvc/routes.ts';
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
    assert.deepEqual(Object.keys(document.paths[`/authsvc${path}`] ?? {}), [method.toLowerCase()]);
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
    const [operation] = Object.values(document.paths[`/oauth2/${path}`] ?? {});
    assert.equal(Object.keys(operation?.responses ?? {}).join(' '), statuses, path);
    const { schema } = operation?.responses[200]?.content?.['application/json'] ?? {};
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
    for (const { operationId } of links) assert.ok(ids.includes(operationId), operationId);
  }
});
