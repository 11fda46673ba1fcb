// Prepared statements in one session: what is sent, and what becomes of answers and errors.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseAddress } from '../../src/store/postgres/address.ts';
import { type Connection, connect } from '../../src/store/postgres/connection.ts';
import { Secret } from '../../src/tokens/secret.ts';
import { sharedServer } from './postgres-database.ts';

const open = async () => connect(parseAddress(new Secret((await sharedServer()).url()), {}));
let session: Connection;

before(async () => {
  session = await open();
});
after(() => session.close());

test('the result of a statement is read alike every time', async () => {
  const text = "SELECT $1::int, NULL::text, true, '\\x0aff'::bytea, 'ä'";
  for (const value of [7, 7, '7'])
    assert.deepEqual(await session.run(text, [value]), { rows: [[7, null, true, '0aff', 'ä']], count: 1 });
});

test('a statement without a result returns how many rows it changed', async () => {
  await session.execute('CREATE TEMP TABLE numbers (n int)');
  const insert = 'INSERT INTO numbers SELECT generate_series(1, $1::int)';
  assert.deepEqual(await session.run(insert, [3]), { rows: [], count: 3 });
  assert.deepEqual(await session.run(insert, [2]), { rows: [], count: 2 });
  assert.deepEqual(await session.run('DELETE FROM numbers'), { rows: [], count: 5 });
});

test('a statement that failed, at first or later, is run again in the same session', async () => {
  const divide = 'SELECT 12 / $1::int';
  await assert.rejects(session.run(divide, [0]), { code: '22012' });
  assert.deepEqual((await session.run(divide, [4])).rows, [[3]]);
  await assert.rejects(session.run(divide, [0]), { code: '22012' });
  assert.deepEqual((await session.run(divide, [6])).rows, [[2]]);
});

test('a statement that could not be prepared, because its table was locked, is prepared again', async () => {
  const holder = await open();
  await session.execute('CREATE TABLE locked_once (n int)');
  await holder.execute('BEGIN; LOCK TABLE locked_once');
  await assert.rejects(session.run('SELECT n FROM locked_once'), { code: '55P03' });
  await holder.execute('COMMIT; DROP TABLE IF EXISTS none');
  assert.deepEqual((await session.run('SELECT n FROM locked_once')).rows, []);
  await session.execute('DROP TABLE locked_once');
  holder.close();
});

test('a value in an unexpected format fails the statement, and is not in the message', async () => {
  const another = await open();
  const large = another.run('SELECT $1::bigint', ['9007199254740993']);
  await assert.rejects(large, { message: 'PostgreSQL sent an integer in an unexpected format' });
});

test('statements without a name are read each by its own result', async () => {
  assert.deepEqual((await session.runUnprepared('SELECT 1::int')).rows, [[1]]);
  assert.deepEqual((await session.runUnprepared("SELECT 'a', true")).rows, [['a', true]]);
});

test('a query in a session that was closed is rejected', async () => {
  const closed = await open();
  closed.close();
  await assert.rejects(closed.run('SELECT 1'), /closed/);
});

test('a name stands for the same text in every session: a pooler that swaps sessions executes no other statement', async () => {
  const texts = ['SELECT 1', 'SELECT 2', 'SELECT 3'];
  const sessions = [texts, texts.toReversed()].map(async (inOrder) => {
    const one = await open();
    for (const text of inOrder) await one.run(text);
    const { rows } = await one.runUnprepared('SELECT name, statement FROM pg_prepared_statements');
    one.close();
    return new Map(rows.flatMap(([name, text]) => (texts.includes(String(text)) ? [[text, name] as const] : [])));
  });
  const [first, second] = await Promise.all(sessions);
  assert.equal(first?.size, 3);
  assert.deepEqual(first, second);
});
