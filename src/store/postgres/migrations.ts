import { type Dialect, migrationsOf } from '../migrations.ts';
import { PARTITIONING } from './event-partitions.ts';

export interface Migration {
  /** If it is not, older nodes refuse to start. */
  readonly additive: boolean;
  /** With CONCURRENTLY a step is one statement without a transaction. An interrupted migration begins again with its first step. */
  readonly steps: readonly string[];
}

// No column that changes is in an index: such an update touches one page and no index (HOT).
const DIALECT: Dialect = {
  bytes: 'bytea',
  text: 'text',
  name: 'text COLLATE "C"',
  small: 'smallint',
  whole: 'integer',
  large: 'bigint',
  rows: '',
  changingRows: 'WITH (fillfactor = 70)',
  grantRows: 'WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)',
  numberedRows: '',
  addColumn: (table, column) => `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${column}`,
  addIndex: (name, on) => [
    `DROP INDEX CONCURRENTLY IF EXISTS ${name}`, // unfinished
    `CREATE INDEX CONCURRENTLY ${name} ON ${on}`,
  ],
  // See events.ts for the order of numbers. Those that are drawn are always above last_value.
  events: `CREATE SEQUENCE event_sequence CACHE 1;
    SELECT setval('event_sequence', 1);
    CREATE TABLE events (
      sequence bigint NOT NULL PRIMARY KEY, at bigint NOT NULL, type text COLLATE "C" NOT NULL, client_id text COLLATE "C",
      identity_id text COLLATE "C", subject_id bytea, presenter text, detail text
    )`,
};

/** The stamp of a table, which every node reads all the time, then reads an index instead of the rows. */
const STAMPED = ['integrations', 'issuers', 'resource_servers', 'token_issuers', 'signing_keys'];

/** The first of them follows this many migrations that both back ends have. */
const OWN_AFTER = 11;
const OWN: readonly (readonly string[])[] = [
  STAMPED.flatMap((table) => DIALECT.addIndex(`${table}_revision`, `${table} (revision)`)),
  PARTITIONING,
  [
    // A rollback that an older release accepted explains tokens that are newer than their rows (tables/store-history.ts).
    `INSERT INTO attempts (about, revision, count, ends_at)
      SELECT 'a rollback was accepted', 1, epoch, extract(epoch FROM now())::bigint + 315360000
      FROM store_history WHERE epoch > 1 ON CONFLICT DO NOTHING`,
    'SELECT tessera_extend_events(0)',
  ],
];

export const MIGRATIONS: readonly Migration[] = migrationsOf(DIALECT)
  .toSpliced(OWN_AFTER, 0, ...OWN)
  .map((steps) => ({ additive: true, steps }));
