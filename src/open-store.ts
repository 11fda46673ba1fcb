// Opens the store that an address names. Only this file knows the back ends; each is loaded on demand.
import type { Config } from './config/schema.ts';
import type { Clock } from './operations/ports.ts';
import type { Receiver, Source } from './store/move.ts';
import type { SchemaChange } from './store/postgres/open.ts';
import type { ServerFacts } from './store/postgres/server-facts.ts';
import type { Store, StoreUnavailable } from './store/store.ts';
import { systemClock } from './system.ts';
import { Secret } from './tokens/secret.ts';

/**
 * `clock` is for stores without a clock of their own.
 * A service waits for a database that is unavailable; a command fails. Only `init` makes a SQLite store.
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

/** Called about once a second while a service waits. Throwing ends the wait. */
export type WhileAway = (why: StoreUnavailable) => void;

/** Opens both ends of a move as back ends: a move copies rows and events, and decides nothing. */
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

/** Opens the store exclusively, so that no service can start meanwhile. If a service is running, shares the store with it. */
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

/** Back up, check and restore SQLite stores. */
export async function sqliteCopies() {
  const [copies, { isBusy, isFull }, { lockFile }] = await Promise.all([
    import('./store/sqlite/backup.ts'),
    import('./store/sqlite/faults.ts'),
    import('./store/sqlite/file-lock.ts'),
  ]);
  return { ...copies, isBusy, isFull, lockFile };
}

/** Continuous backups of SQLite stores. */
export async function continuousBackup() {
  const [{ followStore }, { rebuild, rebuildFrom }, { readSeries, seriesFolders }, faults] = await Promise.all([
    import('./store/sqlite/continuous/follow.ts'),
    import('./store/sqlite/continuous/rebuild.ts'),
    import('./store/sqlite/continuous/archive.ts'),
    import('./store/sqlite/continuous/faults.ts'),
  ]);
  return { followStore, rebuild, rebuildFrom, readSeries, seriesFolders, ...faults };
}

/** Upgrades the schema of a PostgreSQL store, as the role in the address. */
export async function migratePostgresSchema(address: Secret): Promise<SchemaChange> {
  const { migratePostgres } = await import('./store/postgres/open.ts');
  return migratePostgres({ url: address, environment: process.env });
}

/** Facts about the server and the role of an address, for people. */
export async function examinePostgres(address: Secret): Promise<ServerFacts> {
  const { serverFacts } = await import('./store/postgres/server-facts.ts');
  return serverFacts(address, process.env);
}

/** Throws if the address of a PostgreSQL store is malformed. Connects to nothing. */
export async function checkStoreAddress({ store }: Config): Promise<void> {
  if (store.kind === 'sqlite') return;
  const { parseAddress } = await import('./store/postgres/address.ts');
  parseAddress(store.url, process.env);
}
