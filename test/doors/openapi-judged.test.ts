// The OpenAPI document, judged by an independent linter and by the clients that are generated from it.
// Only in test:all: libraries of others
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import fc from 'fast-check';
import { generate } from 'openapi-typescript-codegen';
import { adminDocument } from '../../src/doors/admin/openapi.ts';
import { type OpenapiDocument, withNamedSchemas } from '../../src/doors/openapi-document.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { documentOf, MOUNTS } from './openapi-sample.ts';

const document = documentOf(MOUNTS);

/** The problems that the strictest of the linter's rule sets finds. */
async function problemsOf(documented: OpenapiDocument): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const source = JSON.stringify(withNamedSchemas(documented));
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`);
}

test('an independent linter finds nothing in the document of several mounts', async () => {
  assert.deepEqual(await problemsOf(document), []);
});

test('nor in the document of the admin door', async () => {
  const { paths, ...rest } = adminDocument({ publicUrl: 'https://tokens.corp.test', version: '1.2.3' });
  assert.deepEqual(await problemsOf({ paths, ...rest }), []);
});

test('the document is valid with any list of mounts', async () => {
  const path = fc.stringMatching(/^(\/[A-Za-z0-9._~-]{1,4}){1,2}$/);
  const mounts = fc.uniqueArray(fc.record({ path, errorKeys: fc.constantFrom('spec', 'oauth', 'both') }), {
    selector: (mount) => mount.path.toLowerCase(),
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(mounts, async (list) => assert.deepEqual(await problemsOf(documentOf(list)), [])),
    { numRuns: 4 },
  );
});

test('a client in TypeScript is generated from the document, and compiles', async (t) => {
  const folder = temporaryFolder('client');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const input = JSON.parse(JSON.stringify(withNamedSchemas(document)));
  await generate({ input, output: join(folder, 'client'), exportSchemas: false });
  writeFileSync(join(folder, 'use.ts'), USE_OF_CLIENT);
  const compile = [
    'node_modules/typescript/bin/tsc',
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--target',
    'es2024',
    '--skipLibCheck',
  ];
  const libraries = ['--module', 'preserve', '--moduleResolution', 'bundler', '--lib', 'es2024,dom', '--types', ''];
  execFileSync(process.execPath, [...compile, ...libraries, join(folder, 'use.ts')], { encoding: 'utf8' });
});

const USE_OF_CLIENT = `
import { AuthsvcService, type DeviceGrant, OauthService, type OauthTokenGrant, OauthTokenRequest, type TokenGrant } from './client';
const started: Promise<DeviceGrant> = AuthsvcService.authsvcAuthorizeDevice({ client_id: 'a', scope: 'b' });
const pair: Promise<TokenGrant> = AuthsvcService.legacyAuthorizeToken({ client_id: 'a', refresh_token: 'b' });
// @ts-expect-error a refresh needs its token
void AuthsvcService.legacyAuthorizeToken({ client_id: 'a' });
const granted: Promise<OauthTokenGrant> = OauthService.oauthToken({
  grant_type: OauthTokenRequest.grant_type.CLIENT_CREDENTIALS,
  client_id: 'a',
});
// @ts-expect-error a check needs the token
void OauthService.oauthIntrospect({});
void started;
void pair;
void granted;
`;
