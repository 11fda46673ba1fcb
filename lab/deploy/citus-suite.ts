// The store suite on Citus. All tests share one database, which is emptied after each.
import { after } from 'node:test';
import { TABLES } from '../../src/store/all-tables.ts';
import type { BackEnd } from '../../src/store/back-end.ts';
import { conformance } from '../../test/store/conformance.ts';
import { databaseAt } from '../../test/store/postgres-database.ts';
import { openAt } from '../../test/store/postgres-node.ts';
import { CitusCluster } from './citus-cluster.ts';

const cluster = await CitusCluster.start({ durable: false });
after(() => cluster.remove());
await cluster.database('tessera');
await cluster.migrate('tessera', 'citus');
// Most claims are about this table. Where they hold for it, they hold for grants.
await cluster.coordinator.query("SELECT create_distributed_table('attempts', 'about')", 'tessera');

async function empty(): Promise<void> {
  for (const { name } of [...TABLES].reverse()) await cluster.coordinator.query(`DELETE FROM ${name}`, 'tessera');
  await cluster.coordinator.query("TRUNCATE events; SELECT setval('event_sequence', 1)", 'tessera');
}

/** All servers share this machine, where many changes of the same rows take longer than by default. */
const PATIENT = `${cluster.url('tessera')}?statement_timeout=20000`;

conformance('Citus', async () => {
  const opened: BackEnd[] = [];
  const database = databaseAt(cluster.coordinator, 'tessera', empty, 'tessera_node');
  return {
    ...database,
    elsewhere: { ...database.elsewhere, argument: PATIENT },
    open: async () => {
      opened.push(await openAt(PATIENT));
      return opened.at(-1) as BackEnd;
    },
    remove: async () => {
      await Promise.all(opened.map((backEnd) => backEnd.close()));
      await database.remove();
    },
  };
});
