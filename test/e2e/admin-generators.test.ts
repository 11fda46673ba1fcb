// Clients that others' generators make from the document of the admin door: each kind is made and replaced with all its
// published defaults. runtime/generators.mjs installs the generators.
// Only in test:all: libraries of others
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { makeAuthority } from '../authority.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { AdminScene } from './admin-scene.ts';

const run = promisify(execFile);
const FOLDER = join(process.cwd(), 'node_modules/.cache/generators');
const skip = (file: string) => !existsSync(join(FOLDER, file)) && 'run: node runtime/generators.mjs';

/** Each of the five kinds, twice. */
const MADE_AND_REPLACED = [201, 200, 201, 200, 201, 200, 201, 200, 201, 200];

/** A folder with the document, and where a client finds the service. */
async function written(t: TestContext) {
  const scene = await AdminScene.open();
  const folder = temporaryFolder('generators');
  t.after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await scene.close();
  });
  const CA = join(folder, 'ca.pem');
  writeFileSync(join(folder, 'openapi.json'), (await scene.ask(undefined, 'GET', '/openapi.json')).text);
  writeFileSync(CA, scene.service.authority.pem);
  const SERVER = `https://localhost:${scene.service.port}`;
  const [TOKEN, PEM] = [await scene.token('olga'), makeAuthority({ name: 'generated' }).pem];
  return { folder, env: { SERVER, TOKEN, PEM, CA, NODE_EXTRA_CA_CERTS: CA } };
}

const PYTHON = `
import json, os
from client import AuthenticatedClient, models
from client.api.integrations import integration_put
from client.api.resource_servers import resource_server_put
from client.api.issuers import issuer_put
from client.api.token_issuers import token_issuer_put
from client.api.identities import identity_put
client = AuthenticatedClient(base_url=os.environ["SERVER"], token=os.environ["TOKEN"], verify_ssl=os.environ["CA"])
rule = models.AssertionRule.from_dict({"when": {"/sub": "a"}})
source = models.IssuerIdentitySourcesItem("common-name")
puts = [
    (integration_put, models.Integration(scope="a:read")),
    (resource_server_put, models.ResourceServer(audience="https://a.example", resources=["a"])),
    (issuer_put, models.Issuer(pem=os.environ["PEM"], identity_sources=[source])),
    (token_issuer_put, models.TokenIssuer(issuer="https://p.example", rules=[rule])),
    (identity_put, models.Identity()),
]
done = []
for at, (put, body) in enumerate(puts):
    for _ in range(2):
        done.append(int(put.sync_detailed(id=f"python{at}", client=client, body=body).status_code))
print(json.dumps(done))
`;

test('openapi-python-client: every kind is made and replaced with all its defaults', {
  skip: skip('python'),
}, async (t) => {
  const { folder, env } = await written(t);
  writeFileSync(join(folder, 'use.py'), PYTHON);
  const args = ['generate', '--meta', 'none', '--path', 'openapi.json', '--output-path', 'client'];
  await run(join(FOLDER, 'python/bin/openapi-python-client'), args, { cwd: folder });
  const { stdout } = await run(join(FOLDER, 'python/bin/python'), ['use.py'], { cwd: folder, env });
  assert.deepEqual(JSON.parse(stdout), MADE_AND_REPLACED);
});

const USE = `
import type { components } from './schema';
import { identityPut, integrationPut, issuerPut, resourceServerPut, tokenIssuerPut } from './orval';
type Schemas = components['schemas'];
declare const process: { readonly env: Record<string, string> };
const { SERVER = '', TOKEN, PEM = '' } = process.env;
const send = globalThis.fetch;
globalThis.fetch = (url, init) => {
  const { pathname } = new URL(String(url), SERVER);
  return send(SERVER + pathname, { ...init, headers: { ...init?.headers, authorization: 'Bearer ' + TOKEN } });
};
const integration: Schemas['Integration'] = { scope: 'a:read' };
const server: Schemas['ResourceServer'] = { audience: 'https://a.example', resources: ['a'] };
const issuer: Schemas['Issuer'] = { pem: PEM, identitySources: ['common-name'] };
const tokenIssuer: Schemas['TokenIssuer'] = { issuer: 'https://p.example', rules: [{ when: { '/sub': 'a' } }] };
async function use(): Promise<void> {
  const done: number[] = [];
  for (const put of [
    () => integrationPut('orval0', integration),
    () => resourceServerPut('orval1', server),
    () => issuerPut('orval2', issuer),
    () => tokenIssuerPut('orval3', tokenIssuer),
    () => identityPut('orval4', {}),
  ])
    for (let times = 0; times < 2; times++) done.push((await put()).status);
  console.log(JSON.stringify(done));
}
void use();
`;

test('openapi-typescript and orval: the same, with types that compile', {
  skip: skip('node_modules/orval'),
}, async (t) => {
  const { folder, env } = await written(t);
  writeFileSync(join(folder, 'use.ts'), USE);
  const bin = (name: string, ...args: string[]) => run(join(FOLDER, 'node_modules/.bin', name), args, { cwd: folder });
  await bin('openapi-typescript', 'openapi.json', '--default-non-nullable', 'false', '-o', 'schema.d.ts');
  await bin('orval', '--input', 'openapi.json', '--output', 'orval.ts', '--client', 'fetch');
  const target = ['--target', 'es2022', '--module', 'commonjs', '--lib', 'es2022,dom,dom.iterable'];
  await bin('tsc', '--strict', '--skipLibCheck', ...target, 'use.ts');
  const { stdout } = await run(process.execPath, ['use.js'], { cwd: folder, env });
  assert.deepEqual(JSON.parse(stdout), MADE_AND_REPLACED);
});
