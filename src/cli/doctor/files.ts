import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../config/schema.ts';
import { storeAt } from '../../open-store.ts';
import { MISSING_STORE, onReadOnlyDisk } from '../../store/store-file.ts';
import { syncPath } from '../../written-file.ts';
import { bad, type Finding, good, poor } from './finding.ts';

const { R_OK, W_OK, X_OK } = constants;

interface Demands {
  /** What this user must be able to do with it: by default, read it. */
  readonly access?: number;
  /** Permissions that no other user may have. */
  readonly forbidden: number;
  /** The problem, if others have them. */
  readonly why: string;
  readonly todo: string;
  readonly missing?: string;
  readonly isFolder?: true;
}

/** Checks that the files exist, that this user can use them, and that other users cannot read them. */
export function examineFiles(config: Config): Finding[] {
  const { dataFolder, keyring } = config;
  const { file } = storeAt(config);
  return [
    ...examineFile('data folder', dataFolder, {
      isFolder: true,
      access: R_OK | W_OK | X_OK,
      forbidden: 0o022,
      why: 'others may write to it',
      todo: `Do: chmod 700 ${dataFolder}`,
      missing: 'For a new installation: tessera init. Otherwise check dataFolder, or name your file with --config.',
    }),
    ...(keyring.from === 'file'
      ? examineFile('keyring file', keyring.path, {
          ...forOwner(keyring.path),
          missing: file === undefined || existsSync(file) ? LOST_KEYRING : MISSING_KEYRING,
        })
      : []),
    ...(file === undefined
      ? []
      : examineFile('store file', file, { ...forOwner(file, '*'), access: R_OK | W_OK, missing: MISSING_STORE })),
  ];
}

const LOST_KEYRING = 'Restore it from its backup. Only for a new installation: tessera init.';
const MISSING_KEYRING = 'For a new installation: tessera init. Otherwise restore it from its backup.';

/** A file that only its owner may read. */
export function forOwner(path: string, more = ''): Demands {
  return { forbidden: 0o077, why: 'others may read it', todo: `Do: chmod 600 ${path}${more}` };
}

export function examineFile(about: string, path: string, demands: Demands): Finding[] {
  const { forbidden, why, todo, access = R_OK } = demands;
  try {
    const found = statSync(path);
    const mode = found.mode & 0o777;
    const wrong = demands.isFolder ? !found.isDirectory() : found.isDirectory();
    if (wrong) return [bad(about, `${path} is ${demands.isFolder ? 'not ' : ''}a folder`, WRONG_KIND)];
    accessSync(path, access);
    if ((mode & forbidden) === 0) return [good(about, path)];
    return [poor(about, `${path}: ${why} (mode ${mode.toString(8)})`, todo)];
  } catch (error) {
    return [unusable(about, path, error, demands.missing)];
  }
}

const WRONG_USER = 'Run this as the user that runs the service. The files must belong to that user: chown.';
const WRONG_KIND = 'Move it away, or check the path in the configuration.';

/** Why a file cannot be opened. A missing file is another matter than one that this user may not read. */
export function unusable(
  about: string,
  path: string,
  error: unknown,
  missing = 'Put it there, or check the path in the configuration.',
): Finding {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return bad(about, `${path} is missing`, missing);
  if (code === 'EACCES') return bad(about, `${path}: this user may not open it`, WRONG_USER);
  if (code === 'EROFS') {
    const { message, todo } = onReadOnlyDisk(path);
    return bad(about, message, todo);
  }
  return bad(about, `${path} cannot be read (${code})`, 'Check the path.');
}

export const FREE_SPACE = 'Free some space, or make the disk larger.';
const LOCAL_DISK = 'Move the data folder to a disk of this machine, or use PostgreSQL.';

const NETWORK = [bad, 'locks and syncs may not work there'] as const;
const UNCERTAIN = [poor, 'whether locks and syncs work there depends'] as const;
const IN_MEMORY = [poor, 'all is lost when the machine stops'] as const;

/** File systems on which SQLite's locks or syncs are unreliable, by their statfs type (man 2 statfs). */
const KNOWN: ReadonlyMap<number, readonly [name: string, judge: typeof bad, why: string]> = new Map([
  [0x6969, ['NFS', ...NETWORK]],
  [0x517b, ['SMB', ...NETWORK]],
  [0xff534d42, ['CIFS', ...NETWORK]],
  [0xfe534d42, ['SMB 2', ...NETWORK]],
  [0x01021997, ['9P', ...NETWORK]],
  [0x5346414f, ['AFS', ...NETWORK]],
  [0x00c36400, ['Ceph', ...NETWORK]],
  [0x0bd00bd0, ['Lustre', ...NETWORK]],
  [0x786f4256, ['a VirtualBox shared folder', ...NETWORK]],
  [0x65735546, ['FUSE', ...UNCERTAIN]],
  [0x01021994, ['tmpfs', ...IN_MEMORY]],
  [0x858458f6, ['ramfs', ...IN_MEMORY]],
]);

export function fileSystemFinding(about: string, type: number): Finding | undefined {
  const [name, judge, why] = KNOWN.get(type >>> 0) ?? [];
  return judge?.(about, `it is on ${name}: ${why}`, LOCAL_DISK);
}

/** Reports file systems without working locks or syncs, as far as that can be detected; otherwise nothing. */
export function examineFileSystem(config: Config): Finding[] {
  const { file } = storeAt(config);
  if (file === undefined || !existsSync(dirname(file))) return [];
  const folder = dirname(file);
  const about = 'file system of the store';
  const found = fileSystemFinding(about, statfsSync(folder).type);
  return [found, syncFinding(about, folder)].filter((finding) => finding !== undefined);
}

/** Syncs a new file and the folder. An unwritable folder is reported by another check. */
function syncFinding(about: string, folder: string): Finding | undefined {
  const path = join(folder, `.tessera-doctor-${process.pid}`);
  try {
    const file = openSync(path, 'wx', 0o600);
    try {
      writeSync(file, 'sync');
      fsyncSync(file);
    } finally {
      closeSync(file);
      rmSync(path);
    }
    syncPath(folder);
    return undefined;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EROFS') return undefined;
    if (code === 'ENOSPC' || code === 'EDQUOT') return bad(about, `it is full (${code})`, FREE_SPACE);
    return bad(about, `a sync fails there: ${message}`, LOCAL_DISK);
  }
}
