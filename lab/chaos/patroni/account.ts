// The account that runs the database, from Debian's package.
import { execFileSync, spawnSync } from 'node:child_process';
import { userInfo } from 'node:os';
import { join } from 'node:path';

const NEEDS = join(import.meta.dirname, '../../../runtime/needs.mjs');
/** Patroni connects to its own database through a socket as this account: `local all postgres peer`. */
const ACCOUNT = 'postgres';

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Installs missing packages if this is root on Debian. */
export function databaseAccount(): Account {
  spawnSync(process.execPath, [NEEDS, 'patroni'], { stdio: 'inherit' });
  const { username } = userInfo();
  if (username !== 'root' && username !== ACCOUNT) {
    throw new Error(`run this as root or as ${ACCOUNT}: the database runs as ${ACCOUNT}, and never as root`);
  }
  const number = (flag: string) => Number(execFileSync('id', [flag, ACCOUNT], { encoding: 'utf8' }));
  return { uid: number('-u'), gid: number('-g') };
}
