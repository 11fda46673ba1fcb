// Generators of clients for test/e2e/admin-generators.test.ts, from the registries of npm and Python. The test skips those that are missing.
//   node runtime/generators.mjs
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installNeeds } from './needs.mjs';
import { say, stop } from './say.mjs';

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules', '.cache', 'generators');

function done(command, ...args) {
  return spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}

await installNeeds('generators');
mkdirSync(folder, { recursive: true });
say('installing generators of clients, once …');
// openapi-typescript needs the compiler that TypeScript 7 replaced, so none of these is a dependency.
const packages = ['openapi-typescript@7.13.0', 'orval@8.30.0', 'typescript@5.9.3'];
const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder];
if (!done('npm', 'install', ...options, ...packages)) stop('npm could not install the generators');
const python = join(folder, 'python');
const pip = () => done(join(python, 'bin/pip'), 'install', '--quiet', 'openapi-python-client==0.29.1');
if (!done('python3', '-m', 'venv', python) || !pip()) {
  rmSync(python, { recursive: true, force: true });
  say('without the registry of Python: the test of its client is skipped');
}
