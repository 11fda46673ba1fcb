// A changing statement that reaches the server too late does nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { storeOf } from '../../src/store/change.ts';
import { parseAddress } from '../../src/store/postgres/address.ts';
import { changingText, IN_TIME } from '../../src/store/postgres/commit-statements.ts';
import { type Connection, connect } from '../../src/store/postgres/connection.ts';
import { ConnectionLost, StartedTooLate } from '../../src/store/postgres/faults.ts';
import { OutcomeUnknown, StoreUnavailable } from '../../src/store/store.ts';
import { attempts } from '../../src/store/tables/attempts.ts';
import { Secret } from '../../src/tokens/secret.ts';
import { given } from '../given.ts';
import { accepted, aNode, answer, confirmed, redeem } from '../node.ts';
import { commitOf, counter, countOf, eventSubjects, increment, put, told } from './conformance/rows.ts';
import { openAt } from './postgres-node.ts';
import { PostgresServer } from './postgres-server.ts';

const QUERY = 'statement_timeout=1000&connect_timeout=30';
const server = given(() => PostgresServer.start());

const session = (): Promise<Connection> => connect(parseAddress(new Secret(`${server.url()}?${QUERY}`), {}));

/** Freezes the server until the work has failed, wakes it, and waits until it has run the queued statements. */
async function whileFrozen<T>(work: () => Promise<T>): Promise<PromiseSettledResult<T>> {
  server.signalAll('SIGSTOP');
  const [settled] = await Promise.allSettled([work()]);
  server.signalAll('SIGCONT');
  await pause(200);
  return settled;
}

test('swaps, creations and events sent to a frozen server do not run when it wakes', async () => {
  const backEnd = await openAt(`${server.url()}?${QUERY}`);
  const store = storeOf(backEnd);
  await put(store, attempts, counter('frozen', 1));
  const { found } = await backEnd.load(attempts, 'frozen');
  const swap = { table: attempts, row: counter('frozen', 2), expected: found?.revision };
  const commits = [
    commitOf({ swaps: [swap], events: [told(1)] }),
    commitOf({ inserts: [{ table: attempts, row: counter('new') }] }),
    commitOf({ events: [told(2)] }),
  ];
  const frozen = await whileFrozen(() => Promise.allSettled(commits.map((each) => backEnd.commit(each))));
  assert.ok(frozen.status === 'fulfilled' && frozen.value.every(({ status }) => status === 'rejected'));
  assert.deepEqual([await countOf(backEnd, 'frozen'), await countOf(backEnd, 'new')], [1, undefined]);
  assert.deepEqual(await eventSubjects(backEnd), []);
  assert.equal(await increment(store, 'frozen'), 2);
  await backEnd.close();
});

test('a transaction whose COMMIT was sent to a frozen server is rolled back when it wakes', async () => {
  const connection = await session();
  await connection.execute('CREATE TABLE transactions (n bigint)');
  await connection.execute('BEGIN');
  await connection.execute('INSERT INTO transactions VALUES (1)');
  const committing = await whileFrozen(() => connection.execute('COMMIT'));
  assert.ok(committing.status === 'rejected' && committing.reason instanceof ConnectionLost);
  assert.deepEqual(await server.query('SELECT * FROM transactions'), []);
});

test('a device code whose redemption failed on a frozen server can still be redeemed once', async () => {
  const backEnd = await openAt(`${server.url()}?${QUERY}`);
  const node = await aNode(storeOf(backEnd));
  const started = await confirmed(node);
  const redeeming = await whileFrozen(() => redeem(node, started));
  assert.ok(redeeming.status === 'rejected' && redeeming.reason instanceof StoreUnavailable);
  accepted(await redeem(node, started));
  assert.notEqual(await answer(redeem(node, started)), 'accepted');
  await backEnd.close();
});

test('an answer from a frozen server comes within twice the statement timeout', async () => {
  const backEnd = await openAt(`${server.url()}?${QUERY}`);
  await put(storeOf(backEnd), attempts, counter('patience'));
  const began = performance.now();
  const changing = await whileFrozen(() => increment(storeOf(backEnd), 'patience'));
  const took = performance.now() - began - 200;
  assert.ok(changing.status === 'rejected' && changing.reason instanceof StoreUnavailable);
  assert.ok(!(changing.reason instanceof OutcomeUnknown), 'the load had not been answered');
  assert.ok(took < 10_000, `${took} ms`); // 2 s, and a busy machine; the next attempt to connect would take 30 s
  await backEnd.close();
});

test('a statement that starts past its deadline by the server’s clock does nothing and reports it', async () => {
  const connection = await session();
  await connection.execute('CREATE TABLE late (n bigint)');
  const parts = `done AS (INSERT INTO late SELECT n FROM unnest($1::bigint[]) n WHERE ${IN_TIME} RETURNING n AS unit)`;
  const text = changingText(parts, 1);
  assert.deepEqual((await connection.change(text, ['{7}'])).rows, [[7]]);
  // An hour ahead. PostgreSQL's clock cannot be set here, so a function replaces it.
  await connection.execute(`CREATE SCHEMA clocks; CREATE FUNCTION clocks.clock_timestamp() RETURNS timestamptz LANGUAGE sql
    AS $$ SELECT pg_catalog.clock_timestamp() + interval '1 hour' $$; SET search_path = clocks, pg_catalog, public`);
  await assert.rejects(connection.change(text, ['{8}']), StartedTooLate);
  assert.deepEqual((await connection.run('SELECT count(*) FROM late')).rows, [[1]], 'nothing happened');
  assert.ok(!connection.isLost);
  connection.close();
});
