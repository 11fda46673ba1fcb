// The settings of a session, whatever the server's defaults.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { storeOf } from '../../src/store/change.ts';
import { parseAddress } from '../../src/store/postgres/address.ts';
import { connect } from '../../src/store/postgres/connection.ts';
import { Secret } from '../../src/tokens/secret.ts';
import { accepted, aNode, check, confirmed, issue, redeem, refresh, revoke } from '../node.ts';
import { debianPrograms } from './debian-postgres.ts';
import { openAt } from './postgres-node.ts';
import { PostgresServer } from './postgres-server.ts';

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.start();
});
after(() => server.remove());

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

test('JIT compilation is off, since it costs more than a hundred statements', async () => {
  const settings = ["shared_preload_libraries = 'pg_stat_statements'", 'jit = on'];
  const compiling = await PostgresServer.start({ programs: debianPrograms(), settings });
  await compiling.query('CREATE EXTENSION pg_stat_statements');
  const backEnd = await openAt(compiling.url());
  const node = await aNode(storeOf(backEnd));
  const pair = accepted(await refresh(node, await issue(node)));
  accepted(await check(node, pair));
  accepted(await revoke(node, pair));
  accepted(await redeem(node, await confirmed(node)));
  await backEnd.close();
  const [row] = await compiling.query(
    'SELECT count(*)::integer AS statements, sum(jit_functions)::integer AS compiled FROM pg_stat_statements',
  );
  await compiling.remove();
  assert.ok(Number(row?.['statements']) > 10);
  assert.equal(row?.['compiled'], 0);
});

test('rows are found by an index, even while a table is small', async () => {
  assert.equal(await inSession('enable_seqscan', 'on'), 'off');
});

test('statements and idle transactions have timeouts', async () => {
  assert.equal(await inSession('statement_timeout', '0'), '700ms');
  assert.equal(await inSession('idle_in_transaction_session_timeout', '0'), '700ms');
});

test('a commit sees what others committed before each of its statements', async () => {
  assert.equal(await inSession('default_transaction_isolation', 'serializable'), 'read committed');
});
