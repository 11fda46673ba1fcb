// A client that an independent generator makes from the OpenAPI document completes the life of an integration.
// Only in test:all: libraries of others
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { generate } from 'openapi-typescript-codegen';
import { temporaryFolder } from '../temporary-folder.ts';
import { AdminScene } from './admin-scene.ts';

const USE = `
import { IntegrationsService, OpenAPI } from './client';
OpenAPI.BASE = process.env['SERVER'] ?? '';
OpenAPI.TOKEN = process.env['TOKEN'];
async function life(): Promise<void> {
  const made = await IntegrationsService.integrationPut('generated', { scope: 'a:read' }, undefined, '*');
  const changed = await IntegrationsService.integrationPut('generated', { ...made, scope: 'a:read,write' });
  const disabled = await IntegrationsService.integrationDisable('generated');
  const { items } = await IntegrationsService.integrationList(1000);
  const removed = await IntegrationsService.integrationRemove('generated', true);
  const isListed = items.some(({ clientId }) => clientId === 'generated');
  console.log(JSON.stringify([made.enabled, changed.scope, disabled.enabled, isListed, removed.endedGrants]));
}
void life();
`;

test('a generated client makes, changes, disables, lists and removes an integration', async (t) => {
  await using scene = await AdminScene.open();
  const folder = temporaryFolder('generated');
  t.after(async () => {
    rmSync(folder, { recursive: true, force: true });
  });
  const input = (await scene.ask(undefined, 'GET', '/openapi.json')).json;
  await generate({ input, output: join(folder, 'client'), exportSchemas: false });
  writeFileSync(join(folder, 'use.ts'), USE);
  writeFileSync(join(folder, 'ca.pem'), scene.service.authority.pem);
  const types = ['--types', 'node', '--typeRoots', join(process.cwd(), 'node_modules/@types')];
  const target = ['--target', 'es2024', '--module', 'commonjs', '--moduleResolution', 'bundler', '--lib', 'es2024,dom'];
  const compile = [
    'node_modules/typescript/bin/tsc',
    '--ignoreConfig',
    '--strict',
    '--skipLibCheck',
    ...target,
    ...types,
  ];
  execFileSync(process.execPath, [...compile, join(folder, 'use.ts')], { encoding: 'utf8', stdio: 'pipe' });
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'use.js')], {
    env: {
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
      SERVER: `https://localhost:${scene.service.port}`,
      TOKEN: await scene.token('olga'),
    },
  });
  assert.deepEqual(JSON.parse(stdout), [true, 'a:read,write', false, true, 0]);
});
