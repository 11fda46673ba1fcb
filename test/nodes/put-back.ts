// A PostgreSQL database that is put back to an older state, as from a backup, and nodes that watch it.
import type { Ports } from '../../src/operations/ports.ts';
import { EventWatch, type WatchParts, watchedStore } from '../../src/operations/upkeep/event-watch.ts';
import { RecentActs } from '../../src/operations/upkeep/recent-acts.ts';
import type { Store } from '../../src/store/store.ts';
import { systemClock } from '../../src/system.ts';
import type { Keyring } from '../../src/tokens/keyring.ts';
import { anotherNode } from '../node.ts';
import type { PostgresServer } from '../store/postgres-server.ts';

/** A node that only watches. */
export function watching(store: Store, parts: Partial<WatchParts> = {}) {
  const noticed: unknown[] = [];
  const accepted: number[] = [];
  const news = {
    rolledBack: (what: unknown) => void noticed.push(what),
    accepted: (epoch: number) => void accepted.push(epoch),
    lag: () => undefined,
  };
  const acts = new RecentActs(store);
  const watch = new EventWatch({ store, node: 'a node', milliseconds: () => 0, news, acts, ...parts });
  return { watch, noticed, accepted, acts };
}

/** A node that watches the store it works on, as a service does. */
export async function watchedNode(
  open: Store,
  { node, resume }: Pick<WatchParts, 'node' | 'resume'>,
  keyring: Keyring,
) {
  const { watch, acts, noticed } = watching(open, { node, resume });
  await watch.look();
  const store = watchedStore(open, watch, acts);
  const explainLoss: Ports['explainLoss'] = (grant) => watch.explainLoss(grant);
  const ports = { keyring, clock: systemClock, explainLoss };
  return { ...(await anotherNode(store, ports)), watch, open, noticed };
}

/** While others use it. */
export async function copyDatabase(server: PostgresServer, name: string, copy: string): Promise<void> {
  await endSessions(server, name);
  await server.query(`CREATE DATABASE ${copy} TEMPLATE ${name} STRATEGY file_copy`);
  await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
}

/** `before`: the name that the newer state keeps; otherwise it is dropped. */
export async function putBack(server: PostgresServer, name: string, copy: string, before?: string): Promise<void> {
  await endSessions(server, name);
  await server.query(before ? `ALTER DATABASE ${name} RENAME TO ${before}` : `DROP DATABASE ${name} (FORCE)`);
  await server.query(`ALTER DATABASE ${copy} RENAME TO ${name}`);
  if (before) await server.query(`ALTER DATABASE ${before} ALLOW_CONNECTIONS true`);
}

/** Pools open others at once, unless there is no connection to be had. */
async function endSessions(server: PostgresServer, name: string): Promise<void> {
  await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await server.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`);
}
