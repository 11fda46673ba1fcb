// Runs a file of this project on Node 24 or newer, whatever Node the machine has, installing what is missing first.
// This file itself must run on old Node versions and may import nothing that is not built in.
//
//   node runtime/launch.mjs [--dev] FILE [ARGUMENT …]      --dev: the development dependencies are needed too
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chooseNode, hasNode } from './choose-node.mjs';
import { install, isInstalled } from './install.mjs';
import { stop } from './say.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const needsDev = process.argv[2] === '--dev';
const [file, ...rest] = process.argv.slice(needsDev ? 3 : 2);

if (!isReady()) await install(root, { needsDev, isReady });
if (!file) stop('no file to run was given');
if (!existsSync(join(root, file)))
  stop(`${file} is not in this checkout yet. What is there is described in ARCHITECTURE.md; \`npm test\` tries it.`);
// Tests and drills install packages of Debian anyway.
const mayInstall = /^(runtime\/test\.mjs|lab\/)/.test(file) && !rest.includes('--without-system-packages');
launch(await chooseNode(root, { needsDev, mayInstall }), [join(root, file), ...rest]);

/** A Node, and the packages of the lock file. */
function isReady() {
  return isInstalled(root, { needsDev }) && hasNode(root);
}

function launch(node, args) {
  // Types are stripped and code is compiled once: kept beside the packages, where nobody else can put code.
  const env = { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'tessera'), ...process.env };
  // As src/cli/tessera has it for the published package, which says why.
  env.NODE_OPTIONS = `--max-semi-space-size=16 ${env.NODE_OPTIONS ?? ''}`;
  // The process holds keys: no core file, and no debugger at a signal.
  const shell = [
    '-c',
    'ulimit -c 0; exec "$0" "$@"',
    node,
    '--disable-sigusr1',
    '--disable-warning=ExperimentalWarning',
    ...args,
  ];
  // In place of this process where Node can do that: then signals, terminal and exit code are the program's own.
  if (process.execve) process.execve('/bin/sh', ['sh', ...shell], env);
  const child = spawn('/bin/sh', shell, { stdio: 'inherit', env });
  // At a terminal Ctrl-C reaches the child by itself; passing it on would make it two.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
  child.on('error', (error) => stop(`cannot start Node: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
