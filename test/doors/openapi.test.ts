import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/doors/authsvc/dialect.ts';
import { authsvcPaths } from '../../src/doors/authsvc/openapi.ts';
import { openapiDocument } from '../../src/doors/openapi.ts';
import { opsPaths } from '../../src/doors/ops/openapi.ts';

const document = openapiDocument({ publicUrl: 'https://tokens.example.com', version: '1.2.3' }, [
  { openapi: authsvcPaths('/authsvc') },
  { openapi: authsvcPaths('/legacy') },
  { openapi: opsPaths() },
]);

test('the OpenAPI document has every operation of every mount, and no other', () => {
  const expected = ['/authsvc', '/legacy'].flatMap((mount) => ROUTES.map(({ path }) => mount + path));
  assert.deepEqual(Object.keys(document.paths).slice(0, expected.length), expected);
  for (const { method, path } of ROUTES) {
    assert.deepEqual(Object.keys(document.paths[`/authsvc${path}`] ?? {}), [method.toLowerCase()]);
  }
});

test('the document has the parameters that the parsers read', () => {
  const { post } = document.paths['/authsvc/Authorize/Token'] ?? {};
  const parameters = post?.requestBody?.content['application/json']?.schema?.properties ?? {};
  assert.deepEqual(Object.keys(parameters), ['client_id', 'grant_type', 'device_code', 'refresh_token']);
});

test('the document has every status that an operation returns', () => {
  const { post } = document.paths['/authsvc/Authorize/Certificate'] ?? {};
  assert.deepEqual(Object.keys(post?.responses ?? {}), ['200', '400', '401', '413', '429', '431', '503']);
  const { get } = document.paths['/authsvc/Revoke/Token'] ?? {};
  assert.deepEqual(Object.keys(get?.responses ?? {}), ['200', '401', '413', '429', '431', '503']);
});
