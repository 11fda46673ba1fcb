// Installs the packages of the lock file, once, also where several starts want it at the same moment.
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants as osConstants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { say, stop } from './say.mjs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Whether node_modules holds what the lock file says, going by npm's own record of its last complete install. */
export function isInstalled(root, { needsDev }) {
  const record = readRecord(join(root, 'node_modules', '.package-lock.json'));
  if (!record) return false;
  const wanted = Object.entries(JSON.parse(readText(join(root, 'package-lock.json'))).packages).filter(
    ([path, entry]) => path.startsWith('node_modules/') && !entry.link && !entry.optional && (needsDev || !entry.dev),
  );
  return wanted.every(
    ([path, { version }]) => record.packages[path]?.version === version && existsSync(join(root, path)),
  );
}

/** `what`: for people; the packages of the lock file if absent. */
export async function install(root, { what, needsDev, isReady }) {
  if (!mayWrite(root)) {
    stop(`packages are missing and ${root} cannot be written. Run \`npm ci\` there once, as someone who may write.`);
  }
  const lockFile = join(root, '.installing');
  await lock(lockFile);
  const release = () => rmSync(lockFile, { force: true });
  process.on('exit', release);
  // While this process waited, another may have done it.
  if (!isReady()) await run(root, lockFile, { what, needsDev });
  // The pinned Node must not hide the machine's own, which npm would otherwise find behind this link.
  rmSync(join(root, 'node_modules', '.bin', 'node'), { force: true });
  release();
  process.off('exit', release);
}

async function run(root, lockFile, { what, needsDev }) {
  const started = Date.now();
  const seconds = () => `${((Date.now() - started) / 1000).toFixed(0)} s`;
  const usual = `the packages of package-lock.json, ${needsDev ? 'with development tools' : 'to run only'}`;
  say(`installing ${what ?? usual}, once …`);
  // Where the packages to run are there already, a service may be running from them: add to them, remove nothing.
  const command = isInstalled(root, { needsDev: false }) ? ['install', '--no-save'] : ['ci'];
  const extent = needsDev ? ['--include=dev'] : ['--omit=dev'];
  const flags = ['--include=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const progress = setInterval(() => say(`still installing, ${seconds()} …`), 5000);
  const { result, interrupted } = await ended(() => {
    const npm = spawn('npm', [...command, ...extent, ...flags], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    writeFileSync(lockFile, `${process.pid} ${npm.pid ?? ''}`);
    return npm;
  });
  clearInterval(progress);
  if (interrupted) {
    say('interrupted while installing; the next start begins the install again');
    process.exit(128 + osConstants.signals[interrupted]);
  }
  if (result !== 0) {
    stop(
      `npm could not install (${result}); it says why above. Without network: bring node_modules from a machine of the ` +
        'same kind with the same package-lock.json, and run the same command again.',
    );
  }
  say(`installed in ${seconds()}`);
}

/**
 * Starts npm; how it ended. A signal is passed on, and npm waited for: half of it still running would disturb the next install.
 * Signals are handled before npm starts, so that none ends this process alone.
 */
function ended(start) {
  return new Promise((resolve) => {
    let interrupted;
    const pass = (signal) => {
      interrupted = signal;
      npm.kill(signal);
    };
    const done = (result) => {
      for (const signal of SIGNALS) process.off(signal, pass);
      resolve({ result, interrupted });
    };
    for (const signal of SIGNALS) process.on(signal, pass);
    const npm = start();
    npm.on('error', (error) => done(error.message));
    npm.on('exit', (code, signal) => done(code ?? signal));
  });
}

/** One installer at a time: a file with its process id and npm's. The lock of a dead process is removed. */
async function lock(path) {
  for (let told = false; ; await sleep(200)) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') stop(`cannot write ${path}: ${error.message}`);
    }
    const owners = (readText(path) ?? '').split(' ').map(Number).filter(Boolean);
    if (owners.length > 0 ? !owners.some(isAlive) : isOld(path)) rmSync(path, { force: true });
    else if (!told) say('another start is installing here; waiting for it …');
    told = true;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Made, but nothing written into it for longer than any writer takes. */
function isOld(path) {
  return existsSync(path) && Date.now() - statSync(path).mtimeMs > 5000;
}

function mayWrite(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Undefined while another start writes it. */
function readRecord(path) {
  try {
    return JSON.parse(readText(path) ?? 'null');
  } catch {
    return undefined;
  }
}
