// Two bare servers, the second the synchronous standby of the first; the drill itself promotes it.
import { setTimeout as pause } from 'node:timers/promises';
import type { Seeded } from '../../test/seeded.ts';
import { PostgresServer, silenceSenders } from '../../test/store/postgres-server.ts';
import { makeStandby, promote, REPLICATING } from '../../test/store/postgres-standby.ts';
import { type Cluster, failoverMany } from './failover.ts';

/** Time to detect a dead primary; a manager such as Patroni takes longer. */
const NOTICED_AFTER_MS = 200;

export interface StandbyCluster extends Cluster {
  /** Copies the database, as a backup does. */
  copy(): Promise<void>;
  /** Puts the copy in its place, under running nodes. */
  putBack(): Promise<void>;
}

export function failoverToStandby(cycles: number, chance: Seeded): Promise<number> {
  return failoverMany(standbyCluster, cycles, chance);
}

export async function standbyCluster(): Promise<StandbyCluster> {
  const servers = [
    await PostgresServer.start({ durable: true, settings: REPLICATING }),
    await PostgresServer.prepare(),
  ] as const;
  let [primary, standby]: readonly [PostgresServer, PostgresServer] = servers;
  await primary.query('CREATE DATABASE tessera');
  await makeStandby(standby, primary);
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return {
    url: `postgres://postgres@${hosts}/tessera?statement_timeout=2000`,
    severReplication: async () => silenceSenders(primary.pid ?? 0),
    killPrimary: () => primary.kill(),
    takeOver: async () => {
      await pause(NOTICED_AFTER_MS);
      await promote(standby);
    },
    repair: async () => {
      await makeStandby(primary, standby);
      [primary, standby] = [standby, primary];
    },
    // A copy needs exclusive access: sessions that reconnect are terminated again.
    copy: async () => {
      await primary.query('ALTER DATABASE tessera ALLOW_CONNECTIONS false');
      await primary.query("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = 'tessera'");
      await primary.query('CREATE DATABASE kept TEMPLATE tessera');
      await primary.query('ALTER DATABASE tessera ALLOW_CONNECTIONS true');
    },
    putBack: async () => {
      await primary.query('DROP DATABASE tessera (FORCE)');
      await primary.query('ALTER DATABASE kept RENAME TO tessera');
    },
    remove: async () => {
      await Promise.all(servers.map((server) => server.remove()));
    },
  };
}
