// Every node that has seen newer events detects a rolled-back database.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { epochSeconds } from '../../src/core/time.ts';
import { EventWatch, type RolledBack } from '../../src/operations/upkeep/event-watch.ts';
import { storeOf } from '../../src/store/change.ts';
import type { Store } from '../../src/store/store.ts';
import { runTessera } from '../cli/command.ts';
import { aNode, issue, revoke } from '../node.ts';
import { openAt } from '../store/postgres-node.ts';
import { PostgresServer } from '../store/postgres-server.ts';
import { sqliteDatabase } from '../store/sqlite-database.ts';

const server = await PostgresServer.start();
after(() => server.remove());

function watching(store: Store) {
  const noticed: RolledBack[] = [];
  const news = { rolledBack: (what: RolledBack) => void noticed.push(what), lag: () => undefined };
  return { watch: new EventWatch(store, () => 0, news), noticed };
}

test('a rolled-back database is detected, even after it has written more events than before', async () => {
  await server.query('CREATE DATABASE tessera');
  const store = storeOf(await openAt(server.url('tessera')));
  const node = await aNode(store);
  const pair = await issue(node);
  await server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'tessera'");
  await server.query('CREATE DATABASE kept TEMPLATE tessera');
  await revoke(node, pair);
  const [early, late] = [watching(store), watching(store)];
  for (const { watch } of [early, late]) for (let n = 0; n < 2; n++) await watch.look();
  assert.deepEqual([early.watch.problem, late.watch.problem], [undefined, undefined]);

  await server.query('DROP DATABASE tessera (FORCE)');
  await server.query('ALTER DATABASE kept RENAME TO tessera');
  await early.watch.look();
  assert.equal(early.noticed.length, 1);
  assert.match(early.watch.problem?.reason ?? '', /put back to an older state/);
  for (let n = 0; n < 5; n++) await issue(node);
  await late.watch.look();
  assert.equal(late.noticed.length, 1, 'the numbers are higher again, and the event is another');
  await early.watch.look();
  assert.equal(early.noticed.length, 1, 'said once');
  assert.ok(early.watch.problem, 'until somebody has looked');
  await store.close();
});

test('sweeping old events is not taken for a rollback', async () => {
  const database = await sqliteDatabase();
  const store = storeOf(await database.open());
  const node = await aNode(store);
  for (let n = 0; n < 5; n++) await issue(node);
  const { watch, noticed } = watching(store);
  await watch.look();
  for (let n = 0; n < 5; n++) await issue(node);
  await store.sweepEvents(epochSeconds(2 ** 40), 100);
  await watch.look();
  assert.deepEqual(noticed, []);
  await database.remove();
});

test('a reader that follows the events of a rolled-back store gets an error', async () => {
  await server.query('CREATE DATABASE followed');
  const store = storeOf(await openAt(server.url('followed')));
  await issue(await aNode(store));
  const { drawn } = await store.eventProgress();
  await store.close();
  const args = ['events', '--follow', '--after', String(drawn + 100), '--set', `store=${server.url('followed')}`];
  const { status, printed } = await runTessera(args, { folder: '/' });
  assert.equal(status, 4, printed);
  assert.match(printed, /put back to an older state/);
});
