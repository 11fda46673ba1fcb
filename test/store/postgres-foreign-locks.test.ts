// Advisory locks are open to everybody who may connect. Those of roles that cannot write events change nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { commitOf, eventSubjects, told } from './conformance/rows.ts';
import { postgresDatabase } from './postgres-database.ts';

test('locks of other roles delay neither readers nor writers of the event log', async () => {
  const database = await postgresDatabase();
  const backEnd = await database.open();
  await database.server.query('CREATE ROLE stranger LOGIN');
  await backEnd.commit(commitOf({ events: [told(1)] }));
  const stranger = new pg.Client({ connectionString: database.url.replace('postgres@', 'stranger@') });
  await stranger.connect();
  const { drawn } = await backEnd.eventProgress();
  await stranger.query('SELECT pg_advisory_lock(8279522, n) FROM generate_series(1, $1::integer) n', [drawn + 50]);

  for (const subject of [2, 3]) await backEnd.commit(commitOf({ events: [told(subject)] }));
  assert.deepEqual(await eventSubjects(backEnd), [1, 2, 3]);
  const progress = await backEnd.eventProgress();
  assert.equal(progress.readable, progress.drawn);
  await stranger.end();
  await database.remove();
});
