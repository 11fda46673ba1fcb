// A database under load is restored to an earlier state, as from a backup. Every node must detect it, what was ended in between
// must be listed and ended again, and accepting it must make every node ready without a restart.

import { setTimeout as pause } from 'node:timers/promises';
import { acceptRollback } from '../../src/operations/admin/after-restore.ts';
import { endAgain, endingsFromActs } from '../../src/operations/admin/lost-endings.ts';
import { EventWatch } from '../../src/operations/upkeep/event-watch.ts';
import { RecentActs } from '../../src/operations/upkeep/recent-acts.ts';
import { storeOf } from '../../src/store/change.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { readHistory } from '../../src/store/tables/store-history.ts';
import { firstKey, Keyring } from '../../src/tokens/keyring.ts';
import { aNode, anotherNode, answer, check, issue, type Node, revoke } from '../../test/node.ts';
import { OPERATOR } from '../../test/samples.ts';
import { openAt } from '../../test/store/postgres-node.ts';
import { PostgresServer } from '../../test/store/postgres-server.ts';

const NODES = 3;
const LOOK_MS = 200;
const PATIENCE_MS = 20_000;
/** Grants that are revoked between the backup and the moment at which it is restored. */
const ENDED = 5;

/** Returns how many promises were broken. */
export async function rollBack(cycles: number): Promise<number> {
  const server = await PostgresServer.start();
  await server.query('CREATE DATABASE tessera');
  const keyring = new Keyring(firstKey());
  const open = async () => storeOf(await openAt(server.url('tessera')));
  const nodes = [await aNode(await open(), { keyring })];
  while (nodes.length < NODES) nodes.push(await anotherNode(await open(), { keyring }));
  let broken = 0;
  for (let cycle = 1; cycle <= cycles; cycle++) broken += await putBack(server, nodes, cycle);
  await Promise.all(nodes.map(({ store }) => store.close()));
  await server.remove();
  return broken;
}

async function putBack(server: PostgresServer, nodes: readonly Node[], cycle: number): Promise<number> {
  const noticedAfter: number[] = [];
  let [running, began] = [true, 0];
  const watches = nodes.map(({ store }) => {
    const rolledBack = () => void noticedAfter.push(performance.now() - began);
    const news = { rolledBack, accepted: () => undefined, lag: () => undefined };
    return new EventWatch({
      store,
      node: 'a node',
      milliseconds: () => performance.now(),
      news,
      acts: new RecentActs(store),
    });
  });
  const looks = watches.map(() => 0);
  const looking = watches.map(async (watch, n) => {
    for (; running; await pause(LOOK_MS)) if (await succeeds(watch.look())) looks[n] = (looks[n] ?? 0) + 1;
  });
  const loading = nodes.map(async (node) => {
    while (running) await revokeOne(node);
  });
  const settle = () => {
    looks.fill(0);
    return until(() => looks.every((count) => count >= 3));
  };
  const [node] = nodes as [Node];
  const kept = await Promise.all(Array.from({ length: ENDED }, () => issue(node)));
  await copy(server);
  await settle();
  for (const pair of kept) await revoke(node, pair);
  await settle();
  began = performance.now();
  await server.query('DROP DATABASE tessera (FORCE)');
  await server.query('ALTER DATABASE kept RENAME TO tessera');
  await until(() => watches.every(({ problem }) => problem));
  const missed = watches.filter(({ problem }) => !problem).length;
  const listed = await acceptAgain(node);
  await until(() => watches.every(({ problem }) => !problem));
  const unready = watches.filter(({ problem }) => problem).length;
  running = false;
  await Promise.all([...looking, ...loading]);
  const works = (await Promise.all(kept.map((pair) => answer(check(node, pair))))).filter((is) => is === 'accepted');
  const times = noticedAfter.map((ms) => `${Math.round(ms)} ms`).join(', ');
  console.log(
    `rollback ${cycle}: ${nodes.length - missed} of ${nodes.length} nodes noticed it, after ${times}; ` +
      `${listed} of ${ENDED} ended grants listed, ${works.length} still work; ${unready} nodes not ready after accepting it`,
  );
  return missed + unready + works.length + Number(listed < ENDED);
}

/** What an operator does: `tessera store accept-rollback --end-again`. Returns how many grants were listed. */
async function acceptAgain({ store }: Node): Promise<number> {
  const ports = { store, by: OPERATOR };
  const { rollback } = await readHistory(store);
  const back = await endingsFromActs(rollback?.lost ?? [], ports);
  await endAgain(back, ports);
  await acceptRollback(ports);
  return back.length;
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
