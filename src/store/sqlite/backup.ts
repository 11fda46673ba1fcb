import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';

/** Pages copied before requests get their turn. */
const STEP = 500;

/** Copies a database that may be in use: the copy is one state of it, whole, proved, and on the disk when this resolves. */
export async function backupSqlite(path: string, target: string): Promise<void> {
  refuseExisting(target);
  const unfinished = `${target}.unfinished`;
  rmSync(unfinished, { force: true });
  closeSync(openSync(unfinished, 'wx', 0o600));
  const source = new DatabaseSync(path, { readOnly: true });
  try {
    await backup(source, unfinished, { rate: STEP });
  } finally {
    source.close();
  }
  makeOneFile(unfinished);
  prove(unfinished);
  finish(unfinished, target);
}

/** A copy keeps the journal mode of its source; without it, the copy is one file and stays one. */
function makeOneFile(path: string): void {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = DELETE');
  database.close();
}

/** Puts a backup in the place of a database. The old one is never written over: its operator moves it away first. */
export function restoreSqlite(from: string, target: string): void {
  refuseExisting(target);
  for (const rest of [`${target}-wal`, `${target}-shm`]) refuseExisting(rest);
  prove(from);
  const unfinished = `${target}.unfinished`;
  rmSync(unfinished, { force: true });
  copyFileSync(from, unfinished, constants.COPYFILE_EXCL);
  chmodSync(unfinished, 0o600);
  finish(unfinished, target);
}

function refuseExisting(path: string): void {
  if (existsSync(path)) throw new Error(`${path} exists; move it away first`);
}

function prove(path: string): void {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const verdict = database.prepare('PRAGMA integrity_check').get()?.['integrity_check'];
    if (verdict !== 'ok') throw new Error(`${path} is damaged: ${verdict}`);
    const hasGrants = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'grants'").get();
    if (!hasGrants) throw new Error(`${path} is no store of Tessera`);
  } finally {
    database.close();
  }
}

/** Under its name only when it is on the disk. */
function finish(unfinished: string, target: string): void {
  syncPath(unfinished, 'r+');
  renameSync(unfinished, target);
  syncPath(dirname(target), 'r');
}

function syncPath(path: string, flags: string): void {
  const file = openSync(path, flags);
  fsyncSync(file);
  closeSync(file);
}
