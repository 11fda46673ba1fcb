import { setTimeout as sleep } from 'node:timers/promises';
import { creationOf, type Dialect, OLDEST, type Upgrade, upgradesOf } from '../schema.ts';
import type { Connection } from './connection.ts';
import { EVENT_FUNCTIONS, FIRST_PARTITION } from './event-partitions.ts';

export interface Migration extends Upgrade {
  /**
   * If it is not, older nodes refuse to start. With CONCURRENTLY a step is one statement without a transaction. An interrupted
   * migration begins again with its first step.
   */
  readonly additive: boolean;
}

// No column that changes is in an index: such an update touches one page and no index (HOT).
export const DIALECT: Dialect = {
  types: {
    bytes: 'bytea',
    hex: 'bytea',
    text: 'text COLLATE "C"', // it compares by its bytes, whatever the language of the database
    json: 'text COLLATE "C"',
    small: 'smallint',
    integer: 'bigint',
    counter: 'bigint',
  },
  revision: 'integer',
  rows: {
    steady: '',
    changing: 'WITH (fillfactor = 70)',
    busy: 'WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)',
    large: '',
  },
  // See events.ts for the order of numbers. Those that are drawn are always above last_value.
  events: (columns) => `CREATE SEQUENCE event_sequence CACHE 1;
    SELECT setval('event_sequence', 1);
    CREATE TABLE events (sequence bigint NOT NULL PRIMARY KEY, ${columns}) PARTITION BY RANGE (sequence);
    ${FIRST_PARTITION}`,
  addColumn: (table, column) => `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${column}`,
  addIndex: (name, on) => [
    `DROP INDEX CONCURRENTLY IF EXISTS ${name}`, // unfinished
    `CREATE INDEX CONCURRENTLY ${name} ON ${on}`,
  ],
};

/** PostgreSQL counts three schemas more than SQLite, for indexes and partitions that it had for itself. */
const MORE = 3;
const FIRST = OLDEST + MORE;

export const UPGRADES: readonly Migration[] = upgradesOf(DIALECT).map(({ version, steps }) => ({
  version: version + MORE,
  additive: true,
  steps,
}));

export const NEWEST = UPGRADES.at(-1)?.version ?? FIRST;

const CREATION: Migration = {
  version: NEWEST,
  additive: true,
  steps: [`${creationOf(DIALECT)};${EVENT_FUNCTIONS};SELECT tessera_extend_events(0)`],
};

export function isOfOlderRelease(version: number): boolean {
  return version > 0 && version < FIRST;
}

// Brings the schema to the newest version while nodes use it.

const LEDGER = `CREATE TABLE IF NOT EXISTS tessera_schema (
  version integer NOT NULL PRIMARY KEY, additive boolean NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`;
/** One process migrates at a time; the next one has nothing to do. */
const ONE_AT_A_TIME = 'SELECT pg_try_advisory_lock(8313, 1)::integer';
const RELEASE = 'SELECT pg_advisory_unlock(8313, 1)';

/** Less than statements of nodes wait (session.ts): while a step waits for a table, everybody waits behind it. */
const LOCK_WAIT_MS = 25;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** A lock that was not free, a deadlock. */
const TRY_AGAIN = ['55P03', '40P01'];

/** The session with the longest open transaction: a step most likely waits for it. */
const OLDEST_TRANSACTION = `SELECT pid, coalesce(nullif(application_name, ''), backend_type),
    extract(epoch FROM now() - xact_start)::bigint
  FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
  ORDER BY xact_start LIMIT 1`;

export interface SchemaState {
  readonly version: number;
  /** Whether this release can work with the schema, even if it has migrations that this release does not know. */
  readonly isUsable: boolean;
}

export type ReportProgress = (line: string) => void;

/** Brings the schema to the newest version, without delaying requests; the role must own it. */
export async function migrate(
  connection: Connection,
  upgrades = UPGRADES,
  report: ReportProgress = () => undefined,
): Promise<void> {
  await locked(connection, report);
  try {
    let { version: reached } = await schemaState(connection);
    if (reached === 0) await connection.execute(LEDGER);
    for (const { version, additive, steps } of reached === 0 ? [CREATION, ...upgrades] : upgrades) {
      if (version <= reached) continue;
      report(`schema ${version}`);
      const noted = `INSERT INTO tessera_schema (version, additive) VALUES (${version}, ${additive})`;
      const last = steps.length - 1;
      for (const [at, step] of steps.entries()) await take(connection, step, at === last ? noted : '', report);
      reached = version;
    }
  } finally {
    await connection.run(RELEASE).catch(() => undefined); // it ends with the session too
  }
}

async function locked(connection: Connection, report: ReportProgress): Promise<void> {
  for (const pauseMs of pauses()) {
    if (Number((await connection.run(ONE_AT_A_TIME)).rows[0]?.[0]) === 1) return;
    report('waiting for another process that migrates');
    await sleep(pauseMs);
  }
}

async function take(connection: Connection, step: string, noted: string, report: ReportProgress): Promise<void> {
  for (const pauseMs of pauses()) {
    try {
      return await takeOnce(connection, step, noted);
    } catch (error) {
      await connection.rollBack();
      if (!TRY_AGAIN.includes((error as { code?: string }).code ?? '')) throw error;
      const [[pid, name, age] = []] = (await connection.run(OLDEST_TRANSACTION)).rows;
      report(
        `waiting for a table${pid ? `; the oldest transaction is of process ${pid} (${name}), ${age} s old` : ''}`,
      );
      await sleep(pauseMs);
    }
  }
}

async function takeOnce(connection: Connection, step: string, noted: string): Promise<void> {
  const isConcurrent = step.includes(' CONCURRENTLY ');
  await connection.execute(`SET lock_timeout = ${isConcurrent ? 0 : LOCK_WAIT_MS}`);
  if (!isConcurrent) return connection.execute(`BEGIN; ${step}; ${noted}; COMMIT`);
  await connection.execute(step);
  if (noted) await connection.execute(noted);
}

function* pauses(): Generator<number, never> {
  for (let ms = FIRST_PAUSE_MS; ; ms = Math.min(2 * ms, LONGEST_PAUSE_MS)) yield ms;
}

export async function schemaState(connection: Pick<Connection, 'run'>): Promise<SchemaState> {
  const { rows } = await connection.run(LEDGER_EXISTS);
  if (rows[0]?.[0] === null) return { version: 0, isUsable: false };
  const { rows: found } = await connection.run(APPLIED, [NEWEST]);
  const [version, additive] = found[0] as unknown as [number, boolean];
  return { version, isUsable: version >= NEWEST && additive };
}

const LEDGER_EXISTS = "SELECT to_regclass('tessera_schema')::text";
const APPLIED = `SELECT coalesce(max(version), 0), coalesce(bool_and(additive) FILTER (WHERE version > $1), true)
  FROM tessera_schema`;
