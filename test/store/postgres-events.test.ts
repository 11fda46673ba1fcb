// Sequence numbers are drawn before a commit, and commits end in any order. A reader must not skip a late one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { columnArrays } from '../../src/store/postgres/arrays.ts';
import { appendText, EVENT_COLUMNS, eventValues } from '../../src/store/postgres/events.ts';
import { commitOf, eventSubjects, told } from './conformance/rows.ts';
import { postgresDatabase } from './postgres-database.ts';

const LATE = `WITH done AS (SELECT 1::bigint AS unit), ${appendText(1)} SELECT 1`;

/** Starts to write an event as a node does, and leaves the transaction open. */
async function startLateEvent(url: string, subject: number): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('BEGIN');
  await client.query(LATE, columnArrays(EVENT_COLUMNS, [eventValues(told(subject), 1)]));
  return client;
}

test('an event with a late commit delays later events and is read in order', async () => {
  const database = await postgresDatabase();
  const backEnd = await database.open();
  await backEnd.commit(commitOf({ events: [told(1)] }));
  const late = await startLateEvent(database.url, 2);
  await backEnd.commit(commitOf({ events: [told(3)] }));
  assert.deepEqual(await eventSubjects(backEnd), [1], 'not yet 3: a reader would go on behind it');
  const newest = await backEnd.newestEvents({ count: 1 });
  assert.deepEqual(newest, await backEnd.events({ after: 0, limit: 10 }), 'nor as the newest');
  const atOnce = await backEnd.events({ after: 0, limit: 10, isComplete: false });
  assert.deepEqual(
    atOnce.map(({ subjectId }) => Number(subjectId)),
    [1, 3],
    'unless the reader will not go on from it',
  );
  await late.query('COMMIT');
  assert.deepEqual(await eventSubjects(backEnd), [1, 2, 3]);
  await late.end();
  await database.remove();
});

test('and so does one whose lock another program holds: its writer takes a lock of its own', async () => {
  const database = await postgresDatabase();
  const backEnd = await database.open();
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  await other.query('SELECT pg_advisory_lock(8279522, n) FROM generate_series(0, 9) n');
  const late = await startLateEvent(database.url, 1);
  await other.end();
  await backEnd.commit(commitOf({ events: [told(2)] }));
  assert.deepEqual(await eventSubjects(backEnd), []);
  await late.query('COMMIT');
  assert.deepEqual(await eventSubjects(backEnd), [1, 2]);
  await late.end();
  await database.remove();
});

test('an event that is never committed leaves a gap and delays no other event', async () => {
  const database = await postgresDatabase();
  const backEnd = await database.open();
  const late = await startLateEvent(database.url, 1);
  await backEnd.commit(commitOf({ events: [told(2)] }));
  await late.end(); // like a node that dies
  await backEnd.commit(commitOf({ events: [told(3)] }));
  assert.deepEqual(await eventSubjects(backEnd), [2, 3]);
  await database.remove();
});

test('lock numbers wrap around after 2^31 events, and events stay in order', async () => {
  const database = await postgresDatabase();
  await database.server.query(
    `SELECT setval('event_sequence', ${2 ** 31 - 2}), tessera_extend_events(${2 ** 31})`,
    database.name,
  );
  const backEnd = await database.open();
  for (const subject of [1, 2, 3]) {
    const late = await startLateEvent(database.url, subject);
    await backEnd.commit(commitOf({ events: [told(subject + 10)] }));
    assert.ok(!(await eventSubjects(backEnd)).includes(subject + 10));
    await late.query('COMMIT');
    await late.end();
    assert.deepEqual((await eventSubjects(backEnd)).slice(-2), [subject, subject + 10]);
  }
  await database.remove();
});
