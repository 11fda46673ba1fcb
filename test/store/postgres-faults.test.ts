// PostgreSQL down, slow, full or read-only: callers never get a wrong answer, and no restart is needed.
// Only in test:all: every setting and language of PostgreSQL
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { BackEnd } from '../../src/store/back-end.ts';
import { storeOf } from '../../src/store/change.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { CommitUnknown, insert, rowOf, type Store, StoreUnavailable } from '../../src/store/store.ts';
import { attempts } from '../../src/store/tables/attempts.ts';
import { Secret } from '../../src/tokens/secret.ts';
import { eventually } from '../eventually.ts';
import { given } from '../given.ts';
import { commitOf, counter, countOf, eventSubjects, increment, put, revisionOf, told } from './conformance/rows.ts';
import { openAt } from './postgres-node.ts';
import { PostgresServer } from './postgres-server.ts';

const server = given(() => PostgresServer.start({ settings: ['max_connections = 20', "deadlock_timeout = '10ms'"] }));

async function opened(query = ''): Promise<{ backEnd: BackEnd; store: Store; closing: AsyncDisposable }> {
  const backEnd = await openAt(`${server.url()}?${query || 'statement_timeout=1000'}`);
  return { backEnd, store: storeOf(backEnd), closing: { [Symbol.asyncDispose]: () => backEnd.close() } };
}

/** A session of another client. */
async function somebody(): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: server.url() });
  client.on('error', () => undefined);
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

test('a service waits for a database that is down at start, and logs it', async () => {
  await server.stop();
  const told: string[] = [];
  const opening = openPostgres({
    url: new Secret(server.url()),
    environment: {},
    whileAway: ({ message }) => void told.push(message),
  });
  await eventually('the outage is reported', () => told.length > 0);
  assert.match(told[0] ?? '', /no PostgreSQL that accepts writes.*ECONNREFUSED/);
  await server.launch();
  await (await opening).close();
});

test('a command does not wait for a database that is down', async () => {
  await server.stop();
  await assert.rejects(openAt(server.url()), StoreUnavailable);
  await server.launch();
});

test('a database that goes down later gives StoreUnavailable, and the node recovers without a restart', async () => {
  const { store, closing } = await opened();
  await using _ = closing;
  await put(store, attempts, counter('away', 1));
  await server.kill();
  await assert.rejects(store.load(attempts, 'away'), StoreUnavailable);
  await assert.rejects(increment(store, 'away'), StoreUnavailable);
  await assert.rejects(store.now(), StoreUnavailable);
  await server.launch();
  assert.equal(await increment(store, 'away'), 2);
});

test('a server restart under load gives StoreUnavailable and loses no acknowledged change', async () => {
  const { store, backEnd, closing } = await opened();
  await using _ = closing;
  const acknowledged = new Map<string, number>();
  const faults: unknown[] = [];
  let running = true;
  const callers = Array.from({ length: 8 }, async (_, caller) => {
    while (running) {
      const about = `caller ${caller}`;
      await increment(store, about).then(
        (count) => acknowledged.set(about, count),
        (fault: unknown) => faults.push(fault),
      );
      await pause(1);
    }
  });
  try {
    for (let n = 0; n < 3; n++) {
      await pause(80);
      await server.kill();
      await server.launch();
    }
  } finally {
    running = false;
  }
  await Promise.all(callers);
  assert.ok(
    faults.every((fault) => fault instanceof StoreUnavailable),
    String(faults[0]),
  );
  for (const [about, count] of acknowledged) assert.equal(await countOf(backEnd, about), count, about);
});

test('a connection cut during a commit: the change checks the outcome and happens once', async () => {
  const { store, backEnd, closing } = await opened();
  await using _ = closing;
  await using operator = await somebody();
  await put(store, attempts, counter('cut', 0));
  await operator.query("BEGIN; SELECT * FROM attempts WHERE about = 'cut' FOR UPDATE");
  const changing = increment(store, 'cut');
  await pause(200); // the commit waits for the row
  await using other = await somebody();
  await other.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tessera'");
  await operator.query('COMMIT');
  assert.equal(await changing, 1);
  assert.equal(await countOf(backEnd, 'cut'), 1);
});

test('a read-only server gives StoreUnavailable until it accepts writes again', async () => {
  const { store, closing } = await opened();
  await using _ = closing;
  await put(store, attempts, counter('read-only', 1));
  await server.query('ALTER DATABASE postgres SET default_transaction_read_only = on');
  await server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tessera'");
  await pause(50);
  await assert.rejects(increment(store, 'read-only'), (fault) => {
    assert.ok(fault instanceof StoreUnavailable);
    assert.match(fault.message, /read-only/);
    return true;
  });
  await server.query('BEGIN READ WRITE; ALTER DATABASE postgres RESET default_transaction_read_only; COMMIT');
  assert.equal(await increment(store, 'read-only'), 2);
});

test('a statement timeout gives StoreUnavailable, and nothing changes', async () => {
  const { store, backEnd, closing } = await opened();
  await using _ = closing;
  await using operator = await somebody();
  await put(store, attempts, counter('slow', 0));
  await operator.query("BEGIN; SELECT * FROM attempts WHERE about = 'slow' FOR UPDATE");
  await assert.rejects(increment(store, 'slow'), StoreUnavailable);
  await operator.query('ROLLBACK');
  assert.equal(await countOf(backEnd, 'slow'), 0);
  assert.equal(await increment(store, 'slow'), 1);
});

test('too many connections give StoreUnavailable until one is free', async () => {
  const others: pg.Client[] = [];
  try {
    for (;;) others.push(await somebody());
  } catch {
    // full
  }
  await assert.rejects(opened(), StoreUnavailable);
  await Promise.all(others.map((other) => other.end()));
  await pause(50);
  const { store, closing } = await opened();
  await using _ = closing;
  assert.equal(await increment(store, 'room'), 1);
});

test('a deadlock with another session never reaches a caller', async () => {
  const { backEnd, closing } = await opened();
  await using _ = closing;
  await using operator = await somebody();
  const store = storeOf(backEnd);
  for (const about of ['d1', 'd2']) await put(store, attempts, counter(about));
  // We lock d1, then want d2; the operator holds d2, then wants d1.
  const swap = { table: attempts, row: counter('d1', 1), expected: await revisionOf(backEnd, attempts, 'd1') };
  const inserts = [{ table: attempts, row: counter('d3') }];
  await operator.query("BEGIN; INSERT INTO attempts VALUES ('d3', 1, 0, 0)");
  const committing = backEnd.commit(commitOf({ swaps: [swap], inserts, events: [told(7)] }));
  await pause(100);
  await operator.query("UPDATE attempts SET count = 9 WHERE about = 'd1'").catch(() => undefined);
  await operator.query('ROLLBACK');
  assert.equal(await committing, true);
  assert.equal((await eventSubjects(backEnd)).filter((subject) => subject === 7).length, 1);
});

test('two nodes that change the same rows in opposite order do not deadlock', async () => {
  // Sessions of earlier tests are closed: a server counts a session's deadlocks when it ends.
  const before = await deadlocks();
  const nodes = [await opened(), await opened()];
  const rows = Array.from({ length: 60 }, (_, n) => `circle ${n}`);
  await Promise.all(rows.map((about) => put(nodes[0]?.store as Store, attempts, counter(about))));
  for (let round = 0; round < 10; round++) {
    const orders = [rows, rows.toReversed()];
    await Promise.all(
      nodes.flatMap(({ store }, n) => (orders[n] ?? []).map((about) => put(store, attempts, counter(about, round)))),
    );
  }
  await Promise.all(nodes.map(({ backEnd }) => backEnd.close()));
  assert.equal((await deadlocks()) - before, 0);
});

test('two nodes that change several rows at once, in opposite order, do not deadlock', async () => {
  const before = await deadlocks();
  const nodes = [await opened('statement_timeout=20000'), await opened('statement_timeout=20000')];
  const rows = Array.from({ length: 200 }, (_, n) => rowOf(attempts, `together ${n}`));
  const orders = [rows, rows.toReversed()];
  const increment = ({ store }: { store: Store }, n: number) =>
    store.changeAll(orders[n % 2] ?? [], (found) => ({
      outcome: undefined,
      next: orders[n % 2]?.map(({ key }, place) => counter(key, (found[place]?.row.count ?? 0) + 1)) ?? [],
    }));
  await Promise.all(Array.from({ length: 8 }, (_, n) => nodes.map((node) => increment(node, n))).flat());
  assert.equal(await countOf(nodes[0]?.backEnd as BackEnd, 'together 7'), 16);
  await Promise.all(nodes.map(({ backEnd }) => backEnd.close()));
  assert.equal((await deadlocks()) - before, 0);
});

async function deadlocks(): Promise<number> {
  const [row] = await server.query("SELECT deadlocks FROM pg_stat_database WHERE datname = 'postgres'");
  return Number(row?.['deadlocks']);
}

test('a hanging server gives StoreUnavailable after a timeout, and work resumes with the server', async () => {
  const { store, backEnd, closing } = await opened('statement_timeout=300&connect_timeout=1');
  await using _ = closing;
  await put(store, attempts, counter('hang', 1));
  server.signalAll('SIGSTOP');
  const began = performance.now();
  const faults = await Promise.allSettled([increment(store, 'hang'), store.load(attempts, 'hang'), store.now()]);
  const took = performance.now() - began;
  server.signalAll('SIGCONT');
  for (const fault of faults) assert.ok(fault.status === 'rejected' && fault.reason instanceof StoreUnavailable);
  assert.ok(took < 20_000, `${took}`); // a second, and a busy machine; without a timeout it would hang
  const before = (await countOf(backEnd, 'hang')) ?? 0; // a change in flight may have landed since; it was not acknowledged
  assert.equal(await increment(store, 'hang'), before + 1);
});

test('hosts are tried in order until one accepts writes', async () => {
  const url = `postgres://postgres@127.0.0.1:1,127.0.0.1:${server.port}/postgres`;
  const backEnd = await openAt(url);
  assert.ok((await backEnd.now()) > 0);
  await backEnd.close();
});

test('text with NUL is refused without affecting others in its batch', async () => {
  const { backEnd, closing } = await opened();
  await using _ = closing;
  const row = (about: string) => commitOf({ inserts: [{ table: attempts, row: counter(about) }] });
  const results = await Promise.allSettled(['n1', 'n\0', 'n2'].map((about) => backEnd.commit(row(about))));
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

test('a node opens no more connections than allowed, however many callers wait', async () => {
  const { store, closing } = await opened('connections=3&application_name=few');
  await using _ = closing;
  const counts: number[] = [];
  const callers = Promise.all(Array.from({ length: 300 }, (_, n) => increment(store, `few ${n % 50}`)));
  for (let n = 0; n < 5; n++) {
    const [row] = await server.query("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'few'");
    counts.push(Number(row?.['count']));
  }
  await callers;
  assert.ok(Math.max(...counts) <= 3, String(counts));
});

for (const [code, isOurs] of [
  ['XX000', false],
  ['55000', false],
  ['P0001', false],
  ['58030', false],
  ['22P02', true],
  ['23505', true],
] as const)
  test(`a statement that fails with ${code} ${isOurs ? 'is a fault of ours' : 'gives StoreUnavailable'}`, async () => {
    const { store, closing } = await opened();
    await using _ = closing;
    await server.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE 'no' USING ERRCODE = '${code}'; END $$;
      CREATE TRIGGER fail BEFORE INSERT ON attempts EXECUTE FUNCTION fail()`);
    try {
      const fault: unknown = await put(store, attempts, counter('failing')).catch((error: unknown) => error);
      assert.equal(fault instanceof StoreUnavailable, !isOurs, String(fault));
    } finally {
      await server.query('DROP TRIGGER fail ON attempts; DROP FUNCTION fail');
    }
  });

test('a commit that the server warns of counts as unknown until the row shows it', async () => {
  const { backEnd, store, closing } = await opened();
  await using _ = closing;
  await server.query(`CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE WARNING 'canceling wait for synchronous replication'; RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER warn AFTER INSERT ON attempts DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION warn()`);
  try {
    const commit = (about: string, ...more: string[]) =>
      backEnd.commit(commitOf({ inserts: [about, ...more].map((each) => insert(attempts, counter(each))) }));
    await assert.rejects(commit('warned'), CommitUnknown);
    await assert.rejects(commit('warned first', 'warned second'), CommitUnknown);
    assert.equal(await increment(store, 'warned again'), 1);
  } finally {
    await server.query('DROP TRIGGER warn ON attempts; DROP FUNCTION warn');
  }
});
