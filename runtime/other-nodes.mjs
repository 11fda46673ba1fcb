// Other versions of Node for the tests of the packages in sdk/, from the npm registry. Those tests skip versions that are missing.
//   node runtime/other-nodes.mjs 20 22 24
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { say, stop } from './say.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const name = `node-${process.platform}-${process.arch}`;

function fetchNode(major) {
  const folder = join(root, 'node_modules', '.cache', 'nodes', major);
  if (existsSync(join(folder, 'node_modules', name))) return;
  mkdirSync(folder, { recursive: true });
  say(`installing Node ${major}, once …`);
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, `${name}@${major}`];
  const { status } = spawnSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) stop(`could not install ${name}@${major}`);
}

for (const major of process.argv.slice(2)) fetchNode(major);
