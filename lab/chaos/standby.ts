// Two bare servers, the second the synchronous standby of the first; the drill itself promotes it.
import { setTimeout as pause } from 'node:timers/promises';
import { PostgresServer, silenceSenders } from '../../test/store/postgres-server.ts';
import { makeStandby, promote, REPLICATING } from '../../test/store/postgres-standby.ts';
import type { Cluster } from './failover.ts';

/** Time to detect a dead primary; a manager such as Patroni takes longer. */
const NOTICED_AFTER_MS = 200;

export async function standbyCluster(): Promise<Cluster> {
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
    remove: async () => {
      await Promise.all(servers.map((server) => server.remove()));
    },
  };
}
