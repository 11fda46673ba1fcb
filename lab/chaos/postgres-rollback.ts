// A database under load is restored to an earlier state, as from a backup. Every node must detect it, and
// a follower of the events must get an error.
import { setTimeout as pause } from 'node:timers/promises';
import { EventWatch } from '../../src/operations/upkeep/event-watch.ts';
import { storeOf } from '../../src/store/change.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { firstKey, Keyring } from '../../src/tokens/keyring.ts';
import { aNode, anotherNode, issue, type Node, revoke } from '../../test/node.ts';
import { openAt } from '../../test/store/postgres-node.ts';
import { PostgresServer } from '../../test/store/postgres-server.ts';

const NODES = 3;
const LOOK_MS = 200;
const PATIENCE_MS = 20_000;

/** Returns how many nodes did not detect it. */
export async function rollBack(cycles: number): Promise<number> {
  const server = await PostgresServer.start();
  await server.query('CREATE DATABASE tessera');
  const keyring = new Keyring(firstKey());
  const open = async () => storeOf(await openAt(server.url('tessera')));
  const nodes = [await aNode(await open(), { keyring })];
  while (nodes.length < NODES) nodes.push(await anotherNode(await open(), { keyring }));
  let unnoticed = 0;
  for (let cycle = 1; cycle <= cycles; cycle++) unnoticed += await putBack(server, nodes, cycle);
  await Promise.all(nodes.map(({ store }) => store.close()));
  await server.remove();
  return unnoticed;
}

async function putBack(server: PostgresServer, nodes: readonly Node[], cycle: number): Promise<number> {
  const noticedAfter: number[] = [];
  let [running, began] = [true, 0];
  const watches = nodes.map(({ store }) => {
    const rolledBack = () => void noticedAfter.push(performance.now() - began);
    return new EventWatch(store, () => performance.now(), { rolledBack, lag: () => undefined });
  });
  const looks = watches.map(() => 0);
  const looking = watches.map(async (watch, n) => {
    for (; running; await pause(LOOK_MS)) if (await succeeds(watch.look())) looks[n] = (looks[n] ?? 0) + 1;
  });
  const loading = nodes.map(async (node) => {
    while (running) await revokeOne(node);
  });
  await copy(server);
  looks.fill(0);
  await until(() => looks.every((count) => count >= 3));
  began = performance.now();
  await server.query('DROP DATABASE tessera (FORCE)');
  await server.query('ALTER DATABASE kept RENAME TO tessera');
  await until(() => watches.every(({ problem }) => problem));
  running = false;
  await Promise.all([...looking, ...loading]);
  const missed = watches.filter(({ problem }) => !problem).length;
  const times = noticedAfter.map((ms) => `${Math.round(ms)} ms`).join(', ');
  console.log(`rollback ${cycle}: ${nodes.length - missed} of ${nodes.length} nodes noticed it, after ${times}`);
  return missed;
}

/** A copy needs exclusive access: sessions that reconnect are terminated again. */
async function copy(server: PostgresServer): Promise<void> {
  await server.query('ALTER DATABASE tessera ALLOW_CONNECTIONS false');
  await server.query("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = 'tessera'");
  await server.query('CREATE DATABASE kept TEMPLATE tessera');
  await server.query('ALTER DATABASE tessera ALLOW_CONNECTIONS true');
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

async function until(holds: () => boolean): Promise<void> {
  const latest = performance.now() + PATIENCE_MS;
  while (!holds() && performance.now() < latest) await pause(LOOK_MS);
}

async function revokeOne(node: Node): Promise<void> {
  try {
    await revoke(node, await issue(node));
  } catch (fault) {
    if (!(fault instanceof StoreUnavailable)) throw fault;
    await pause(50);
  }
}
