import type { DatabaseSync } from 'node:sqlite';
import { creationOf, type Dialect, OLDEST, tooOld, upgradesOf } from '../schema.ts';
import { StoreMissing, StoreUnusable, UNFINISHED_STORE } from '../store.ts';
import { rollBack, whileBusy } from './connection.ts';

const BY_KEY = 'STRICT, WITHOUT ROWID';

export const DIALECT: Dialect = {
  types: {
    bytes: 'BLOB',
    hex: 'BLOB',
    text: 'TEXT',
    json: 'TEXT',
    small: 'INTEGER',
    integer: 'INTEGER',
    counter: 'INTEGER',
  },
  revision: 'INTEGER',
  rows: { steady: BY_KEY, changing: BY_KEY, busy: BY_KEY, large: 'STRICT' },
  events: (columns) => `CREATE TABLE events (sequence INTEGER PRIMARY KEY, ${columns}) STRICT`,
  addColumn: (table, column) => `ALTER TABLE ${table} ADD COLUMN ${column}`,
  addIndex: (name, on) => [`CREATE INDEX ${name} ON ${on}`],
};

const UPGRADES = upgradesOf(DIALECT);
const NEWEST = UPGRADES.at(-1)?.version ?? OLDEST;

/** Safe if two processes start at once. A store that has the newest schema is only read: the disk may be full. */
export function migrate(database: DatabaseSync, isNew = false): void {
  if (whileBusy(() => usableVersion(database, isNew)) === NEWEST) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    const found = usableVersion(database, isNew);
    if (found === 0) database.exec(creationOf(DIALECT));
    else for (const { version, steps } of UPGRADES) if (version > found) database.exec(steps.join(';'));
    database.exec(`PRAGMA user_version = ${NEWEST}`);
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
  if (version <= NEWEST) return version;
  throw new StoreUnusable(
    `the database has schema ${version}, newer than this release knows (${NEWEST})`,
    'Run the release that upgraded it, or go back to a copy: docs/upgrading.md.',
  );
}

/** Another release may have changed it under the running service. */
export function assertSchema(database: DatabaseSync): void {
  const version = schemaVersion(database);
  if (version !== NEWEST) throw new Error(`schema ${version}, not ${NEWEST}`);
}

function schemaVersion(database: DatabaseSync): number {
  return database.prepare('PRAGMA user_version').get()?.['user_version'] as number;
}
