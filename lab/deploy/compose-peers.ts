// PostgreSQL and nginx of compose.yaml, from Debian instead of images of a registry: with the variables, mounts and addresses of the file.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT, run } from './shell.ts';

export interface Peer {
  readonly place: string;
  /** The name of its network namespace. */
  readonly network: string;
}

const FILES = join(ROOT, 'deploy/container');

/** What the entry point of the official image does: a password for the administrator, scripts over the socket, then the network. */
const POSTGRES = `
  cd "$PLACE"
  PATH=$(ls -d /usr/lib/postgresql/*/bin | tail -1):$PATH
  printf %s "$POSTGRES_PASSWORD" > password
  initdb --username=postgres --pwfile=password --auth-local=trust --auth-host=scram-sha-256 --pgdata=data >/dev/null
  pg_ctl --pgdata=data --options="-c listen_addresses='' -c unix_socket_directories=$PLACE" --log=log --wait start >/dev/null
  PGHOST=$PLACE createdb --username=postgres "$POSTGRES_DB"
  PGHOST=$PLACE ./roles.sh >/dev/null
  pg_ctl --pgdata=data --wait stop >/dev/null
  echo 'host all all all scram-sha-256' >> data/pg_hba.conf
  exec postgres -D data -c listen_addresses='*' -c unix_socket_directories="$PLACE"`;

/** Resolves when the health check of the file succeeds. */
export async function startPostgres(
  { place, network }: Peer,
  environment: Readonly<Record<string, string>>,
  healthCheck: string,
): Promise<ChildProcess> {
  const own = join(place, 'postgres');
  mkdirSync(own);
  copyFileSync(join(FILES, 'roles.sh'), join(own, 'roles.sh'));
  run('chown', ['-R', 'postgres', own]);
  const child = spawn(
    'ip',
    ['netns', 'exec', network, 'setpriv', '--reuid=postgres', '--clear-groups', 'sh', '-ec', POSTGRES],
    {
      env: { PATH: process.env['PATH'], ...environment, PLACE: own },
      stdio: ['ignore', 'inherit', 'ignore'],
    },
  );
  for (let tries = 0; ; tries++) {
    try {
      run('ip', ['netns', 'exec', network, 'sh', '-ec', healthCheck]);
      return child;
    } catch (error) {
      if (tries === 200 || child.exitCode !== null) throw error;
      await pause(200);
    }
  }
}

/** nginx with the file that compose.yaml mounts. `names`: its /etc/hosts. */
export function startNginx({ place, network }: Peer, names: string, proxy: string): ChildProcess {
  const main = join(place, 'nginx.conf');
  const settings =
    'error_log stderr warn; pid /tmp/nginx.pid; events {} http { access_log off; include /etc/nginx/conf.d/*.conf; }';
  writeFileSync(main, `daemon off; ${settings}\n`);
  chmodSync(main, 0o644);
  const mounts = {
    '/usr': '/usr',
    '/etc/passwd': '/etc/passwd',
    '/etc/group': '/etc/group',
    '/etc/hosts': names,
    '/etc/proxy': proxy,
    '/etc/nginx/nginx.conf': main,
    '/etc/nginx/conf.d/default.conf': join(FILES, 'nginx.conf'),
  };
  const binds = Object.entries(mounts).flatMap(([inside, outside]) => ['--ro-bind', outside, inside]);
  const links = ['lib', 'lib64', 'bin', 'sbin'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]);
  const folders = ['/tmp', '/var/lib/nginx', '/var/log/nginx'].flatMap((folder) => ['--tmpfs', folder]);
  const box = ['bwrap', ...binds, ...links, ...folders, '--dev', '/dev', '--proc', '/proc', '--die-with-parent', '--'];
  return spawn('ip', ['netns', 'exec', network, ...box, 'nginx'], { stdio: ['ignore', 'inherit', 'inherit'] });
}
