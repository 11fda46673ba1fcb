import { setTimeout as pause } from 'node:timers/promises';
import { storeOf } from '../change.ts';
import type { Receiver } from '../move.ts';
import { type Store, StoreUnavailable } from '../store.ts';
import { type Address, type HiddenUrl, parseAddress } from './address.ts';
import { postgresBackEnd } from './back-end.ts';
import { type Connection, connect } from './connection.ts';
import { Connections } from './connections.ts';
import { storeFault } from './faults.ts';
import { MIGRATIONS, migrate, schemaState } from './migrations.ts';

export interface PostgresOptions {
  readonly url: HiddenUrl;
  readonly environment: NodeJS.ProcessEnv;
  /** A service waits for its database, and says so through this; a command without it gives up at once. */
  readonly whileAway?: (why: string) => void;
}

const AGAIN_MS = 1_000;
/** Changing a schema may take long, and nodes that start meanwhile wait for it. */
const MIGRATION_MS = 3_600_000;

export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  return storeOf(await openPostgres(options));
}

export async function openPostgres({ url, environment, whileAway }: PostgresOptions): Promise<Receiver> {
  const address = parseAddress(url, environment);
  for (;;) {
    try {
      await withConnection(address, ensureSchema);
      return postgresBackEnd(new Connections(address));
    } catch (error) {
      const fault = storeFault(error);
      if (!whileAway || !(fault instanceof StoreUnavailable)) throw fault;
      whileAway(fault.message);
      await pause(AGAIN_MS);
    }
  }
}

/** For the role that owns the schema, where the nodes' role does not. Says which version there is now. */
export async function migratePostgres({ url, environment }: PostgresOptions): Promise<number> {
  return withConnection(parseAddress(url, environment), async (connection) => {
    await migrate(connection);
    return (await schemaState(connection)).version;
  });
}

/** A connection apart, for the schema. */
async function withConnection<T>(address: Address, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await connect({ ...address, statementTimeoutMs: MIGRATION_MS, lockTimeoutMs: MIGRATION_MS });
  try {
    return await work(connection);
  } finally {
    connection.close();
  }
}

/** A schema that is behind is brought forward, where the role may; one that is ahead is used, where its release says so. */
async function ensureSchema(connection: Connection): Promise<void> {
  const { version, isUsable } = await schemaState(connection);
  if (isUsable) return;
  if (version > MIGRATIONS.length) {
    throw new Error(`the database has schema ${version}, which this release cannot work with: use a newer release`);
  }
  try {
    await migrate(connection);
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
    throw new Error(
      `the database has schema ${version}, this release needs ${MIGRATIONS.length}, and this role may not change it: ` +
        'run as the role that owns the schema: tessera migrate-schema --as postgres://OWNER@…',
    );
  }
}
