// Which back end an address names. The only file that knows the back ends; each is loaded when it is named.
import type { Config } from './config/schema.ts';
import type { Clock } from './operations/ports.ts';
import type { BackEnd } from './store/back-end.ts';
import type { Receiver } from './store/move.ts';
import type { Store } from './store/store.ts';
import { systemClock } from './system.ts';
import { Secret } from './tokens/secret.ts';

/**
 * The clock is the store's where the store has none of its own.
 * A service waits for a database that is away; a command says so and is over. Only `init` makes a SQLite store.
 */
export async function openStore(
  { store }: Pick<Config, 'store'>,
  opener: 'service' | 'command' | 'init',
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
    ...(opener === 'service' && { whileAway: tellWaiting }),
  });
}

function tellWaiting(why: string): void {
  process.stderr.write(`tessera: waiting for the store: ${why}\n`);
}

/** Both ends of a move, as back ends: a move sees rows and events, not decisions. */
export async function openForMove(path: string, to: string): Promise<{ source: BackEnd; target: Receiver }> {
  const { openSqlite } = await import('./store/sqlite/open.ts');
  const { openPostgres } = await import('./store/postgres/open.ts');
  const source = await openSqlite({ path, clock: systemClock.now, mustExist: true });
  return { source, target: await openPostgres({ url: new Secret(to), environment: process.env }) };
}

/** Copies of a SQLite store: taking one, looking at one, putting one back. */
export function sqliteCopies() {
  return import('./store/sqlite/backup.ts');
}

/** Says which schema there is now. */
export async function migratePostgresSchema(address: string): Promise<number> {
  const { migratePostgres } = await import('./store/postgres/open.ts');
  return migratePostgres({ url: new Secret(address), environment: process.env });
}
