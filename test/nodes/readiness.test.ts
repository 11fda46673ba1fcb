// Readiness checks cost the database at most one query a second, however many there are.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fastify, { type FastifyInstance } from 'fastify';
import { mountOps } from '../../src/doors/ops/door.ts';
import { Readiness } from '../../src/doors/ops/readiness.ts';
import { Timekeeper } from '../../src/operations/upkeep/timekeeper.ts';
import { storeOf } from '../../src/store/change.ts';
import type { Store } from '../../src/store/store.ts';
import { aNode, TestClock } from '../node.ts';
import { debianPrograms } from '../store/debian-postgres.ts';
import { openAt } from '../store/postgres-node.ts';
import { PostgresServer } from '../store/postgres-server.ts';

let server: PostgresServer;
let store: Store;
const clock = new TestClock();

before(async () => {
  const settings = ["shared_preload_libraries = 'pg_stat_statements'"];
  server = await PostgresServer.start({ programs: debianPrograms(), settings });
  await server.query('CREATE EXTENSION pg_stat_statements');
  store = storeOf(await openAt(server.url()));
});
beforeEach(() => clock.set(Date.now() / 1000)); // it must agree with the database's
after(async () => {
  await store.close();
  await server.remove();
});

async function aDoor(): Promise<FastifyInstance> {
  const app = fastify();
  const news = { failing: () => undefined, holdsAgain: () => undefined, clocksApart: () => undefined };
  const timekeeper = new Timekeeper(clock.running, undefined, await store.now());
  const parts = { ...(await aNode(store, { clock })), timekeeper };
  mountOps(app, { readiness: new Readiness(parts, news), metrics: undefined });
  await server.query('SELECT pg_stat_statements_reset()');
  return app;
}

async function ask(app: FastifyInstance, times: number): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: times }, () => app.inject('/readyz')));
  return [...new Set(answers.map(({ statusCode }) => statusCode))];
}

/** How often the database was queried for the time. */
async function questions(): Promise<number> {
  const [row] = await server.query(
    "SELECT coalesce(sum(calls), 0)::integer AS calls FROM pg_stat_statements WHERE query LIKE 'SELECT floor(extract(%'",
  );
  return Number(row?.['calls']);
}

test('concurrent readiness checks share one query, and its result is cached for a second', async () => {
  const app = await aDoor();
  assert.deepEqual(await ask(app, 100), [200]);
  assert.deepEqual(await ask(app, 100), [200]);
  assert.equal(await questions(), 1);
  clock.move(1);
  assert.deepEqual(await ask(app, 100), [200]);
  assert.equal(await questions(), 2);
});

test('a hanging database gets no second readiness query before it has answered', async () => {
  const app = await aDoor();
  server.signalAll('SIGSTOP');
  const asked: Promise<number[]>[] = [];
  for (let second = 0; second < 5; second++) {
    asked.push(ask(app, 10));
    await pause(20); // the requests have arrived
    clock.move(1);
  }
  clock.set(Date.now() / 1000);
  server.signalAll('SIGCONT');
  assert.deepEqual((await Promise.all(asked)).flat(), [200, 200, 200, 200, 200]);
  assert.equal(await questions(), 1);
});

test('a node is not ready while the database is down, and ready when it is back', async () => {
  const app = await aDoor();
  await server.stop();
  assert.deepEqual(await ask(app, 10), [503]);
  await server.launch();
  assert.deepEqual(await ask(app, 10), [503], 'a refusal, too, is good for a second');
  clock.move(1);
  assert.deepEqual(await ask(app, 10), [200]);
});
