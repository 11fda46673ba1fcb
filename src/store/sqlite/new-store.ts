// Makes a store. It gets its name when it is complete and on the disk, so that an interrupted `tessera init` can be repeated.
import { existsSync, linkSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncPath } from '../../written-file.ts';
import { StoreUnusable } from '../store.ts';
import { settle } from './backup.ts';
import { makeDatabase, openDatabase } from './connection.ts';
import { migrate } from './migrations.ts';

/** Leaves whatever has this name as it is. */
export function makeStore(path: string): void {
  if (existsSync(path)) return;
  if (existsSync(`${path}-wal`))
    throw new StoreUnusable(
      `the store ${path} is gone, but its WAL is there: ${path}-wal`,
      'Put the file back, or: tessera restore FILE. For a new installation, move the WAL away.',
    );
  removeUnfinished(path);
  const folder = mkdtempSync(`${path}${UNFINISHED}${process.pid}-`);
  try {
    const unfinished = join(folder, basename(path));
    fill(unfinished);
    giveName(unfinished, path);
    syncPath(dirname(path));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const UNFINISHED = '.unfinished-init-';

/** The folders that interrupted ones left. No store in them was ever used. Others may be making one at this moment. */
function removeUnfinished(path: string): void {
  const prefix = basename(path) + UNFINISHED;
  for (const found of readdirSync(dirname(path), { withFileTypes: true })) {
    const isOfInit = found.isDirectory() && found.name.startsWith(prefix);
    if (isOfInit && !isRunning(Number.parseInt(found.name.slice(prefix.length), 10)))
      rmSync(join(found.parentPath, found.name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function fill(path: string): void {
  makeDatabase(path);
  const database = openDatabase(path);
  try {
    migrate(database, true);
  } finally {
    database.close();
  }
  settle(path); // closing does not report that the WAL could not be written into the database
  syncPath(path);
}

/** Unlike a rename, a link never replaces a file. Some file systems have no links. */
function giveName(unfinished: string, path: string): void {
  try {
    linkSync(unfinished, path);
  } catch {
    if (!existsSync(path)) renameSync(unfinished, path);
  }
}
