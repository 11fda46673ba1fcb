import { setTimeout as sleep } from 'node:timers/promises';
import { storeOf } from '../change.ts';
import type { Receiver } from '../move.ts';
import { tooOld } from '../schema.ts';
import { type Store, StoreUnavailable, StoreUnusable } from '../store.ts';
import { type Address, type HiddenUrl, parseAddress, StoreAddressFault } from './address.ts';
import { postgresBackEnd } from './back-end.ts';
import { type Connection, connect, type Inspect } from './connection.ts';
import { Connections } from './connections.ts';
import { storeFault } from './faults.ts';
import { isOfOlderRelease, migrate, NEWEST, type ReportProgress, schemaState } from './migrations.ts';

export interface PostgresOptions {
  readonly url: HiddenUrl;
  readonly environment: NodeJS.ProcessEnv;
  /** Called while a service waits for its database. Without it, as for commands, opening fails at once. */
  readonly whileAway?: (why: StoreUnavailable) => void;
  readonly progress?: ReportProgress;
}

const AGAIN_MS = 1_000;
/** A step of a migration may read a large table. It blocks nobody meanwhile. */
const MIGRATION_MS = 86_400_000;

export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  return storeOf(await openPostgres(options));
}

export async function openPostgres({ url, environment, whileAway }: PostgresOptions): Promise<Receiver> {
  const address = parseAddress(url, environment);
  const progress = whileAway && ((line: string) => whileAway(new StoreUnavailable(line)));
  for (;;) {
    try {
      await prepare(address, progress);
      return postgresBackEnd(new Connections(address));
    } catch (error) {
      const fault = openingFault(error);
      if (!whileAway || !(fault instanceof StoreUnavailable)) throw fault;
      whileAway(fault);
      await sleep(AGAIN_MS);
    }
  }
}

export interface SchemaChange {
  /** 0: there was none. */
  readonly before: number;
  readonly now: number;
}

/** Migrates the schema if it is behind; the role must own it then. */
export async function migratePostgres({ url, environment, progress }: PostgresOptions): Promise<SchemaChange> {
  try {
    return await prepare(parseAddress(url, environment), progress);
  } catch (error) {
    throw openingFault(error);
  }
}

async function prepare(address: Address, progress?: ReportProgress): Promise<SchemaChange> {
  const look = async (connection: Connection) => {
    await refuseDistributed(connection);
    return schemaState(connection);
  };
  const { version, isUsable } = await withConnection(address, look, refuseTransactionPooler);
  if (isUsable) return { before: version, now: version };
  return withConnection({ ...address, statementTimeoutMs: MIGRATION_MS }, (connection) =>
    ensureSchema(connection, progress),
  );
}

/** A layout of releases up to 0.3.4, which needs other statements than ours. */
async function refuseDistributed(connection: Connection): Promise<void> {
  if ((await connection.run(DISTRIBUTED)).rows.length === 0) return;
  throw new StoreUnusable(
    'Citus has distributed the grants of this store, and this release works with one server',
    'Until its tables are on one server again, run release 0.3.4: docs/upgrading.md, Citus.',
  );
}

const DISTRIBUTED = `SELECT 1 FROM pg_trigger
  WHERE tgrelid = to_regclass('grants') AND tgfoid = to_regproc('pg_catalog.citus_truncate_trigger') LIMIT 1`;

/** Missing privileges and tables do not go away by waiting. */
function openingFault(error: unknown): unknown {
  if (error instanceof StoreAddressFault || error instanceof StoreUnusable) return error;
  const { code = '', message } = error as { code?: string; message: string };
  if (!MISSING.test(code)) return storeFault(error);
  return new StoreUnusable(
    `this role cannot use the database: ${message}`,
    'Give it the privileges of "Roles" in docs/postgresql.md, also on tables that exist: GRANT … ON ALL TABLES IN SCHEMA ….',
  );
}

const MISSING = /^(?:42|3F)/;

async function withConnection<T>(address: Address, work: (connection: Connection) => Promise<T>, inspect?: Inspect) {
  const connection = await connect(address, inspect);
  try {
    return await work(connection);
  } finally {
    connection.close();
  }
}

/** Migrates a schema that is behind, if the role may. A schema that is ahead is used if its migrations are additive. */
async function ensureSchema(connection: Connection, progress?: ReportProgress): Promise<SchemaChange> {
  const { version: before, isUsable } = await schemaState(connection);
  if (isUsable) return { before, now: before };
  if (before > NEWEST) {
    throw new StoreUnusable(
      `the database has schema ${before}, which this release cannot work with`,
      'Run the release that upgraded it, or a newer one: docs/upgrading.md.',
    );
  }
  if (before === 0) await refuseElsewhere(connection);
  if (isOfOlderRelease(before)) throw tooOld(before);
  try {
    await migrate(connection, undefined, progress);
    return { before, now: NEWEST };
  } catch (error) {
    if (!NOT_ALLOWED.includes((error as { code?: string }).code ?? '')) throw error;
    throw new StoreUnusable(
      `${before === 0 ? 'the database has no schema yet' : `the database has schema ${before}, this release needs ${NEWEST}`}, and this role may not change it`,
      'Run as the role that owns the schema: tessera migrate-schema --as postgres://OWNER@…',
    );
  }
}

/** Insufficient privilege, and no schema to create tables in. */
const NOT_ALLOWED = ['42501', '3F000'];

/** Refuses if the tables are in another schema than this session uses: a second, empty set would be created. */
async function refuseElsewhere(connection: Connection): Promise<void> {
  const { rows } = await connection.run(ELSEWHERE);
  const [[found, searched] = []] = rows;
  if (found === undefined) return;
  throw new StoreUnusable(
    `the tables are in the schema ${found}, and the address leads to ${searched}`,
    `Add schema=${found} to the parameters of the address.`,
  );
}

const ELSEWHERE = `SELECT n.nspname::text, current_schema()::text
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relname = 'tessera_schema' AND c.relkind = 'r' AND to_regclass('tessera_schema') IS NULL ORDER BY 1 LIMIT 1`;

/** Other clients of a pooler may take the server process meanwhile, so one look is not enough. */
const LOOKS = 10;

/**
 * In transaction mode, settings and prepared statements end up with other clients: two connections share one server
 * process, or one connection changes its own. Session mode is fine.
 */
async function refuseTransactionPooler(connection: Connection, openAnother: () => Promise<Connection>): Promise<void> {
  const backend = await backendOf(connection);
  const another = await openAnother();
  try {
    for (let look = 0; look < LOOKS; look++) {
      await another.execute('BEGIN'); // a pooler by transaction gives it a process for as long as that lasts
      if ((await backendOf(another)) === backend) throw new StoreUnusable(...POOLER);
      await another.execute('ROLLBACK');
      if ((await backendOf(connection)) !== backend) throw new StoreUnusable(...POOLER);
    }
  } finally {
    another.close();
  }
}

const POOLER = [
  'the address leads to a pooler in transaction mode (pgbouncer?), where sessions do not keep their settings',
  'Let it pool by session (pool_mode = session), or connect nodes to the server itself: they need no pooler.',
] as const;

/** A prepared statement would already fail behind such a pooler. */
async function backendOf(connection: Connection): Promise<unknown> {
  return (await connection.runUnprepared('SELECT pg_backend_pid()')).rows[0]?.[0];
}

export interface ServerFacts {
  /** The database, the server and the role, without a secret. */
  readonly place: string;
  readonly release: string;
  readonly role: string;
  /** Privileges are not checked for a superuser, so a mistake or an attacker could do anything with it. */
  readonly isSuperuser: boolean;
}

const FACTS = `SELECT current_database()::text, current_user::text, current_setting('server_version'),
  (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)`;

export async function serverFacts({ url, environment }: PostgresOptions): Promise<ServerFacts> {
  const address = parseAddress(url, environment);
  return withConnection(address, async (connection) => {
    const [database, role, release, isSuperuser] = (await connection.run(FACTS)).rows[0] as unknown as FactsRow;
    const hosts = address.hosts.map(({ host, port }) => `${host}:${port}`).join(',');
    const place = `database ${database} at ${hosts}, as ${role}`;
    return { place, release, role, isSuperuser };
  });
}

type FactsRow = [database: string, role: string, release: string, isSuperuser: boolean];
