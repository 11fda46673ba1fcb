import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { isBusy } from './faults.ts';

export const BUSY_TIMEOUT_MS = 5_000;
// Chosen by measurement.
export const PAGE_SIZE = 4096;
/** 48 MB: reached only if the checkpoints (checkpoints.ts) do not keep up. */
const LONGEST_WAL_PAGES = 12_000;
/** A WAL that grew because of a long reader is truncated to this size once it is empty. */
export const WAL_LIMIT = 32 * 2 ** 20;

/** Mode 0600, which SQLite gives the WAL too. Closing an existing file would drop the locks of this process on it. */
export function makeDatabase(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/** Never creates a database. `alone`: no other process may have it open, now or later. */
export function openDatabase(path: string, alone = false): DatabaseSync {
  const existing = pathToFileURL(path);
  existing.search = 'mode=rw';
  using opening = new DisposableStack(); // one that stayed open after a fault would lock others out
  const database = opening.use(
    new DatabaseSync(existing, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true }),
  );
  if (alone) database.exec(TAKE_ALONE);
  // While another process opens or closes the same database, SQLite reports busy here without waiting.
  whileBusy(() =>
    database.exec(`PRAGMA page_size = ${PAGE_SIZE}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL`),
  );
  database.exec(`PRAGMA wal_autocheckpoint = ${LONGEST_WAL_PAGES}; PRAGMA journal_size_limit = ${WAL_LIMIT}`);
  opening.move();
  return database;
}

/** Throws busy at once if another process has it open; otherwise locks others out until it is closed. */
const TAKE_ALONE = 'PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT';

/** The statements of one connection, prepared on first use. Rows are returned as arrays. */
export function preparer(database: DatabaseSync): (sql: string) => StatementSync {
  const statements = new Map<string, StatementSync>();
  return (sql) => {
    const known = statements.get(sql);
    if (known) return known;
    const prepared = database.prepare(sql);
    prepared.setReturnArrays(true);
    statements.set(sql, prepared);
    return prepared;
  };
}

/** After a fault. SQLite rolls back by itself if the disk fails; the fault of a second rollback would hide the first fault. */
export function rollBack(database: DatabaseSync): void {
  try {
    if (database.isTransaction) database.exec('ROLLBACK');
  } catch {}
}

export function openForReading(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  database.exec('PRAGMA query_only = ON');
  return database;
}

/** From now on, the connection sees this state: a read transaction begins with its first read. */
export function pin(database: DatabaseSync): void {
  database.exec('BEGIN');
  whileBusy(() => database.exec('SELECT 1 FROM sqlite_schema LIMIT 1'));
}

/** A copy that nobody writes. It may be on a read-only disk, where SQLite could not make the files of a WAL. */
export function openCopy(path: string): DatabaseSync {
  const copy = pathToFileURL(path);
  copy.search = existsSync(`${path}-wal`) ? 'mode=ro' : 'mode=ro&immutable=1';
  return new DatabaseSync(copy, { readOnly: true });
}

/** Reads a store with its WAL, and writes to neither. */
export function openUnchanged(path: string): DatabaseSync {
  return new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
}

const LOOK_AGAIN_MS = 0.2;
/** Never notified: waiting for it is a timed sleep. */
const NEVER = new Int32Array(new SharedArrayBuffer(4));

/** Retries while another process holds the lock, which is short. SQLite would retry after 1, 2, 5 … 100 ms or not at all. */
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

// A lock between processes. It is SQLite's, so it ends with its process, however that ends.

export interface Lock {
  readonly release: () => void;
}

/** Takes the lock, or returns undefined at once if another process has it. Its owner may remove the file before the release. */
export function lockFile(path: string): Lock | undefined {
  makeDatabase(path);
  const before = inodeOf(path);
  const database = new DatabaseSync(path);
  let isOurs = false;
  try {
    // Writes nothing: the disk may be full. Node's connections refuse to switch the journal OFF.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    // Otherwise its last owner has removed it meanwhile, and somebody else may have a new one.
    isOurs = before !== undefined && inodeOf(path) === before;
  } catch (error) {
    if (!isBusy(error)) throw error;
  } finally {
    if (!isOurs) database.close();
  }
  return isOurs ? { release: () => database.close() } : undefined;
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
