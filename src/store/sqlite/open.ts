import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { EpochSeconds } from '../../core/time.ts';
import { syncPath } from '../../written-file.ts';
import type { BackEnd } from '../back-end.ts';
import { storeOf } from '../change.ts';
import { type Store, StoreMissing, StoreUnusable, UNFINISHED_STORE } from '../store.ts';
import { MISSING_STORE, onReadOnlyDisk, refuseLink, unreachable } from '../store-file.ts';
import { sqliteBackEnd } from './back-end.ts';
import { settle } from './backup.ts';
import { Checkpoints } from './checkpoints.ts';
import { Commits, type Sync, syncInPool } from './commits.ts';
import { makeDatabase, openDatabase } from './connection.ts';
import { Files, refuseMarked } from './files.ts';
import { migrate } from './migrations.ts';
import { Soundness } from './soundness.ts';

export interface SqliteOptions {
  readonly path: string;
  readonly clock: () => EpochSeconds;
  /** The store must exist: a service never creates one. */
  readonly mustExist?: boolean;
  /** How the WAL is synced: for tests and figures that simulate a disk. */
  readonly sync?: Sync;
  /** Locks out every other process; throws busy if one has it open. */
  readonly alone?: boolean;
}

export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  return storeOf(await openSqlite(options));
}

export async function openSqlite({
  path,
  clock,
  mustExist,
  alone,
  sync = syncInPool,
}: SqliteOptions): Promise<BackEnd> {
  refuseMarked(path);
  const size = sizeOf(path);
  refuseLink(path);
  if (size === undefined && !mustExist) makeStore(path);
  else refuseMissing(path, size);
  refuseUnusable(path);
  using opening = new DisposableStack(); // a store that is refused must not stay open: it could not be replaced
  const database = opening.use(openDatabase(path, alone));
  migrate(database);
  database.exec('PRAGMA busy_timeout = 0'); // from here on, SQLite does not block the event loop to wait
  syncPath(dirname(path));
  const files = new Files(path, alone);
  opening.move();
  const soundness = new Soundness(database, files);
  const commits = new Commits({ database, files, soundness, sync, checkpoints: new Checkpoints(path) });
  return sqliteBackEnd({ database, commits, soundness, clock });
}

function refuseMissing(path: string, size: number | undefined): void {
  if (size === undefined) throw new StoreMissing(`there is no store at ${path}`, MISSING_STORE);
  if (size === 0) throw new StoreMissing(`the store at ${path} is empty: the file was cut`, UNFINISHED_STORE);
}

/** SQLite only says that it is unable to open the file. */
function refuseUnusable(path: string): void {
  if (statSync(path).isDirectory()) throw new StoreUnusable(`${path} is a folder`, 'Check the path of the store.');
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EROFS') throw onReadOnlyDisk(path);
    throw new StoreUnusable(
      `this user may not read and write ${path} (${code})`,
      'Run this as the user that runs the service. The file and its folder must belong to that user: chown.',
    );
  }
}

function sizeOf(path: string): number | undefined {
  try {
    return statSync(path).size;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw unreachable(path, code);
  }
}

// Makes a store. It gets its name when it is complete and on the disk, so that an interrupted `tessera init` can be repeated.

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
