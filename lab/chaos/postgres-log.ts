// A role that may only connect holds every advisory lock that the event log could need. Writers and readers must not be
// delayed, and a writer that really is late must show in the lag.

import pg from 'pg';
import { storeOf } from '../../src/store/change.ts';
import { aNode, issue, type Node, refresh } from '../../test/node.ts';
import { openAt } from '../../test/store/postgres-node.ts';
import { PostgresServer } from '../../test/store/postgres-server.ts';

const LOCKS = 0x7e55e2;
const HELD = 5_000;

/** Returns how many promises were broken. */
export async function freezeLog(refreshes: number): Promise<number> {
  const server = await PostgresServer.start({ settings: ['max_locks_per_transaction = 256'] });
  await server.query('CREATE DATABASE tessera; ');
  await server.query('CREATE ROLE stranger LOGIN');
  const node = await aNode(storeOf(await openAt(server.url('tessera'))));
  const calm = await time(node, refreshes);
  const stranger = new pg.Client({ connectionString: server.url('tessera', 'stranger') });
  await stranger.connect();
  await stranger.query(`SELECT pg_advisory_lock(${LOCKS}, n) FROM generate_series(1, ${HELD}) n`);
  const held = await time(node, refreshes);
  const { readable, drawn } = await node.store.eventProgress();
  await stranger.end();
  await node.store.close();
  await server.remove();
  console.log(`a refresh took ${calm.toFixed(1)} ms, and ${held.toFixed(1)} ms while a stranger held ${HELD} locks`);
  console.log(`${drawn - readable} of ${drawn} events could not be read meanwhile`);
  return drawn - readable;
}

/** Mean time of a refresh, in milliseconds. */
async function time(node: Node, refreshes: number): Promise<number> {
  let pair = await issue(node);
  const began = performance.now();
  for (let n = 0; n < refreshes; n++) {
    const next = await refresh(node, pair);
    if (!next.ok) throw new Error(next.refusal.reason);
    pair = next.value;
  }
  return (performance.now() - began) / refreshes;
}
