import type { DatabaseSync } from 'node:sqlite';
import { migrationsOf, OLDEST, tooOld } from '../migrations.ts';
import { StoreMissing, StoreUnusable, UNFINISHED_STORE } from '../store.ts';
import { rollBack, whileBusy } from './connection.ts';

const BY_KEY = 'STRICT, WITHOUT ROWID';

const MIGRATIONS = migrationsOf({
  bytes: 'BLOB',
  text: 'TEXT',
  name: 'TEXT',
  small: 'INTEGER',
  whole: 'INTEGER',
  large: 'INTEGER',
  rows: BY_KEY,
  changingRows: BY_KEY,
  grantRows: BY_KEY,
  numberedRows: 'STRICT',
  addColumn: (table, column) => `ALTER TABLE ${table} ADD COLUMN ${column}`,
  addIndex: (name, on) => [`CREATE INDEX ${name} ON ${on}`],
  events: `CREATE TABLE events (
      sequence INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, client_id TEXT, identity_id TEXT,
      subject_id BLOB, presenter TEXT, detail TEXT
    ) STRICT`,
}).map((steps) => steps.join(';'));

/** Safe if two processes start at once. A store that has the newest schema is only read: the disk may be full. */
export function migrate(database: DatabaseSync, isNew = false): void {
  if (whileBusy(() => usableVersion(database, isNew)) === MIGRATIONS.length) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    for (const migration of MIGRATIONS.slice(usableVersion(database, isNew))) database.exec(migration);
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    database.exec('COMMIT');
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

function usableVersion(database: DatabaseSync, isNew: boolean): number {
  const version = schemaVersion(database);
  if (version === 0 && !isNew) throw new StoreMissing('the database holds no store', UNFINISHED_STORE);
  if (version > 0 && version < OLDEST) throw tooOld(version);
  if (version <= MIGRATIONS.length) return version;
  throw new StoreUnusable(
    `the database has schema ${version}, newer than this release knows (${MIGRATIONS.length})`,
    'Run the release that upgraded it, or go back to a copy: docs/upgrading.md.',
  );
}

/** Another release may have changed it under the running service. */
export function assertSchema(database: DatabaseSync): void {
  const version = schemaVersion(database);
  if (version !== MIGRATIONS.length) throw new Error(`schema ${version}, not ${MIGRATIONS.length}`);
}

function schemaVersion(database: DatabaseSync): number {
  return database.prepare('PRAGMA user_version').get()?.['user_version'] as number;
}
