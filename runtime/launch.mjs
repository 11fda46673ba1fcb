// Runs a file of this project on Node 24 or newer, whatever Node the machine has, installing what is missing first.
// This file itself must run on old Node versions and may import nothing that is not built in.
//
//   node runtime/launch.mjs [--dev] FILE [ARGUMENT …]      --dev: the development dependencies are needed too
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 24;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampFile = join(root, 'node_modules', '.tessera-installed');

const [needsDev, args] = process.argv[2] === '--dev' ? [true, process.argv.slice(3)] : [false, process.argv.slice(2)];
install(needsDev ? 'all' : 'run');
launch(args);

/** Installs from the lock file unless an earlier install of the same lock file already covers `extent`. */
function install(extent) {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : '';
  if (stamp === `${lock} all` || stamp === `${lock} ${extent}`) return;

  const started = Date.now();
  say(
    `installing the packages of package-lock.json (${extent === 'all' ? 'with development tools' : 'to run only'}), once …`,
  );
  const omit = extent === 'all' ? [] : ['--omit=dev'];
  const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', ...omit], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (npm.status !== 0)
    stop(`npm ci failed (exit ${npm.status ?? npm.signal ?? npm.error}). Is the npm registry reachable?`);
  writeFileSync(stampFile, `${lock} ${extent}`);
  say(`installed in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

function launch([file, ...rest]) {
  if (!file) stop('no file to run was given');
  const child = spawn(pickNode(), [join(root, file), ...rest], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => stop(`cannot start Node: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (signal === 'SIGINT' ? 2 : 15)));
}

/** The machine's own Node where it is new enough, else the pinned one. */
function pickNode() {
  if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE) return process.execPath;
  const pinned = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(pinned)) return pinned;
  return stop(
    `this needs Node ${OLDEST_NODE} or newer; this is ${process.version}, and no Node is pinned for ` +
      `${process.platform} ${process.arch}. Install Node ${OLDEST_NODE} and run the same command again.`,
  );
}

function say(text) {
  process.stderr.write(`tessera: ${text}\n`);
}

function stop(text) {
  say(text);
  process.exit(1);
}
