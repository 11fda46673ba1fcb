// Installs the packages of the lock file, once, also where several starts want it at the same moment.
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants as osConstants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { say, stop } from './say.mjs';

/** Whether node_modules holds what the lock file says, going by npm's own record of its last complete install. */
export function isInstalled(root, { needsDev }) {
  const record = readJson(join(root, 'node_modules', '.package-lock.json'));
  if (!record) return false;
  const wanted = Object.entries(readJson(join(root, 'package-lock.json')).packages).filter(
    ([path, entry]) => path.startsWith('node_modules/') && !entry.link && !entry.optional && (needsDev || !entry.dev),
  );
  return wanted.every(
    ([path, { version }]) => record.packages[path]?.version === version && existsSync(join(root, path)),
  );
}

export async function install(root, { needsDev, isReady }) {
  if (!mayWrite(root)) {
    stop(`packages are missing and ${root} cannot be written. Run \`npm ci\` there once, as someone who may write.`);
  }
  const release = await lock(join(root, '.installing'));
  process.on('exit', release);
  // While this process waited, another may have done it.
  if (!isReady()) await run(root, needsDev);
  release();
}

async function run(root, needsDev) {
  const started = Date.now();
  const seconds = () => `${((Date.now() - started) / 1000).toFixed(0)} s`;
  say(`installing the packages of package-lock.json, ${needsDev ? 'with development tools' : 'to run only'}, once …`);
  // Where the packages to run are there already, a service may be running from them: add to them, remove nothing.
  const command = isInstalled(root, { needsDev: false }) ? ['install', '--no-save'] : ['ci'];
  const extent = needsDev ? ['--include=dev'] : ['--omit=dev'];
  const flags = ['--include=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = spawn('npm', [...command, ...extent, ...flags], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  const progress = setInterval(() => say(`still installing, ${seconds()} …`), 5000);
  const ended = await new Promise((resolve) => {
    npm.on('error', (error) => resolve(error.message));
    npm.on('exit', (code, signal) => resolve(code ?? signal));
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.once(signal, () => {
        npm.kill(signal);
        say('interrupted while installing; the next start begins the install again');
        process.exit(128 + osConstants.signals[signal]);
      });
    }
  });
  clearInterval(progress);
  if (ended !== 0) {
    stop(
      `npm could not install (${ended}); it says why above. Without network: bring node_modules from a machine of the ` +
        'same kind with the same package-lock.json, and run the same command again.',
    );
  }
  // The pinned Node must not hide the machine's own, which npm would otherwise find behind this link.
  rmSync(join(root, 'node_modules', '.bin', 'node'), { force: true });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal);
  say(`installed in ${seconds()}`);
}

/** One installer at a time: a file with its process id. One that died without a word is cleared away. */
async function lock(path) {
  for (let told = false; ; await pause(200)) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' });
      return () => readText(path) === String(process.pid) && rmSync(path, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') stop(`cannot write ${path}: ${error.message}`);
    }
    const owner = Number(readText(path));
    if (owner ? !isAlive(owner) : isOld(path)) rmSync(path, { force: true });
    else if (!told) say(`another start (process ${owner}) is installing here; waiting for it …`);
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

function readJson(path) {
  const text = readText(path);
  return text === undefined ? undefined : JSON.parse(text);
}
