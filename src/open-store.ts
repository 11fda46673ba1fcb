// Which back end an address names. The only file beside compose.ts that knows back ends; each is loaded when it is named.
import type { Config } from './config/schema.ts';
import type { Store } from './store/store.ts';
import { systemClock } from './system.ts';

/**
 * `thread`: for a service, whose event loop never waits for the disk, and which waits for a database that is away.
 * `here`: for a command, which is soon over.
 */
export async function openStore(
  { store }: Pick<Config, 'store'>,
  writer: 'thread' | 'here',
  whileAway = (why: string) => void process.stderr.write(`tessera: waiting for the store: ${why}\n`),
): Promise<Store> {
  if (store.kind === 'sqlite') {
    const { openSqliteStore } = await import('./store/sqlite/open.ts');
    return openSqliteStore({ path: store.path, clock: systemClock.now, writer });
  }
  const { openPostgresStore } = await import('./store/postgres/open.ts');
  return openPostgresStore({ url: store.url, environment: process.env, ...(writer === 'thread' && { whileAway }) });
}
