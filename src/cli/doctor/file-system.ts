import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../config/schema.ts';
import { storeAt } from '../../open-store.ts';
import { syncPath } from '../../written-file.ts';
import { bad, type Finding, poor } from './finding.ts';

export const FREE_SPACE = 'Free some space, or make the disk larger.';
const LOCAL_DISK = 'Move the data folder to a disk of this machine, or use PostgreSQL.';

/** File systems on which SQLite's locks or syncs are unreliable, by their statfs type (man 2 statfs). */
const KNOWN: ReadonlyMap<number, (about: string) => Finding> = new Map([
  [0x6969, network('NFS')],
  [0x517b, network('SMB')],
  [0xff534d42, network('CIFS')],
  [0xfe534d42, network('SMB 2')],
  [0x01021997, network('9P')],
  [0x5346414f, network('AFS')],
  [0x00c36400, network('Ceph')],
  [0x0bd00bd0, network('Lustre')],
  [0x786f4256, network('a VirtualBox shared folder')],
  [0x65735546, uncertain('FUSE')],
  [0x01021994, inMemory('tmpfs')],
  [0x858458f6, inMemory('ramfs')],
]);

function network(name: string) {
  return (about: string) => bad(about, `it is on ${name}: locks and syncs may not work there`, LOCAL_DISK);
}

function uncertain(name: string) {
  return (about: string) => poor(about, `it is on ${name}: whether locks and syncs work there depends`, LOCAL_DISK);
}

function inMemory(name: string) {
  return (about: string) => poor(about, `it is on ${name}: all is lost when the machine stops`, LOCAL_DISK);
}

export function fileSystemFinding(about: string, type: number): Finding | undefined {
  return KNOWN.get(type >>> 0)?.(about);
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
