// The real parts that tests and drills need and that no npm package brings. As root on Debian they are installed where
// they are missing; elsewhere it is said what is missing, and what needs it fails.
//   node runtime/needs.mjs patroni
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { say } from './say.mjs';

/** One line each: the command (or file) to look for, the Debian package that brings it, and why it is needed. */
const NEEDS = {
  tests: [
    ['openssl', 'openssl', 'makes certificates, CRLs and OCSP answers by other code than ours'],
    ['/usr/bin/python3', 'python3', 'calls GnuTLS, which judges certificates by other code than ours and OpenSSL'],
    ['/usr/lib/*/libgnutls.so.30', 'libgnutls30', 'the same'],
    ['chromium', 'chromium', 'a real browser for the pages'],
    ['nginx', 'nginx', 'a proxy in front of the service, configured as docs/proxies.md says'],
    ['haproxy', 'haproxy', 'the same'],
    ['apache2', 'apache2', 'the same'],
    ['caddy', 'caddy', 'the same'],
    ['curl', 'curl', 'the commands that a person pastes'],
    ['pgbouncer', 'pgbouncer', 'a pooler between nodes and PostgreSQL'],
    ['python3', 'python3', 'a second implementation of docs/exactly-once-refresh.md'],
    ['/usr/lib/postgresql/*/bin/pg_rewind', 'postgresql', 'a database that speaks other languages than English'],
    ['systemd-analyze', 'systemd', 'checks the units of deploy/systemd and rates what they may do'],
  ],
  lab: [
    ['debootstrap', 'debootstrap', 'makes a Debian root file system'],
    ['systemd-nspawn', 'systemd-container', 'boots it with systemd'],
    ['buildah', 'buildah', 'builds the container image'],
    ['podman', 'podman', 'runs it'],
    ['crun', 'crun', 'the same'],
  ],
  patroni: [
    ['patroni', 'patroni', 'promotes a standby when the primary dies'],
    ['etcd', 'etcd-server', 'where Patroni keeps who leads'],
    ['/usr/lib/postgresql/*/bin/pg_rewind', 'postgresql', 'the database, and the account that it runs as'],
  ],
};

export function installNeeds(of) {
  const missing = NEEDS[of].filter(([command]) => !isThere(command));
  if (missing.length === 0) return;
  for (const [command, packageName, reason] of missing)
    say(`${command} is missing (${reason}): package ${packageName}`);
  const packages = missing.map(([, packageName]) => packageName);
  if (process.getuid?.() !== 0 || !isThere('apt-get')) {
    return say(`not root on Debian, so nothing is installed. Do: apt-get install ${packages.join(' ')}`);
  }
  say(`installing ${packages.join(', ')}, once …`);
  withoutStarting(() => {
    // The package lists of a bare machine are empty or old: fetch them only where installing fails without.
    const isDone = apt('install', '--no-install-recommends', ...packages);
    if (!isDone && !(apt('update') && apt('install', '--no-install-recommends', ...packages))) {
      say(`could not install ${packages.join(', ')}: what needs them will fail`);
    }
  });
}

function isThere(command) {
  if (command.startsWith('/')) return globSync(command).length > 0;
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin'];
  return folders.some((folder) => existsSync(join(folder, command)));
}

function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', ['--yes', '--quiet', ...args], { stdio: ['ignore', 2, 2], env }).status === 0;
}

/** Debian starts the servers it installs; the tests start their own, on ports of their own. */
function withoutStarting(work) {
  const policy = '/usr/sbin/policy-rc.d';
  const isOurs = !existsSync(policy);
  if (isOurs) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    work();
  } finally {
    if (isOurs) rmSync(policy, { force: true });
  }
}

if (import.meta.main) installNeeds(process.argv[2]);
