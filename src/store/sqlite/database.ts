import { closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { StoreUnavailable } from '../store.ts';

export const BUSY_TIMEOUT_MS = 5_000;
// Chosen by measurement: docs/decisions/0002-writing-to-sqlite.md.
const PAGE_SIZE = 4096;
/** Should the checkpoints (checkpoints.ts) not keep up: 48 MB. */
const LONGEST_WAL_PAGES = 12_000;
/** A WAL that a long reader let grow is cut back to this once it is empty. */
export const WAL_LIMIT = 32 * 2 ** 20;

/**
 * Makes the file where there is none. SQLite gives the WAL and SHM files its mode, so it must be 0600 before SQLite sees
 * it. One that is there is left alone: closing it here would drop the locks that this process holds on it.
 */
export function makeDatabase(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/**
 * Never makes a database. A commit is in the WAL when it returns; wal.ts makes it durable. `alone`: nobody else may have
 * it open, now or later.
 */
export function openDatabase(path: string, alone = false): DatabaseSync {
  const existing = pathToFileURL(path);
  existing.search = 'mode=rw';
  const database = new DatabaseSync(existing, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  if (alone) takeAlone(database);
  // Where another process opens or closes the same database, SQLite says busy here without waiting.
  whileBusy(() =>
    database.exec(`PRAGMA page_size = ${PAGE_SIZE}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL`),
  );
  database.exec(`PRAGMA wal_autocheckpoint = ${LONGEST_WAL_PAGES}; PRAGMA journal_size_limit = ${WAL_LIMIT}`);
  return database;
}

/** Throws busy at once where another process has it open; otherwise keeps others out until it is closed. */
function takeAlone(database: DatabaseSync): void {
  try {
    database.exec('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
  } catch (error) {
    database.close();
    throw error;
  }
}

export function openForReading(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  database.exec('PRAGMA query_only = ON');
  return database;
}

const BUSY = 5;
const LOOK_AGAIN_MS = 0.2;
/** Nobody wakes who waits for this. */
const NEVER = new Int32Array(new SharedArrayBuffer(4));

/** Another process may be at it. SQLite would look again after 1, 2, 5 … 100 ms, or not at all; its turns are shorter. */
export function whileBusy<T>(work: () => T): T {
  for (let waited = 0; ; waited += LOOK_AGAIN_MS) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || waited > BUSY_TIMEOUT_MS) throw error;
      Atomics.wait(NEVER, 0, 0, LOOK_AGAIN_MS);
    }
  }
}

export function isBusy(error: unknown): boolean {
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === BUSY;
}

const DISK = new Set([8, 10, 13]); // read-only, I/O error, full

export function isOfDisk(error: unknown): boolean {
  return DISK.has(((error as { errcode?: number }).errcode ?? 0) & 0xff);
}

// SQLite's primary result codes for states that pass: busy, locked, read-only, I/O error, full, cannot open.
const PASSING = new Set([5, 6, 8, 10, 13, 14]);

/** Words a driver error as what callers of a store know. */
export function storeFault(error: unknown): unknown {
  const { code, errcode, message } = error as { code?: string; errcode?: number; message?: string };
  if (code === 'ERR_INVALID_STATE') return new StoreUnavailable('the store is closed');
  return errcode !== undefined && PASSING.has(errcode & 0xff) ? new StoreUnavailable(`SQLite: ${message}`) : error;
}
