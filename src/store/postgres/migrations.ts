// Numbered, forward only. A migration that has been released is never edited; the next one follows it.
//
// Additive: the release before works on the schema as well (new tables, new columns with a default or without NOT NULL,
// new indexes), so that nodes of both run side by side while one upgrades. A migration that cannot be additive says so,
// and older nodes then refuse to start.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import { PARTITIONING } from './event-partitions.ts';
import type { Statement } from './prepared-query.ts';

export interface Migration {
  readonly additive: boolean;
  /**
   * Each step is a transaction of its own and locks at most one table that requests use; with CONCURRENTLY it is one statement
   * without a transaction. An interrupted migration begins again with its first step, so all but the last are repeatable.
   */
  readonly steps: readonly string[];
}

// Text compares by its bytes (COLLATE "C"), whatever the language of the database.
// Rows that requests change have room on their page (fillfactor), and no column that changes is in an index: such an
// update touches one page and no index (HOT).
export const MIGRATIONS: readonly Migration[] = [
  {
    additive: true,
    steps: [
      `
  CREATE TABLE identities (
    "key" bytea NOT NULL PRIMARY KEY, revision integer NOT NULL, id text COLLATE "C" NOT NULL UNIQUE,
    enabled smallint NOT NULL, may_use_api smallint NOT NULL, "groups" text, user_name text COLLATE "C",
    email text COLLATE "C", upn text COLLATE "C"
  );
  CREATE INDEX identities_user_name ON identities (user_name) WHERE user_name IS NOT NULL;
  CREATE INDEX identities_email ON identities (email) WHERE email IS NOT NULL;
  CREATE INDEX identities_upn ON identities (upn) WHERE upn IS NOT NULL;

  CREATE TABLE passwords (
    holder bytea NOT NULL PRIMARY KEY REFERENCES identities ("key"), revision integer NOT NULL, phc text NOT NULL
  );

  CREATE TABLE grants (
    id bytea NOT NULL PRIMARY KEY, revision integer NOT NULL, client_id text COLLATE "C" NOT NULL,
    holder bytea NOT NULL REFERENCES identities ("key"), scope text NOT NULL,
    certificate bytea, issuer_key bytea, certificate_key bytea,
    created_at bigint NOT NULL, refresh_until bigint NOT NULL, format smallint NOT NULL, refreshable smallint NOT NULL,
    access_hash bytea NOT NULL, generation bigint NOT NULL, key_id smallint NOT NULL, refresh_hash bytea NOT NULL,
    nonce bytea NOT NULL, issued_at bigint NOT NULL, expires_at bigint NOT NULL, presenter text NOT NULL,
    revoked_at bigint, revoked_for smallint
  ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
  CREATE INDEX grants_client_id ON grants (client_id);
  CREATE INDEX grants_holder ON grants (holder);
  CREATE INDEX grants_certificate ON grants (certificate) WHERE certificate IS NOT NULL;
  CREATE INDEX grants_refresh_until ON grants (refresh_until);

  CREATE TABLE device_authorizations (
    id bytea NOT NULL PRIMARY KEY, revision integer NOT NULL, client_id text COLLATE "C" NOT NULL, scope text NOT NULL,
    user_code_hash bytea NOT NULL UNIQUE, device_code_hash bytea NOT NULL, created_at bigint NOT NULL,
    expires_at bigint NOT NULL, poll_interval bigint NOT NULL, presenter text NOT NULL, last_polled_at bigint,
    failed_sign_ins integer NOT NULL, entered_by text, decision smallint NOT NULL,
    decided_by bytea REFERENCES identities ("key"), decided_at bigint
  ) WITH (fillfactor = 70);
  CREATE INDEX device_authorizations_expires_at ON device_authorizations (expires_at);

  CREATE TABLE integrations (client_id text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, body text NOT NULL);
  CREATE TABLE issuers (label text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, body text NOT NULL);
  CREATE TABLE keys (
    id integer NOT NULL PRIMARY KEY, revision integer NOT NULL, fingerprint text NOT NULL, retired smallint NOT NULL
  );

  CREATE TABLE sessions (
    id bytea NOT NULL PRIMARY KEY, revision integer NOT NULL, holder bytea NOT NULL REFERENCES identities ("key"),
    created_at bigint NOT NULL, seen_at bigint NOT NULL, ends_at bigint NOT NULL
  ) WITH (fillfactor = 70);
  CREATE INDEX sessions_holder ON sessions (holder);
  CREATE INDEX sessions_ends_at ON sessions (ends_at);
  CREATE TABLE attempts (
    about text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, count integer NOT NULL, ends_at bigint NOT NULL
  ) WITH (fillfactor = 70);
  CREATE INDEX attempts_ends_at ON attempts (ends_at);

  -- Append-only. Refreshes carry no identity, hence one index entry at the end: see events.ts for the order of numbers.
  CREATE SEQUENCE event_sequence CACHE 1;
  SELECT setval('event_sequence', 1); -- the numbers drawn are then always above last_value
  CREATE TABLE events (
    sequence bigint NOT NULL PRIMARY KEY, at bigint NOT NULL, type text COLLATE "C" NOT NULL, client_id text COLLATE "C",
    identity_id text COLLATE "C", subject_id bytea, presenter text, detail text
  );
  CREATE INDEX events_identity_id ON events (identity_id, sequence) WHERE identity_id IS NOT NULL;
  `,
    ],
  },
  {
    additive: true,
    steps: [
      `
  CREATE TABLE revocation_lists (
    "key" bytea NOT NULL PRIMARY KEY, revision integer NOT NULL, url text NOT NULL, asked_at bigint NOT NULL,
    checked_at bigint NOT NULL, renew_at bigint NOT NULL, failure text, mark bytea
  );
  CREATE INDEX revocation_lists_checked_at ON revocation_lists (checked_at);
  CREATE TABLE list_contents (
    "key" bytea NOT NULL PRIMARY KEY, revision integer NOT NULL, url text NOT NULL, fetched_at bigint NOT NULL,
    contents bytea NOT NULL
  );
  CREATE INDEX list_contents_fetched_at ON list_contents (fetched_at);
  `,
    ],
  },
  {
    additive: true,
    steps: [
      `
  CREATE TABLE service_times (
    name text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, seen_at bigint NOT NULL, silent_from bigint,
    answering_since bigint
  ) WITH (fillfactor = 70);
  `,
    ],
  },
  {
    additive: true,
    steps: [
      `
  CREATE TABLE nodes (
    name text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, keys text NOT NULL, ends_at bigint NOT NULL
  ) WITH (fillfactor = 70);
  CREATE INDEX nodes_ends_at ON nodes (ends_at);
  `,
    ],
  },
  {
    additive: true,
    steps: [
      `
  CREATE TABLE leases (
    name text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, ends_at bigint NOT NULL
  ) WITH (fillfactor = 70);
  CREATE INDEX leases_ends_at ON leases (ends_at);
  CREATE TABLE ended_lists (
    name text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, ends_at bigint NOT NULL
  );
  CREATE INDEX ended_lists_ends_at ON ended_lists (ends_at);
  `,
    ],
  },
  {
    additive: true,
    steps: [
      `
  CREATE TABLE IF NOT EXISTS resource_servers (id text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, body text NOT NULL);
  ALTER TABLE grants ADD COLUMN IF NOT EXISTS resource text;
  `,
      `
  ALTER TABLE device_authorizations ADD COLUMN resource text;
  `,
    ],
  },
  {
    additive: true,
    steps: [
      `
  CREATE TABLE signing_keys (
    id text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, algorithm text NOT NULL, public_key text NOT NULL,
    published_at bigint NOT NULL, signs_from bigint, removed_at bigint
  );
  ALTER TABLE grants ADD COLUMN bound_to bytea, ADD COLUMN audience text, ADD COLUMN signing_key text;
  `,
    ],
  },
  {
    additive: true,
    steps: [
      `
  CREATE TABLE token_issuers (label text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, body text NOT NULL);
  CREATE TABLE key_sets (
    name text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, checked_at bigint NOT NULL, failure text,
    fetched_at bigint, contents text
  );
  CREATE INDEX key_sets_checked_at ON key_sets (checked_at);
  CREATE TABLE assertions (mark bytea NOT NULL PRIMARY KEY, revision integer NOT NULL, ends_at bigint NOT NULL);
  CREATE INDEX assertions_ends_at ON assertions (ends_at);
  ALTER TABLE grants ADD COLUMN assertion text;
  `,
    ],
  },
  {
    additive: true,
    steps: [
      `
  CREATE TABLE store_history (
    name text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, epoch integer NOT NULL, rollback text
  );
  `,
    ],
  },
  {
    additive: true,
    steps: [
      'DROP INDEX CONCURRENTLY IF EXISTS events_acts', // unfinished
      `CREATE INDEX CONCURRENTLY events_acts ON events (sequence) WHERE type IN ('revoked', 'administered')`,
    ],
  },
  {
    additive: true,
    steps: [
      `
  ALTER TABLE service_times ADD COLUMN outages text;
  `,
    ],
  },
  {
    additive: true,
    // The stamp of a table, which every node reads all the time, then reads an index instead of the rows.
    steps: [
      ...['integrations', 'issuers', 'resource_servers', 'token_issuers', 'signing_keys'].flatMap((table) => [
        `DROP INDEX CONCURRENTLY IF EXISTS ${table}_revision`, // unfinished
        `CREATE INDEX CONCURRENTLY ${table}_revision ON ${table} (revision)`,
      ]),
    ],
  },
  { additive: true, steps: PARTITIONING },
  { additive: true, steps: ['SELECT tessera_extend_events(0)'] },
];

const LEDGER = `CREATE TABLE IF NOT EXISTS tessera_schema (
  version integer NOT NULL PRIMARY KEY, additive boolean NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`;
/** One process migrates at a time; the next one has nothing to do. */
const ONE_AT_A_TIME: Statement = { name: 'migration_lock', text: 'SELECT pg_try_advisory_lock(8313, 1)::integer' };
const RELEASE: Statement = { name: 'migration_unlock', text: 'SELECT pg_advisory_unlock(8313, 1)' };

/**
 * While a step waits for a table, everybody else waits behind it. So it waits for less time than the statements of nodes do
 * (session.ts), and tries again later.
 */
const LOCK_WAIT_MS = 25;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** A lock that was not free, a deadlock. */
const TRY_AGAIN = ['55P03', '40P01'];

/** Who has had a transaction open the longest: most likely the one that a step waits for. */
const OLDEST_TRANSACTION: Statement = {
  name: 'oldest_transaction',
  text: `SELECT pid, coalesce(nullif(application_name, ''), backend_type), extract(epoch FROM now() - xact_start)::bigint
    FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
    ORDER BY xact_start LIMIT 1`,
};

export interface SchemaState {
  readonly version: number;
  /** Whether this release can work with the schema, even if it has migrations that this release does not know. */
  readonly isUsable: boolean;
}

/** What is being done, in a line for the operator. */
export type ReportProgress = (line: string) => void;

/** Brings the schema to the newest version, without delaying requests; the role must own it. */
export async function migrate(
  connection: Connection,
  migrations = MIGRATIONS,
  report: ReportProgress = () => undefined,
): Promise<void> {
  await locked(connection, report);
  try {
    const { version } = await schemaState(connection, migrations.length);
    if (version < migrations.length) await connection.execute(LEDGER);
    for (const [index, { additive, steps }] of migrations.entries()) {
      if (index < version) continue;
      report(`schema ${index + 1} of ${migrations.length}`);
      const noted = `INSERT INTO tessera_schema (version, additive) VALUES (${index + 1}, ${additive})`;
      const last = steps.length - 1;
      for (const [at, step] of steps.entries()) await take(connection, step, at === last ? noted : '', report);
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

/** Tries until the table is free. */
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

export async function schemaState(
  connection: Pick<Connection, 'run'>,
  known = MIGRATIONS.length,
): Promise<SchemaState> {
  const { rows } = await connection.run(LEDGER_EXISTS);
  if (rows[0]?.[0] === null) return { version: 0, isUsable: false };
  const { rows: found } = await connection.run(APPLIED, [known]);
  const [version, additive] = found[0] as unknown as [number, boolean];
  return { version, isUsable: version >= known && additive };
}

const LEDGER_EXISTS: Statement = { name: 'ledger', text: "SELECT to_regclass('tessera_schema')::text" };
const APPLIED: Statement = {
  name: 'applied',
  text: `SELECT coalesce(max(version), 0), coalesce(bool_and(additive) FILTER (WHERE version > $1), true) FROM tessera_schema`,
};
