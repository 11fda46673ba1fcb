// A session reads and writes the same whatever a role, a database or the server sets. The list is chosen by name from the
// settings that a session may have by `ALTER ROLE … SET`; each line says what went or could go wrong under it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { BackEnd } from '../../src/store/back-end.ts';
import { storeOf } from '../../src/store/change.ts';
import { parseAddress } from '../../src/store/postgres/address.ts';
import { connect } from '../../src/store/postgres/connection.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { Secret } from '../../src/tokens/secret.ts';
import { accepted, aNode, answer, check, confirmed, issue, redeem, refresh, revoke } from '../node.ts';
import { conformance } from './conformance.ts';
import { firstIndexedColumns } from './postgres-database.ts';
import { openAt } from './postgres-node.ts';
import { PostgresServer } from './postgres-server.ts';

/** Setting, hostile value, and why it matters. Timeouts leave a busy machine the time to open a session. */
const HOSTILE: readonly (readonly [name: string, value: string, why: string])[] = [
  ['bytea_output', 'escape', 'hashes and keys come in another format'],
  ['client_encoding', 'LATIN1', 'text comes in another encoding, or not at all'],
  ['DateStyle', 'SQL, DMY', 'dates come in another format'],
  ['IntervalStyle', 'sql_standard', 'intervals come in another format'],
  ['TimeZone', 'Pacific/Kiritimati', 'local times are 14 hours off'],
  ['extra_float_digits', '-15', 'the clock loses its digits'],
  ['standard_conforming_strings', 'off', 'a backslash in a literal escapes'],
  ['backslash_quote', 'off', 'the same, with a refusal'],
  ['array_nulls', 'off', 'NULL in an array becomes a text'],
  ['transform_null_equals', 'on', 'a comparison with NULL finds rows'],
  ['quote_all_identifiers', 'on', 'names come with quotes'],
  ['lc_messages', 'C', 'errors in another language: see also postgres-language.test.ts'],
  ['lc_numeric', 'C', 'decimal separators'],
  ['search_path', 'pg_catalog', 'no table is found'],
  ['row_security', 'on', 'a policy hides rows without a word'],
  ['default_transaction_isolation', 'serializable', 'commits fail where rows are contended'],
  ['default_transaction_deferrable', 'on', 'serializable reads wait'],
  ['synchronous_commit', 'off', 'commits are acknowledged before they are durable'],
  ['exit_on_error', 'on', 'a failed statement ends the session'],
  ['statement_timeout', '2000', 'statements end early'],
  ['lock_timeout', '1', 'contended rows fail at once'],
  ['idle_in_transaction_session_timeout', '2000', 'sessions end between two statements'],
  ['idle_session_timeout', '2000', 'idle sessions end'],
  ['transaction_timeout', '2000', 'transactions end early'],
  ['session_replication_role', 'replica', 'foreign keys are not checked'],
  ['client_min_messages', 'debug5', 'notices arrive between the rows'],
  ['enable_seqscan', 'on', 'whole tables are read'],
  ['enable_indexscan', 'off', 'whole tables are read'],
  ['enable_indexonlyscan', 'off', 'another plan'],
  ['enable_bitmapscan', 'off', 'another plan'],
  ['enable_nestloop', 'off', 'rows are locked in another order'],
  ['enable_hashjoin', 'off', 'another plan'],
  ['enable_mergejoin', 'off', 'another plan'],
  ['enable_sort', 'off', 'another order of rows, where none is said'],
  ['enable_hashagg', 'off', 'another plan'],
  ['enable_material', 'off', 'another plan'],
  ['plan_cache_mode', 'force_custom_plan', 'every statement is planned anew'],
  ['max_parallel_workers_per_gather', '4', 'statements are run by several processes'],
  ['force_parallel_mode', 'on', 'the same, always (up to 15)'],
  ['debug_parallel_query', 'on', 'the same, always (from 16 on)'],
  ['parallel_setup_cost', '0', 'the same, more often'],
  ['random_page_cost', '1000000', 'indexes look expensive'],
  ['cpu_index_tuple_cost', '1000000', 'indexes look expensive'],
  ['from_collapse_limit', '1', 'another plan'],
  ['join_collapse_limit', '1', 'another plan'],
  ['geqo_threshold', '2', 'plans are made by chance'],
  ['constraint_exclusion', 'on', 'another plan'],
  ['work_mem', '64', 'sorts go to disk'],
  ['jit', 'on', 'statements are compiled'],
  ['jit_above_cost', '0', 'all of them'],
  ['commit_delay', '1000', 'commits wait for each other'],
  ['restrict_nonsystem_relation_kind', 'view, foreign-table', 'views are refused (from 17 on)'],
  ['default_table_access_method', 'heap', 'new tables are stored otherwise'],
  ['xmloption', 'document', 'nothing: a setting that must not matter'],
];

// `default_transaction_read_only` is not among them: it is how operators make a database read-only, and means 503.

const server = await PostgresServer.start();
const TEMPLATE = 'tessera_template';
await server.query(`CREATE DATABASE ${TEMPLATE}`);
await (await openAt(server.url(TEMPLATE))).close();
const known = new Set((await server.query('SELECT name FROM pg_settings')).map(({ name }) => name));
const here = HOSTILE.filter(([name]) => known.has(name));
let made = 0;
// All of it before the first test is registered: the runner ends when those it knows of have ended.
const shared = await hostileDatabase('postgres');
const together = await hostileRole(here);
after(() => server.remove());

/** A superuser of its own, since some of these settings are for superusers, with these defaults in every database. */
async function hostileRole(settings: typeof HOSTILE): Promise<string> {
  const role = `hostile_${++made}`;
  await server.query(`CREATE ROLE ${role} LOGIN SUPERUSER`);
  for (const [name, value] of settings) await server.query(`ALTER ROLE ${role} SET ${name} = ${literal(name, value)}`);
  return role;
}

function literal(name: string, value: string): string {
  return name === 'search_path' ? value : `'${value}'`;
}

async function hostileDatabase(role: string) {
  const name = `test_${++made}`;
  await server.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY file_copy`);
  const url = server.url(name, role);
  const opened: BackEnd[] = [];
  return {
    url,
    name,
    elsewhere: { module: new URL('postgres-node.ts', import.meta.url).href, argument: url },
    open: async () => {
      const backEnd = await openAt(url);
      opened.push(backEnd);
      return backEnd;
    },
    firstIndexedColumns: () => firstIndexedColumns(server, name),
    remove: async () => {
      await Promise.all(opened.map((backEnd) => backEnd.close()));
      await server.query(`DROP DATABASE ${name} (FORCE)`);
    },
  };
}

/** The whole life of a token, by certificate and by device. */
async function aLife(backEnd: BackEnd): Promise<void> {
  const node = await aNode(storeOf(backEnd));
  const first = await issue(node);
  const pair = accepted(await refresh(node, first));
  assert.equal(await answer(refresh(node, first)), 'accepted'); // a retry
  accepted(await check(node, pair));
  accepted(await revoke(node, pair));
  assert.equal(await answer(check(node, pair)), 'grant-revoked');
  accepted(await redeem(node, await confirmed(node)));
  assert.ok((await backEnd.events({ after: 0, limit: 100 })).length > 4);
}

for (const setting of here) {
  const [name, value, why] = setting;
  test(`${name} = ${value} of a role changes nothing (${why})`, async () => {
    const backEnd = await openAt(server.url(shared.name, await hostileRole([setting])));
    try {
      await aLife(backEnd);
    } finally {
      await backEnd.close();
    }
  });
}

test('settings of the database change nothing', async () => {
  const database = await hostileDatabase('postgres');
  try {
    for (const [name, value] of here)
      await server.query(`ALTER DATABASE ${database.name} SET ${name} = ${literal(name, value)}`);
    await aLife(await database.open());
  } finally {
    await database.remove();
  }
});

test('a schema named in the URL is the only one used', async () => {
  await server.query('CREATE DATABASE of_its_own');
  await server.query('CREATE SCHEMA "our ""own"', 'of_its_own');
  const backEnd = await openAt(`${server.url('of_its_own')}?schema=our+%22own`);
  await aLife(backEnd);
  await backEnd.close();
  const [row] = await server.query("SELECT to_regclass('public.grants') AS elsewhere", 'of_its_own');
  assert.equal(row?.['elsewhere'], null);
});

test('a value in an unexpected format is a fault that closes the session, not a missing row', async () => {
  const database = await hostileDatabase('postgres');
  const connection = await connect(parseAddress(new Secret(database.url), {}));
  await connection.execute("SET bytea_output = 'escape'");
  await assert.rejects(connection.run({ name: 'bytes', text: "SELECT '\\x00ff'::bytea" }), /unexpected format/);
  assert.ok(connection.isLost);
  await database.remove();
});

test('a session whose settings do not persist is refused, with the setting and both values', async () => {
  const database = await hostileDatabase('postgres');
  // Like a pooler that gives each statement another session: settings do not persist.
  const text = `CREATE SCHEMA elsewhere;
    CREATE VIEW public.pg_settings AS SELECT name, CASE name WHEN 'bytea_output' THEN 'escape' ELSE setting END AS setting
      FROM pg_catalog.pg_settings;
    ALTER VIEW pg_catalog.pg_settings RENAME TO real_settings; ALTER VIEW public.pg_settings SET SCHEMA pg_catalog`;
  await server.query(`SET allow_system_table_mods = on; ${text}`, database.name);
  await assert.rejects(openAt(database.url), (fault) => {
    assert.ok(fault instanceof StoreUnavailable);
    assert.match(fault.message, /bytea_output = escape after setting it to hex/);
    return true;
  });
  await database.remove();
});

conformance('PostgreSQL, all hostile settings at once', () => hostileDatabase(together));
