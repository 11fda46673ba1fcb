// Prepared statements on one connection: what is sent, and what becomes of answers and errors.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { parseAddress } from '../../src/store/postgres/address.ts';
import { connect } from '../../src/store/postgres/connection.ts';
import { PreparedQuery, type ResultReaders, type Statement } from '../../src/store/postgres/prepared-query.ts';
import { Secret } from '../../src/tokens/secret.ts';
import { sharedServer } from './postgres-database.ts';

let url: string;
let client: pg.Client;
let readers: ResultReaders;

before(async () => {
  url = (await sharedServer()).url();
  client = new pg.Client(url);
  await client.connect();
});
after(() => client.end());

function run(statement: Statement, values: readonly (string | number | null)[] = []) {
  return client.query(new PreparedQuery(statement, values, readers)).answer;
}

function begin(): void {
  readers = new Map();
}

test('the result of a statement is read alike every time', async () => {
  begin();
  const statement = { name: 'once', text: "SELECT $1::int, NULL::text, true, '\\x0aff'::bytea, 'ä'" };
  const expected = { rows: [[7, null, true, '0aff', 'ä']], count: 1 };
  assert.deepEqual(await run(statement, [7]), expected);
  assert.deepEqual(await run(statement, [7]), expected);
  assert.deepEqual(await run(statement, ['7']), expected);
});

test('a statement without a result returns how many rows it changed', async () => {
  begin();
  await client.query('CREATE TEMP TABLE numbers (n int)');
  const insert = { name: 'insert', text: 'INSERT INTO numbers SELECT generate_series(1, $1::int)' };
  assert.deepEqual(await run(insert, [3]), { rows: [], count: 3 });
  assert.deepEqual(await run(insert, [2]), { rows: [], count: 2 });
  assert.deepEqual(await run({ name: 'delete', text: 'DELETE FROM numbers' }), { rows: [], count: 5 });
});

test('a statement that failed, at first or later, is run again on the same connection', async () => {
  begin();
  const divide = { name: 'divide', text: 'SELECT 12 / $1::int' };
  await assert.rejects(run(divide, [0]), { code: '22012' });
  assert.deepEqual((await run(divide, [4])).rows, [[3]]);
  await assert.rejects(run(divide, [0]), { code: '22012' });
  assert.deepEqual((await run(divide, [6])).rows, [[2]]);
  await assert.rejects(run({ name: 'broken', text: 'SELECT FROM nowhere' }), { code: '42P01' });
  assert.deepEqual((await run(divide, [2])).rows, [[6]]);
});

test('a value in an unexpected format fails the statement, not the connection', async () => {
  begin();
  const large = { name: 'large', text: 'SELECT $1::bigint' };
  await assert.rejects(run(large, ['9007199254740993']), /an integer in an unexpected format/);
  assert.deepEqual((await run(large, [5])).rows, [[5]]);
});

test('statements without a name are read each by its own result, though they share it', async () => {
  begin();
  assert.deepEqual((await run({ name: '', text: 'SELECT 1::int' })).rows, [[1]]);
  assert.deepEqual((await run({ name: '', text: "SELECT 'a', true" })).rows, [['a', true]]);
});

test('a row of another shape than was described is a fault', async () => {
  begin();
  const pair = { name: 'pair', text: 'SELECT 1, 2' };
  await run(pair);
  readers.set('pair', []);
  await assert.rejects(run(pair), /another shape/);
});

test('a query on a connection that was closed is rejected', async () => {
  begin();
  const closed = new pg.Client((await sharedServer()).url());
  await closed.connect();
  await closed.end();
  await assert.rejects(
    closed.query(new PreparedQuery({ name: 'late', text: 'SELECT 1' }, [], readers)).answer,
    /closed/,
  );
});

test('a name stands for the same text in every session: a pooler that swaps sessions executes no other statement', async () => {
  const address = parseAddress(new Secret(url), {});
  const texts = ['SELECT 1', 'SELECT 2', 'SELECT 3'];
  const sessions = [texts, texts.toReversed()].map(async (inOrder) => {
    const session = await connect(address);
    for (const text of inOrder) await session.run(text);
    const { rows } = await session.runUnprepared('SELECT name, statement FROM pg_prepared_statements');
    session.close();
    return new Map(rows.flatMap(([name, text]) => (texts.includes(String(text)) ? [[text, name] as const] : [])));
  });
  const [first, second] = await Promise.all(sessions);
  assert.equal(first?.size, 3);
  assert.deepEqual(first, second);
});
