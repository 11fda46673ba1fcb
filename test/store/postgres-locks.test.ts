// A row locked by another session delays only changes of that row.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { epochSeconds } from '../../src/core/time.ts';
import type { BackEnd } from '../../src/store/back-end.ts';
import { storeOf } from '../../src/store/change.ts';
import { recordingOutages } from '../../src/store/outages.ts';
import { RowUnavailable, type Store } from '../../src/store/store.ts';
import { attempts } from '../../src/store/tables/attempts.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { SERVICE, serviceTimes } from '../../src/store/tables/service-times.ts';
import { given, prepare } from '../given.ts';
import { aNode, BOB, confirmed, issue, type Node, redeem } from '../node.ts';
import { counter, countOf, increment, put } from './conformance/rows.ts';
import { openAt } from './postgres-node.ts';
import { PostgresServer } from './postgres-server.ts';

let backEnd: BackEnd;
let store: Store;
let node: Node;
let operator: pg.Client;

const server = given(() => PostgresServer.start());
prepare(async () => {
  backEnd = await openAt(`${server.url()}?statement_timeout=4000`);
  store = storeOf(backEnd);
  node = await aNode(store);
  operator = new pg.Client({ connectionString: server.url() });
  operator.on('error', () => undefined);
  await operator.connect();
});
after(async () => {
  await operator.end();
  await backEnd.close();
});

const rows = Array.from({ length: 100 }, (_, n) => `row ${n}`);

/** What settles first: the others, or the one that needs the locked row. */
async function order(locked: Promise<unknown>, others: Promise<unknown>): Promise<string[]> {
  const settled: string[] = [];
  const all = [
    [locked, 'locked'],
    [others, 'others'],
  ] as const;
  await Promise.all(all.map(([each, name]) => each.then(() => settled.push(name))));
  return settled;
}

test('of a hundred changes in one batch with one row locked, ninety-nine commit at once and the last when the lock ends', async () => {
  await Promise.all(rows.map((about) => put(store, attempts, counter(about))));
  await operator.query("BEGIN; SELECT 1 FROM attempts WHERE about = 'row 50' FOR UPDATE");
  const changes = rows.map((about) => increment(store, about));
  const [locked] = changes.splice(50, 1);
  const others = Promise.all(changes);
  const unlocked = others.then(() => operator.query('COMMIT'));
  assert.deepEqual(await order(locked as Promise<number>, others), ['others', 'locked']);
  await unlocked;
  for (const about of rows) assert.equal(await countOf(backEnd, about), 1);
});

test('while a row stays locked, changes of other rows are batched without it', async () => {
  await put(store, attempts, counter('held'));
  await operator.query("BEGIN; SELECT 1 FROM attempts WHERE about = 'held' FOR UPDATE");
  const held = increment(store, 'held');
  await pause(150); // detected by then
  const before = await lockTimeouts();
  const again = increment(store, 'held');
  await Promise.all(rows.map((about) => increment(store, about)));
  await operator.query('COMMIT');
  assert.deepEqual((await Promise.all([held, again])).sort(), [1, 2]);
  assert.ok((await lockTimeouts()) - before < 30, 'only the two that want the row tried to lock it');
});

/** Transactions that were rolled back. */
async function lockTimeouts(): Promise<number> {
  await operator.query('SELECT pg_stat_force_next_flush()');
  const [row] = await server.query("SELECT xact_rollback FROM pg_stat_database WHERE datname = 'postgres'");
  return Number(row?.['xact_rollback']);
}

test('a row locked for longer than the statement timeout is unavailable, and nothing else is; nothing changes', async () => {
  await put(store, attempts, counter('long'));
  await operator.query("BEGIN; SELECT 1 FROM attempts WHERE about = 'long' FOR UPDATE");
  const recording = recordingOutages(store);
  await recording.now();
  await assert.rejects(increment(recording, 'long'), RowUnavailable);
  await increment(recording, 'another');
  assert.deepEqual(
    (await store.load(serviceTimes, SERVICE)).found?.row.outages ?? [],
    [],
    'not an outage of the service',
  );
  await operator.query('ROLLBACK');
  assert.equal(await countOf(backEnd, 'long'), 0);
  assert.equal(await increment(store, 'long'), 1);
});

test('a locked identity delays only its own new grants', async () => {
  await operator.query(`BEGIN; SELECT 1 FROM identities WHERE id <> '${BOB}' FOR UPDATE`);
  const ofAda = issue(node);
  const others = Promise.all(rows.map((about) => increment(store, about)));
  const unlocked = others.then(() => operator.query('COMMIT'));
  assert.deepEqual(await order(ofAda, others), ['others', 'locked']);
  await unlocked;
});

test('a change of several rows waits for a locked row', async () => {
  const started = await confirmed(node);
  await operator.query('BEGIN; SELECT 1 FROM device_authorizations FOR UPDATE');
  const redeeming = redeem(node, started);
  await pause(200);
  await operator.query('COMMIT');
  assert.ok((await redeeming).ok);
});

test('all changes wait for a locked table and continue when the lock ends', async () => {
  await operator.query('BEGIN; LOCK TABLE attempts IN SHARE MODE'); // reads go on, writes wait
  const changes = Promise.all(rows.slice(0, 20).map((about) => increment(store, about)));
  await pause(300);
  await operator.query('COMMIT');
  assert.equal((await changes).length, 20);
});

test('a change that somebody cancels is repeated', async () => {
  await server.query(`CREATE SEQUENCE cancelled;
    CREATE FUNCTION cancel() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('cancelled') < 3 THEN PERFORM pg_cancel_backend(pg_backend_pid()), pg_sleep(1); END IF; RETURN NEW; END $$;
    CREATE TRIGGER cancel BEFORE INSERT ON attempts FOR EACH ROW EXECUTE FUNCTION cancel()`);
  try {
    assert.equal(await increment(store, 'cancelled'), 1);
  } finally {
    await server.query('DROP TRIGGER cancel ON attempts; DROP FUNCTION cancel');
  }
});

test('a sweep leaves a locked row for later', async () => {
  const ended = ['swept 1', 'swept 2', 'swept 3'];
  for (const about of ended) await put(store, attempts, counter(about, 0, epochSeconds(5)));
  await operator.query("BEGIN; SELECT 1 FROM attempts WHERE about = 'swept 2' FOR UPDATE");
  assert.equal(await backEnd.sweep(attempts, epochSeconds(6), 10), 2);
  await operator.query('COMMIT');
  assert.equal(await backEnd.sweep(attempts, epochSeconds(6), 10), 1);
});

test('closing waits for a change that waits for a row', async () => {
  const other = await openAt(server.url());
  await put(storeOf(other), attempts, counter('closing'));
  await operator.query("BEGIN; SELECT 1 FROM attempts WHERE about = 'closing' FOR UPDATE");
  const changing = increment(storeOf(other), 'closing');
  await pause(150);
  const closing = other.close();
  await operator.query('COMMIT');
  await closing;
  assert.equal(await changing, 1);
  assert.ok((await backEnd.page(identities, { limit: 1 })).length > 0);
});
