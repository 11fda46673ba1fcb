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

test('every operation of every mount stands in the OpenAPI document, and nothing else of theirs', () => {
  const expected = ['/authsvc', '/legacy'].flatMap((mount) => ROUTES.map(({ path }) => mount + path));
  assert.deepEqual(Object.keys(document.paths).slice(0, expected.length), expected);
  for (const { method, path } of ROUTES) {
    assert.deepEqual(Object.keys(document.paths[`/authsvc${path}`] ?? {}), [method.toLowerCase()]);
  }
});

test('the document shows the parameters that requests are read by', () => {
  const { post } = document.paths['/authsvc/Authorize/Token'] ?? {};
  const parameters = post?.requestBody?.content['application/json']?.schema?.properties ?? {};
  assert.deepEqual(Object.keys(parameters), ['client_id', 'grant_type', 'device_code', 'refresh_token']);
});

test('the document shows every status that an operation answers with', () => {
  const { post } = document.paths['/authsvc/Authorize/Certificate'] ?? {};
  assert.deepEqual(Object.keys(post?.responses ?? {}), ['200', '400', '401', '413', '429', '431', '503']);
  const { get } = document.paths['/authsvc/Revoke/Token'] ?? {};
  assert.deepEqual(Object.keys(get?.responses ?? {}), ['200', '401', '413', '429', '431', '503']);
});
