// The cluster of deploy/postgres/patroni.yml: Patroni detects, promotes and rewinds; the drill only kills and starts.
import { setTimeout as pause } from 'node:timers/promises';
import { migratePostgres } from '../../src/store/postgres/open.ts';
import { Secret } from '../../src/tokens/secret.ts';
import type { Seeded } from '../../test/seeded.ts';
import { shippedRoles } from '../../test/store/documented-sql.ts';
import { type Cluster, failoverMany } from './failover.ts';
import { PatroniCluster } from './patroni/cluster.ts';
import { PASSWORD } from './patroni/places.ts';

/** By then the dead primary's last answers have arrived, and no standby is promoted yet. */
const SETTLED_AFTER_MS = 1000;

export function failoverByPatroni(cycles: number, chance: Seeded): Promise<number> {
  return failoverMany(patroniCluster, cycles, chance);
}

export async function patroniCluster(): Promise<Cluster> {
  const cluster = await PatroniCluster.start();
  await cluster.administer('CREATE DATABASE tessera');
  await cluster.administer(shippedRoles());
  await cluster.administer(
    ['tessera_owner', 'tessera_node'].map((role) => `ALTER ROLE ${role} PASSWORD '${PASSWORD}';`).join('\n'),
  );
  await migratePostgres({ url: new Secret(cluster.url('tessera_owner')), environment: {} });
  let primary = '';
  return {
    url: cluster.url('tessera_node'),
    severReplication: async () => {
      primary = await cluster.leader();
      cluster.severReplication(primary);
    },
    killPrimary: () => cluster.kill(primary),
    takeOver: () => pause(SETTLED_AFTER_MS),
    repair: async () => {
      cluster.startMember(primary);
      await cluster.whole();
    },
    remove: async () => {
      console.log(`${cluster.rewinds()} times a member came back by pg_rewind`);
      await cluster.remove();
    },
  };
}
