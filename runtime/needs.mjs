// Must run on Node 20, as launch.mjs. The real parts that tests and drills need and that no npm package brings. As root on Debian, missing ones are installed;
// elsewhere they are named, and what needs them fails.
//   node runtime/needs.mjs patroni
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from './say.mjs';

/** One line each: the command (or file) to look for, the Debian package that brings it, and why it is needed. */
const NEEDS = {
  pinned: [['/usr/lib/*/libatomic.so.1', 'libatomic1', 'the pinned Node cannot start without it']],
  tests: [
    ['openssl', 'openssl', 'makes certificates, CRLs and OCSP answers by other code than ours'],
    ['/usr/bin/python3', 'python3', 'calls GnuTLS, which judges certificates by other code than ours and OpenSSL'],
    ['/usr/lib/*/libgnutls.so.30', 'libgnutls30', 'the same'],
    ['chromium-headless-shell', 'chromium-headless-shell', 'a real browser for the pages'],
    ['nginx', 'nginx', 'a proxy in front of the service, configured as docs/proxies.md says'],
    ['haproxy', 'haproxy', 'the same'],
    ['apache2', 'apache2', 'the same'],
    ['/usr/lib/nginx/modules/ngx_http_js_module.so', 'libnginx-mod-http-js', 'a gateway that checks our tokens'],
    ['/usr/lib/apache2/modules/mod_auth_openidc.so', 'libapache2-mod-auth-openidc', 'a gateway that checks our tokens'],
    ['caddy', 'caddy', 'a proxy, as nginx'],
    ['curl', 'curl', 'the commands that a person pastes'],
    ['jq', 'jq', 'the same'],
    ['/usr/lib/python3/dist-packages/jose', 'python3-jose', 'checks our JWTs, as docs/libraries.md says'],
    ['ruby', 'ruby', 'the same'],
    ['/usr/share/doc/ruby-jwt', 'ruby-jwt', 'its library for that'],
    ['pgbouncer', 'pgbouncer', 'a pooler between nodes and PostgreSQL'],
    ['python3', 'python3', 'a second implementation of docs/exactly-once-refresh.md'],
    ['/usr/lib/postgresql/*/bin/pg_rewind', 'postgresql', 'a database that speaks other languages than English'],
    ['promtool', 'prometheus', 'runs the alert rules of deploy/prometheus'],
    ['zsh', 'zsh', 'completes commands with our script'],
    ['fish', 'fish', 'the same'],
    ['systemd-analyze', 'systemd', 'checks the units of deploy/systemd and rates what they may do'],
    ['slapd', 'slapd', 'an LDAP directory with people in it'],
  ],
  lab: [
    ['debootstrap', 'debootstrap', 'makes a Debian root file system'],
    ['systemd-nspawn', 'systemd-container', 'boots it with systemd'],
    ['buildah', 'buildah', 'builds the container image'],
    ['podman', 'podman', 'runs it'],
    ['crun', 'crun', 'the same'],
    ['bwrap', 'bubblewrap', 'enters a root file system'],
  ],
  generators: [['/usr/share/doc/python3-venv', 'python3-venv', 'a folder of Python for what pip installs']],
  peers: [
    ['wrk', 'wrk', 'a load generator of others, to check ours'],
    ['taskset', 'util-linux', 'gives the server and the generator a core each'],
  ],
  patroni: [
    ['patroni', 'patroni', 'promotes a standby when the primary dies'],
    ['etcd', 'etcd-server', 'where Patroni keeps who leads'],
    ['/usr/lib/postgresql/*/bin/pg_rewind', 'postgresql', 'the database, and the account that it runs as'],
  ],
};

/** The Debian packages of those needs that are missing. */
export function missingPackages(of) {
  return [...new Set(missingNeeds(of).map(([, packageName]) => packageName))];
}

function missingNeeds(of, packages) {
  return NEEDS[of].filter(([command, name]) => (packages?.includes(name) ?? true) && !isThere(command));
}

/** `packages`: only these of them. Two processes never install at the same time: the second waits, and then finds nothing missing. */
export async function installNeeds(of, packages) {
  if (missingNeeds(of, packages).length === 0) return;
  const release = await lock();
  try {
    await install(missingNeeds(of, packages));
  } finally {
    release();
  }
}

async function install(missing) {
  if (missing.length === 0) return;
  for (const [command, packageName, reason] of missing)
    say(`${command} is missing (${reason}): package ${packageName}`);
  const packages = [...new Set(missing.map(([, packageName]) => packageName))];
  if (process.getuid?.() !== 0 || !isThere('apt-get')) return;
  say(`installing ${packages.join(', ')}, once …`);
  await withoutStarting(async () => {
    // The package lists of a bare machine are empty or old: fetch them only where installing fails without.
    const isDone = await apt('install', '--no-install-recommends', ...packages);
    if (!isDone && !((await apt('update')) && (await apt('install', '--no-install-recommends', ...packages)))) {
      say(`could not install ${packages.join(', ')}`);
    }
  });
}

function isThere(command) {
  const [before, after] = command.split('/*/');
  if (after !== undefined) return foldersIn(before).some((name) => existsSync(join(before, name, after)));
  if (command.startsWith('/')) return existsSync(command);
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin'];
  return folders.some((folder) => existsSync(join(folder, command)));
}

function foldersIn(path) {
  return existsSync(path) ? readdirSync(path) : [];
}

const PATIENCE_MS = 600_000;
const HELD = /Could not get lock|Unable to acquire|Unable to lock|is another process using it/;

/**
 * Whether apt-get did it. While another apt works, it fails at once on one of its locks (lists, archives, dpkg): it is run
 * again until they are free.
 */
export async function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' };
  const end = Date.now() + PATIENCE_MS;
  for (let isWaiting = false; ; await sleep(1000)) {
    const { status, stderr } = spawnSync('apt-get', ['--yes', '--quiet', ...args], {
      stdio: ['ignore', 2, 'pipe'],
      encoding: 'utf8',
      env,
    });
    if (status === 0) return true;
    if (!HELD.test(stderr ?? '') || Date.now() > end) {
      process.stderr.write(stderr ?? '');
      return false;
    }
    if (!isWaiting) say('another apt is at work; waiting for it …');
    isWaiting = true;
  }
}

const LOCK = '/run/lock/tessera-needs';

/** A file with the process id of the one that installs. One left by a dead process is removed. */
async function lock() {
  if (process.getuid?.() !== 0) return () => undefined;
  for (;;) {
    try {
      writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
      return () => rmSync(LOCK, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') return () => undefined; // no such folder: apt's own locks must do
    }
    if (!existsSync(`/proc/${ownerOf(LOCK)}`)) rmSync(LOCK, { force: true });
    await sleep(200);
  }
}

/** Process 1 always lives: a file that is being written is not taken for one of a dead process. */
function ownerOf(path) {
  try {
    return readFileSync(path, 'utf8') || '1';
  } catch {
    return '1';
  }
}

/** Debian starts the servers it installs; the tests start their own, on ports of their own. */
async function withoutStarting(work) {
  const policy = '/usr/sbin/policy-rc.d';
  const isOurs = !existsSync(policy);
  if (isOurs) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await work();
  } finally {
    if (isOurs) rmSync(policy, { force: true });
  }
}

if (import.meta.main) await installNeeds(process.argv[2]);
