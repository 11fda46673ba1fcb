// Which back end an address names. The only file beside compose.ts that knows back ends; each is loaded when it is named.
import type { Config } from './config/schema.ts';
import type { Store } from './store/store.ts';
import { systemClock } from './system.ts';

/** `thread`: for a service, whose event loop never waits for the disk. `here`: for a command, which is soon over. */
export async function openStore({ store }: Pick<Config, 'store'>, writer: 'thread' | 'here'): Promise<Store> {
  if (store.kind === 'postgres') throw new Error('this release stores in SQLite only: store: sqlite:PATH');
  const { openSqliteStore } = await import('./store/sqlite/open.ts');
  return openSqliteStore({ path: store.path, clock: systemClock.now, writer });
}
