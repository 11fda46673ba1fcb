// A server with translated messages: even "FATAL" and "ERROR" are translated.
// Only in test:all: every setting and language of PostgreSQL
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { BackEnd } from '../../src/store/back-end.ts';
import { storeOf } from '../../src/store/change.ts';
import { type Store, StoreUnavailable } from '../../src/store/store.ts';
import { attempts } from '../../src/store/tables/attempts.ts';
import { given, prepare } from '../given.ts';
import { counter, countOf, increment, put } from './conformance/rows.ts';
import { debianPrograms } from './debian-postgres.ts';
import { openAt } from './postgres-node.ts';
import { PostgresServer } from './postgres-server.ts';

let backEnd: BackEnd;
let store: Store;
let operator: pg.Client;

const server = given(() => PostgresServer.start({ programs: debianPrograms(), language: 'ru' }));
prepare(async () => {
  backEnd = await openAt(`${server.url()}?statement_timeout=1000`);
  store = storeOf(backEnd);
  operator = new pg.Client({ connectionString: server.url() });
  operator.on('error', () => undefined);
  await operator.connect();
});
after(async () => {
  await operator.end();
  await backEnd.close();
});

test('the server’s messages are in Russian', async () => {
  const { rows } = await operator.query(
    "SELECT name, setting FROM pg_settings WHERE name IN ('server_encoding', 'client_encoding', 'lc_messages', 'lc_ctype')",
  );
  const settings = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
  const fault = await operator.query('SELECT 1/0').catch((error: unknown) => error);
  assert.ok(fault instanceof pg.DatabaseError);
  assert.deepEqual([fault.severity, fault.message], ['ОШИБКА', 'деление на ноль'], JSON.stringify(settings));
});

test('so are messages to a session without a database, whose encoding the server does not know', async () => {
  const stranger = new pg.Client({ connectionString: server.url('absent') });
  const fault = await stranger.connect().catch((error: unknown) => error);
  assert.ok(fault instanceof pg.DatabaseError);
  assert.deepEqual([fault.severity, fault.message], ['ВАЖНО', 'база данных "absent" не существует']);
});

/** Runs while a commit waits for the row. */
async function whileItWaits(about: string, work: () => Promise<unknown>): Promise<PromiseSettledResult<number>> {
  await put(store, attempts, counter(about, 0));
  await operator.query('BEGIN');
  await operator.query(`SELECT * FROM attempts WHERE about = '${about}' FOR UPDATE`);
  const changing = increment(store, about);
  await Promise.race([pause(200), changing.catch(() => undefined)]);
  await work();
  const [settled] = await Promise.allSettled([changing]);
  return settled;
}

const endSessions = () =>
  server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tessera'");

test('a session ended by the server during a commit: the change checks the outcome and happens once', async () => {
  const changed = await whileItWaits('cut', async () => {
    await endSessions();
    await operator.query('COMMIT');
  });
  assert.deepEqual(changed, { status: 'fulfilled', value: 1 });
  assert.equal(await countOf(backEnd, 'cut'), 1);
});

test('a row that stays locked gives StoreUnavailable, and nothing changes', async () => {
  const changed = await whileItWaits('slow', () => pause(1200));
  await operator.query('ROLLBACK');
  assert.ok(changed.status === 'rejected' && changed.reason instanceof StoreUnavailable);
  assert.match(String(changed.reason), /55P03/);
  assert.equal(await countOf(backEnd, 'slow'), 0);
});

test('a server restart gives StoreUnavailable, then work resumes', async () => {
  await put(store, attempts, counter('down', 1));
  await server.stop();
  await assert.rejects(increment(store, 'down'), StoreUnavailable);
  await server.launch();
  assert.equal(await increment(store, 'down'), 2);
});
