// Who runs the database, and with which programs: what Debian's packages bring.
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';

const NEEDS = join(import.meta.dirname, '../../../runtime/needs.mjs');
/** Patroni asks its own database through a socket, as this account: `local all postgres peer`. */
const ACCOUNT = 'postgres';

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Installs what is missing, where this is root on Debian. */
export function databaseAccount(): Account {
  spawnSync(process.execPath, [NEEDS, 'patroni'], { stdio: 'inherit' });
  const { username } = userInfo();
  if (username !== 'root' && username !== ACCOUNT) {
    throw new Error(`run this as root or as ${ACCOUNT}: the database runs as ${ACCOUNT}, and never as root`);
  }
  const number = (flag: string) => Number(execFileSync('id', [flag, ACCOUNT], { encoding: 'utf8' }));
  return { uid: number('-u'), gid: number('-g') };
}

/** Of the newest release that is installed. */
export function databasePrograms(): string {
  const release = (path: string) => Number(path.split('/')[4]);
  const found = globSync('/usr/lib/postgresql/*/bin/pg_rewind').sort((a, b) => release(b) - release(a));
  if (!found[0]) throw new Error('no PostgreSQL under /usr/lib/postgresql: apt-get install postgresql');
  return dirname(found[0]);
}
