// Every session sets its own values when it opens, and reads them back: servers, databases and roles have defaults.
import type pg from 'pg';
import { StoreUnavailable } from '../store.ts';
import type { Address } from './address.ts';

/** How long a statement waits for a lock that another session holds. Then it fails, and commits.ts handles that. */
const LOCK_WAIT_MS = 50;

type Settings = Readonly<Record<string, string>>;

const SETTINGS: Settings = {
  // What is read and how.
  client_encoding: 'UTF8',
  client_min_messages: 'warning', // Connection.change() needs them
  bytea_output: 'hex',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  row_security: 'off', // a policy that hides rows then fails the statement, instead of making tokens unknown

  // Transactions. `default_transaction_read_only` is left alone: it is how an operator makes a database read-only.
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  synchronous_commit: 'on',
  session_replication_role: 'origin', // otherwise foreign keys are not checked; only a superuser may set it
  exit_on_error: 'off',
  idle_session_timeout: '0',
  transaction_timeout: '0',

  // Plans. Rows are found by an index: a plan made while a table was small must not read all of it when it has grown.
  // Batches lock rows in the order given, which a nested loop keeps. Compiling a statement takes longer than running it.
  enable_seqscan: 'off',
  enable_indexscan: 'on',
  enable_bitmapscan: 'on',
  enable_nestloop: 'on',
  plan_cache_mode: 'auto',
  max_parallel_workers_per_gather: '0',
  force_parallel_mode: 'off', // up to PostgreSQL 15
  debug_parallel_query: 'off', // from 16 on
  jit: 'off',
};

/** Values that wait for a synchronous standby are stricter than `on` and are left alone. */
const SAFE_COMMITS = ['on', 'remote_write', 'remote_apply'];

function settingsFor({ schema, statementTimeoutMs }: Address): Settings {
  return {
    ...SETTINGS,
    search_path: `"${schema.replaceAll('"', '""')}", pg_temp`, // otherwise temporary tables come first, also in functions of the schema's owner
    statement_timeout: String(statementTimeoutMs),
    idle_in_transaction_session_timeout: String(statementTimeoutMs),
    lock_timeout: String(LOCK_WAIT_MS),
  };
}

/** Throws if the session does not accept our settings. */
export async function prepareSession(client: pg.Client, address: Address): Promise<void> {
  const wanted = settingsFor(address);
  // First what could stop or redirect the statements below. A plain SET calls no function that a search path could replace.
  await client.query(
    `SET statement_timeout = ${address.statementTimeoutMs}; SET search_path = ${wanted['search_path']}`,
  );
  await client.query(SET, [Object.keys(wanted), Object.values(wanted), SAFE_COMMITS]);
  const { rows } = await client.query<[string, string]>({
    text: CHECK,
    values: [Object.keys(wanted)],
    rowMode: 'array',
  });
  checkSession(wanted, new Map(rows));
}

/** Only what differs is set. Settings that this release of PostgreSQL does not have are skipped. */
const SET = `SELECT set_config(s.name, w.value, false) FROM unnest($1::text[], $2::text[]) AS w (name, value)
  JOIN pg_settings s ON s.name = w.name AND s.setting <> w.value WHERE NOT (s.name = 'synchronous_commit' AND s.setting = ANY ($3::text[]))`;

const CHECK = `SELECT name, setting FROM pg_settings WHERE name = ANY ($1::text[] || '{transaction_read_only}'::text[])
  UNION ALL SELECT 'is a standby', pg_is_in_recovery()::text`;

function checkSession(wanted: Settings, found: ReadonlyMap<string, string>): void {
  if (found.get('is a standby') !== 'false') throw new StoreUnavailable('is a standby');
  if (found.get('transaction_read_only') !== 'off') throw new StoreUnavailable('is read-only');
  for (const [name, value] of Object.entries(wanted)) {
    const setting = found.get(name);
    const isSafe = name === 'synchronous_commit' ? SAFE_COMMITS.includes(setting ?? '') : setting === value;
    if (setting !== undefined && !isSafe)
      throw new StoreUnavailable(`a session has ${name} = ${setting} after setting it to ${value}`);
  }
}

/** The server, its timeline and start, and the database. Those that may lack commits have another. Undefined if it cannot be read. */
export async function originOf(client: pg.Client): Promise<string | undefined> {
  try {
    const { rows } = await client.query<[string]>({ text: ORIGIN, rowMode: 'array' });
    return rows[0]?.[0];
  } catch (error) {
    if (!('severity' in (error as object))) throw error; // the connection is lost
    return undefined;
  }
}

/** `pg_control_checkpoint()` would show the timeline of the last checkpoint, not that of a standby that was promoted since. */
const ORIGIN = `SELECT concat_ws('/', system_identifier, left(pg_walfile_name(pg_current_wal_lsn()), 8),
  extract(epoch FROM pg_postmaster_start_time()), (SELECT oid FROM pg_database WHERE datname = current_database())) FROM pg_control_system()`;
