// Which back end an address names. The only file that knows the back ends; each is loaded when it is named.
import type { Config } from './config/schema.ts';
import type { Clock } from './operations/ports.ts';
import type { Receiver, Source } from './store/move.ts';
import type { SchemaChange } from './store/postgres/open.ts';
import type { ServerFacts } from './store/postgres/server-facts.ts';
import type { Store, StoreUnavailable } from './store/store.ts';
import { systemClock } from './system.ts';
import { Secret } from './tokens/secret.ts';

/**
 * The clock is the store's where the store has none of its own.
 * A service waits for a database that is away; a command says so and is over. Only `init` makes a SQLite store.
 */
export async function openStore(
  { store }: Pick<Config, 'store'>,
  opener: 'service' | 'command' | 'init' | WhileAway,
  clock: Clock = systemClock,
): Promise<Store> {
  if (store.kind === 'sqlite') {
    const { openSqliteStore } = await import('./store/sqlite/open.ts');
    return openSqliteStore({ path: store.path, clock: clock.now, mustExist: opener !== 'init' });
  }
  const { openPostgresStore } = await import('./store/postgres/open.ts');
  return openPostgresStore({
    url: store.url,
    environment: process.env,
    ...(typeof opener === 'function' && { whileAway: opener }),
    ...(opener === 'service' && { whileAway: () => undefined }),
  });
}

/** Called about once a second while a service waits. What it throws ends the wait. */
export type WhileAway = (why: StoreUnavailable) => void;

/** Both ends of a move, as back ends: a move sees rows and events, not decisions. */
export async function openForMove(path: string, to: string): Promise<{ source: Source; target: Receiver }> {
  const { openPostgres } = await import('./store/postgres/open.ts');
  const target = await openPostgres({ url: new Secret(to), environment: process.env });
  try {
    return { source: await openSource(path), target };
  } catch (error) {
    await target.close();
    throw error;
  }
}

/** Where a service runs on it, beside that; otherwise alone, so that none can start meanwhile. */
async function openSource(path: string): Promise<Source> {
  const { openSqlite } = await import('./store/sqlite/open.ts');
  const { isBusy } = await import('./store/sqlite/faults.ts');
  const options = { path, clock: systemClock.now, mustExist: true };
  try {
    return { backEnd: await openSqlite({ ...options, alone: true }), isAlone: true };
  } catch (error) {
    if (!isBusy(error)) throw error;
    return { backEnd: await openSqlite(options), isAlone: false };
  }
}

/** Copies of a SQLite store: taking one, looking at one, putting one back. */
export function sqliteCopies() {
  return import('./store/sqlite/backup.ts');
}

/** Brings the schema of a PostgreSQL store forward, as the role in the address. */
export async function migratePostgresSchema(address: Secret): Promise<SchemaChange> {
  const { migratePostgres } = await import('./store/postgres/open.ts');
  return migratePostgres({ url: address, environment: process.env });
}

/** What a person should know about the server and the role that an address leads to. */
export async function examinePostgres(address: Secret): Promise<ServerFacts> {
  const { serverFacts } = await import('./store/postgres/server-facts.ts');
  return serverFacts(address, process.env);
}
