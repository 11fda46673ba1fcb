// The event log in partitions: readers and writers do not notice them, and old ones are removed as a whole.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { epochSeconds } from '../../src/core/time.ts';
import { commitOf, eventSubjects, told } from './conformance/rows.ts';
import { type PostgresTestDatabase, postgresDatabase, sharedServer } from './postgres-database.ts';
import { openAt } from './postgres-node.ts';

const UPPER = 10_000_001;
const DAY = 86_400;
const PARTITIONS = `SELECT name::text, upper::float8 FROM tessera_event_partitions()`;
async function drawnUpTo({ server, name }: PostgresTestDatabase, sequence: number): Promise<void> {
  await server.query(`SELECT setval('event_sequence', ${sequence})`, name);
}

async function partitions({ server, name }: PostgresTestDatabase): Promise<string[]> {
  return (await server.query(PARTITIONS, name)).map((row) => String(row['name']));
}

/** When its last event was. */
const PAST = epochSeconds(Math.floor(Date.now() / 1000) - DAY);

/** `count` old events at the end of the first partition, spread over that many seconds, and one new event behind it. */
async function aPastDay(database: PostgresTestDatabase, spread: number, count = 3): Promise<void> {
  await database.server.query(
    `INSERT INTO events (sequence, at, type) SELECT ${UPPER} - n, ${PAST} - (n - 1) * ${spread}::bigint / ${count - 1}, 'refreshed'
       FROM generate_series(1, ${count}) n`,
    database.name,
  );
  await drawnUpTo(database, UPPER + 5);
}

test('events are in order across partitions, which are made ahead', async () => {
  const database = await postgresDatabase();
  const backEnd = await database.open();
  await drawnUpTo(database, UPPER - 3);
  for (const subject of [1, 2, 3, 4]) await backEnd.commit(commitOf({ events: [told(subject)] }));
  assert.deepEqual(await eventSubjects(backEnd), [1, 2, 3, 4]);
  const newest = await backEnd.newestEvents({ count: 3 });
  assert.deepEqual(
    newest.map(({ sequence }) => sequence),
    [UPPER - 1, UPPER, UPPER + 1],
  );
  const before = (await partitions(database)).length;
  await backEnd.sweepEvents(epochSeconds(1), 10);
  assert.ok((await partitions(database)).length > before);
  await database.remove();
});

test('a partition that is missing is made at once', async () => {
  const database = await postgresDatabase();
  const backEnd = await database.open();
  await drawnUpTo(database, 2 ** 40);
  await backEnd.commit(commitOf({ events: [told(1)] }));
  assert.deepEqual(await eventSubjects(backEnd), [1]);
  await database.remove();
});

test('a long log has few partitions', async () => {
  const database = await postgresDatabase();
  await database.server.query(
    `DO $$ BEGIN FOR day IN 1..400 BY 8 LOOP
       PERFORM setval('event_sequence', day * ${UPPER}::bigint), tessera_extend_events(0);
     END LOOP; END $$`,
    database.name,
  );
  const { length } = await partitions(database);
  assert.ok(length < 100, `${length} partitions for 400 days`);
  await database.remove();
});

test('the functions of the owner ignore temporary tables, and nodes may call them whatever the default privileges are', async () => {
  const server = await sharedServer();
  await server.query('CREATE DATABASE guarded');
  await server.query('CREATE ROLE node LOGIN');
  await server.query('ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC', 'guarded');
  await (await openAt(server.url('guarded'))).close();
  await server.query('GRANT SELECT, INSERT, DELETE ON events TO node', 'guarded');
  const node = new pg.Client({ connectionString: server.url('guarded', 'node') });
  await node.connect();
  await node.query('CREATE TEMP TABLE event_sequence AS SELECT 2 ^ 50 AS last_value');
  await node.query('SELECT tessera_extend_events(0), tessera_sweep_events(0)');
  await node.end();
  const [made] = await server.query('SELECT max(upper)::float8 AS end FROM tessera_event_partitions()', 'guarded');
  assert.ok(Number(made?.['end']) < 2 ** 40);
});

test('a partition is removed as a whole when its last event is old, and not before', async () => {
  const database = await postgresDatabase();
  const backEnd = await database.open();
  await aPastDay(database, DAY);
  await backEnd.commit(commitOf({ events: [told(4)] }));
  assert.equal(await backEnd.sweepEvents(PAST, 500), 0);
  assert.equal((await backEnd.events({ after: 0, limit: 10 })).length, 4, 'the rest of that day is still young');
  assert.ok((await backEnd.sweepEvents(epochSeconds(PAST + 1), 500)) > 500);
  await backEnd.sweepEvents(epochSeconds(PAST + 1), 500);
  assert.deepEqual(await eventSubjects(backEnd), [4]);
  const left = await database.server.query(
    "SELECT relname FROM pg_class WHERE relname LIKE 'events_0%'",
    database.name,
  );
  assert.deepEqual(left, []);
  await database.remove();
});

test('in a partition of more than a day, events are removed one by one', async () => {
  const database = await postgresDatabase();
  const backEnd = await database.open();
  await aPastDay(database, 2 * DAY);
  assert.equal(await backEnd.sweepEvents(PAST, 500), 2);
  assert.equal((await backEnd.events({ after: 0, limit: 10 })).length, 1);
  await database.remove();
});

test('behind a reader of the log, removal is left for later and nobody waits', async () => {
  const database = await postgresDatabase();
  const backEnd = await database.open();
  await aPastDay(database, DAY);
  const reader = new pg.Client({ connectionString: database.url });
  await reader.connect();
  await reader.query('BEGIN; SELECT count(*) FROM events');
  const began = performance.now();
  const sweeping = backEnd.sweepEvents(epochSeconds(PAST + 1), 500);
  for (let n = 1; n <= 20; n++) await backEnd.commit(commitOf({ events: [told(n)] }));
  assert.equal(await sweeping, 0);
  assert.ok(performance.now() - began > 2000, 'it was tried again for a while');
  await reader.query('COMMIT');
  await reader.end();
  assert.ok((await backEnd.sweepEvents(epochSeconds(PAST + 1), 500)) > 0);
  assert.equal((await eventSubjects(backEnd)).length, 20);
  await database.remove();
});
