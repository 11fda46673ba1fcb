// The settings of a session, whatever the server's defaults.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storeOf } from '../../src/store/change.ts';
import { parseAddress } from '../../src/store/postgres/address.ts';
import { connect } from '../../src/store/postgres/connection.ts';
import { attempts } from '../../src/store/tables/attempts.ts';
import { Secret } from '../../src/tokens/secret.ts';
import { given } from '../given.ts';
import { accepted, aNode, check, confirmed, issue, redeem, refresh, revoke } from '../node.ts';
import { counter, increment, put } from './conformance/rows.ts';
import { debianPrograms } from './debian-postgres.ts';
import { openAt } from './postgres-node.ts';
import { PostgresServer } from './postgres-server.ts';

const server = given(() => PostgresServer.start());

/** A setting as seen in a node's session, with another server default. */
async function inSession(name: string, serverDefault: string): Promise<unknown> {
  await server.query(`ALTER DATABASE postgres SET ${name} = '${serverDefault}'`);
  const connection = await connect(parseAddress(new Secret(`${server.url()}?statement_timeout=700`), {}));
  const { rows } = await connection.run(`SELECT current_setting('${name}')`);
  connection.close();
  return rows[0]?.[0];
}

for (const [serverDefault, expected] of [
  ['off', 'on'],
  ['local', 'on'],
  ['on', 'on'],
  ['remote_write', 'remote_write'],
  ['remote_apply', 'remote_apply'],
] as const) {
  test(`synchronous_commit ${serverDefault} becomes ${expected}: a commit is acknowledged when it is safe`, async () => {
    assert.equal(await inSession('synchronous_commit', serverDefault), expected);
  });
}

test('changes that wait at the same moment share a few transactions', async () => {
  const backEnd = await openAt(server.url());
  const store = storeOf(backEnd);
  const transactions = async () => Number((await server.query('SELECT txid_current()::integer AS id'))[0]?.['id']);
  const before = await transactions();
  await Promise.all(Array.from({ length: 500 }, (_, n) => put(store, attempts, counter(`${n}`))));
  const count = (await transactions()) - before;
  await backEnd.close();
  assert.ok(count <= 10, `${count} transactions`);
});

test('no request waits for a statement to be compiled, or reads a whole table, however small', async () => {
  const settings = ["shared_preload_libraries = 'pg_stat_statements'", 'jit = on'];
  const counting = await PostgresServer.start({ programs: debianPrograms(), settings });
  await counting.query('CREATE EXTENSION pg_stat_statements');
  const backEnd = await openAt(counting.url());
  const node = await aNode(storeOf(backEnd));
  await counting.query('SELECT pg_stat_reset()');
  const pair = accepted(await refresh(node, await issue(node)));
  accepted(await check(node, pair));
  accepted(await revoke(node, pair));
  accepted(await redeem(node, await confirmed(node)));
  await backEnd.close();
  const [row] = await counting.query(
    'SELECT count(*)::integer AS statements, sum(jit_functions)::integer AS compiled FROM pg_stat_statements',
  );
  const whole = await counting.query('SELECT relname FROM pg_stat_user_tables WHERE seq_scan > 0 ORDER BY relname');
  await counting.remove();
  assert.ok(Number(row?.['statements']) > 10);
  assert.equal(row?.['compiled'], 0);
  assert.deepEqual(whole, [{ relname: 'store_history' }], 'which has one row');
});

test('a statement ends after its timeout, and so do the locks of a node that stops in the middle', async () => {
  const address = parseAddress(new Secret(`${server.url()}?statement_timeout=700`), {});
  const [slow, stopped] = [await connect(address), await connect(address)];
  await assert.rejects(slow.run('SELECT pg_sleep(60)'), /statement timeout/);
  await stopped.execute('BEGIN');
  await stopped.run('SELECT pg_advisory_xact_lock(7)');
  await server.query("SET lock_timeout = '20s'; SELECT pg_advisory_lock(7)");
  for (const each of [slow, stopped]) each.close();
});

test('changes of the same rows by two nodes succeed, whatever isolation the server gives by default', async () => {
  await server.query("ALTER DATABASE postgres SET default_transaction_isolation = 'serializable'");
  const backEnds = [await openAt(server.url()), await openAt(server.url())];
  const keys = Array.from({ length: 50 }, (_, n) => `isolated ${n}`);
  const changes = backEnds.flatMap((each) =>
    Array.from({ length: 10 }, () => keys.map((key) => increment(storeOf(each), key))),
  );
  assert.equal(Math.max(...(await Promise.all(changes.flat()))), 20);
  for (const each of backEnds) await each.close();
});
