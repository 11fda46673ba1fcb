// Readiness of a back end when something it needs is missing, and the answers to requests meanwhile.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import pg from 'pg';
import type { BackEnd } from '../../src/store/back-end.ts';
import { storeOf } from '../../src/store/change.ts';
import { NEEDED } from '../../src/store/postgres/examination.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { given, prepare } from '../given.ts';
import { accepted, aNode, check, issue, type Node, refresh } from '../node.ts';
import { openAt } from './postgres-node.ts';
import { PostgresServer } from './postgres-server.ts';

let backEnd: BackEnd;
let node: Node;

const server = given(() => PostgresServer.start());
prepare(async () => {
  await (await openAt(server.url())).close();
  await server.query(`CREATE ROLE node LOGIN; GRANT USAGE ON SCHEMA public TO node;
    GRANT ALL ON ALL TABLES IN SCHEMA public TO node; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO node`);
  backEnd = await openAt(server.url('postgres', 'node'));
  node = await aNode(storeOf(backEnd));
});
after(async () => {
  await backEnd.close();
});
afterEach(async () => assert.deepEqual(await problems(), [], 'ready again'));

async function problems(): Promise<string[]> {
  const { checks } = await backEnd.examine();
  return checks.flatMap(({ name, problem }) => (problem ? [`${name}: ${problem.reason} (${problem.detail})`] : []));
}

/** Breaks something, checks that it is reported, and repairs it; requests get StoreUnavailable meanwhile and work afterwards. */
async function whileBroken(broken: string, mended: string, noticed: RegExp): Promise<void> {
  const pair = await issue(node);
  await server.query(broken);
  try {
    assert.match((await problems()).join('\n'), noticed);
    await assert.rejects(refresh(node, pair), StoreUnavailable);
  } finally {
    await server.query(mended);
  }
  accepted(await check(node, accepted(await refresh(node, pair))));
}

test('a trigger that swallows updates is reported, and a refresh fails soon', async () => {
  await whileBroken(
    `CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
     CREATE TRIGGER swallow BEFORE UPDATE ON grants FOR EACH ROW EXECUTE FUNCTION swallow()`,
    'DROP TRIGGER swallow ON grants; DROP FUNCTION swallow',
    /^writes: .*accepts an update and does not make it: look for triggers/m,
  );
});

test('a trigger that swallows other writes is reported', async () => {
  await server.query(
    `CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
     CREATE TRIGGER swallow BEFORE INSERT OR UPDATE ON attempts FOR EACH ROW EXECUTE FUNCTION swallow()`,
  );
  const reported = await problems();
  await server.query('DROP TRIGGER swallow ON attempts; DROP FUNCTION swallow');
  assert.match(reported.join('\n'), /^writes: .*accepts an update and does not make it: look for triggers/);
});

test('on a healthy database every check runs and passes', async () => {
  const { checks, now } = await backEnd.examine();
  assert.deepEqual(
    checks.map(({ name }) => name),
    ['store', 'schema', 'privileges', 'writes', 'space'],
  );
  assert.ok(now);
});

test('every table of the schema is checked', async () => {
  const rows = await server.query(`SELECT relname::text AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'S') AND NOT relispartition`);
  const names = rows.map(({ name }) => String(name)).filter((name) => name !== 'tessera_schema');
  assert.deepEqual(names.sort(), Object.keys(NEEDED).sort());
});

test('a missing table is reported', () =>
  whileBroken(
    'ALTER TABLE grants RENAME TO grants_away',
    'ALTER TABLE grants_away RENAME TO grants',
    /store: a grant cannot be read .*42P01.*\n.*privileges: .*grants does not exist/,
  ));

test('a missing column is reported', () =>
  whileBroken(
    'ALTER TABLE identities RENAME COLUMN enabled TO disabled',
    'ALTER TABLE identities RENAME COLUMN disabled TO enabled',
    /store: a grant cannot be read .*42703/,
  ));

test('a missing privilege is reported', () =>
  whileBroken(
    'REVOKE UPDATE ON grants FROM node; REVOKE USAGE ON SEQUENCE event_sequence FROM node',
    'GRANT UPDATE ON grants TO node; GRANT USAGE ON SEQUENCE event_sequence TO node',
    /privileges: .*\(no UPDATE on grants, no USAGE on event_sequence\)/,
  ));

test('a schema missing from the search path is reported', () =>
  whileBroken(
    'ALTER SCHEMA public RENAME TO elsewhere',
    'ALTER SCHEMA elsewhere RENAME TO public',
    /schema: the schema is not one that this release can use \(the schema is 0/,
  ));

test('a policy that hides rows is a fault, not a missing token', async () => {
  await server.query('ALTER TABLE grants OWNER TO postgres');
  await whileBroken(
    'ALTER TABLE grants ENABLE ROW LEVEL SECURITY',
    'ALTER TABLE grants DISABLE ROW LEVEL SECURITY',
    /store: a grant cannot be read .*42501/,
  );
});

test('an incompatible schema of a later release is reported', async () => {
  await server.query('INSERT INTO tessera_schema (version, additive) VALUES (99, false)');
  assert.match((await problems()).join(), /schema: .*the schema is 99/);
  await server.query('DELETE FROM tessera_schema WHERE version = 99');
});

test('a database that became read-only is reported', async () => {
  const pair = await issue(node);
  await server.query('ALTER ROLE node SET default_transaction_read_only = on');
  await server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tessera'");
  // The first look may still meet the session that was ended.
  await assert.rejects(refresh(node, pair), StoreUnavailable);
  assert.match((await problems()).join(), /store: the database does not answer .*read-only/);
  await server.query('ALTER ROLE node RESET default_transaction_read_only');
  accepted(await refresh(node, pair));
});

for (const [what, code, reported] of [
  ['a full disk', '53100', /^space: the database has no room to write .*53100/],
  ['another fault of a write', '54000', /^writes: the last write of a request failed .*54000/],
] as const)
  test(`${what} is reported from the first failed write until a write succeeds`, async () => {
    const pair = await issue(node);
    await server.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE 'could not write' USING ERRCODE = '${code}'; END $$;
      CREATE TRIGGER fail BEFORE INSERT ON events EXECUTE FUNCTION fail()`);
    await assert.rejects(refresh(node, pair), StoreUnavailable);
    assert.match((await problems()).join('\n'), reported);
    await server.query('DROP TRIGGER fail ON events; DROP FUNCTION fail');
    accepted(await refresh(node, pair));
  });

for (const lock of ['events IN ACCESS EXCLUSIVE MODE', 'grants IN SHARE MODE'])
  test(`a table that refreshes cannot write is reported: ${lock}`, async () => {
    const operator = new pg.Client({ connectionString: server.url() });
    await operator.connect();
    await operator.query(`BEGIN; LOCK TABLE ${lock}`);
    try {
      assert.match((await problems()).join('\n'), /^writes: the database does not accept writes \(.*lock timeout/);
    } finally {
      await operator.end();
    }
  });
