// How a node opens a PostgreSQL store, in this process or in another.
import type { Receiver } from '../../src/store/move.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { Secret } from '../../src/tokens/secret.ts';

export function openAt(url: string): Promise<Receiver> {
  return openPostgres({ url: new Secret(url), environment: {} });
}

/** What another process calls. */
export function openElsewhere(url: string): Promise<Receiver> {
  return openAt(url);
}
