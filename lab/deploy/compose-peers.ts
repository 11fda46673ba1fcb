// PostgreSQL and Caddy of compose.yaml, from Debian instead of images of a registry: with the variables, mounts and addresses of the file.
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
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

/** Caddy with the file that compose.yaml mounts, and its variables. `names`: its /etc/hosts; `files`: the folder `proxy`. */
export function startCaddy(
  { network }: Pick<Peer, 'network'>,
  names: string,
  files: string,
  environment: Readonly<Record<string, string>>,
): ChildProcess {
  const mounts = {
    '/usr': '/usr',
    '/etc/hosts': names,
    '/etc/proxy': files,
    '/etc/caddy/Caddyfile': join(ROOT, 'deploy/proxies/caddy/Caddyfile'),
  };
  const binds = Object.entries(mounts).flatMap(([inside, outside]) => ['--ro-bind', outside, inside]);
  const links = ['lib', 'lib64', 'bin', 'sbin'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]);
  const folders = ['/tmp', '/data', '/config'].flatMap((folder) => ['--tmpfs', folder]);
  const box = ['bwrap', ...binds, ...links, ...folders, '--dev', '/dev', '--proc', '/proc', '--die-with-parent', '--'];
  const command = ['caddy', 'run', '--config', '/etc/caddy/Caddyfile', '--adapter', 'caddyfile']; // as the official image
  return spawn('ip', ['netns', 'exec', network, ...box, ...command], {
    env: {
      PATH: process.env['PATH'],
      ...environment,
      HOME: '/tmp',
      XDG_DATA_HOME: '/data',
      XDG_CONFIG_HOME: '/config',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
