// The schema: who may change it, who may use it, and which releases work with it.
// Only in test:all: every setting and language of PostgreSQL
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { epochSeconds } from '../../src/core/time.ts';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { TABLES } from '../../src/store/all-tables.ts';
import { storeOf } from '../../src/store/change.ts';
import { parseAddress } from '../../src/store/postgres/address.ts';
import { postgresBackEnd } from '../../src/store/postgres/back-end.ts';
import { connect } from '../../src/store/postgres/connection.ts';
import { Connections } from '../../src/store/postgres/connections.ts';
import { migrate, NEWEST, UPGRADES } from '../../src/store/postgres/migrations.ts';
import { migratePostgres } from '../../src/store/postgres/open.ts';
import { SharedLists } from '../../src/store/shared-lists.ts';
import { type AnyTable, changingColumns } from '../../src/store/table.ts';
import { attempts } from '../../src/store/tables/attempts.ts';
import { devices } from '../../src/store/tables/devices.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { listContents, revocationLists } from '../../src/store/tables/revocation-lists.ts';
import { sessions } from '../../src/store/tables/sessions.ts';
import { Secret } from '../../src/tokens/secret.ts';
import { accepted, aNode, anotherNode, check, confirmed, issue, redeem, refresh, revoke } from '../node.ts';
import { aGrant, anIdentity, NOW } from '../samples.ts';
import { put } from './conformance/rows.ts';
import { shippedRoles, sqlAfterMigration } from './documented-sql.ts';
import { type PostgresTestDatabase, postgresDatabase, sharedServer } from './postgres-database.ts';
import { openAt } from './postgres-node.ts';
import type { PostgresServer } from './postgres-server.ts';

const LONG_AGO = epochSeconds(1);
async function emptyDatabase(name: string): Promise<{ server: PostgresServer; url: string }> {
  const server = await sharedServer();
  await server.query(`CREATE DATABASE ${name}`);
  return { server, url: server.url(name) };
}

/** `\\c` is a command of psql, not of the server. */

test('nodes that start in parallel on an empty database migrate it once', async () => {
  const { server, url } = await emptyDatabase('at_once');
  const nodes = await Promise.all(Array.from({ length: 5 }, () => openAt(url)));
  await Promise.all(nodes.map((node) => node.close()));
  const applied = await server.query('SELECT version FROM tessera_schema', 'at_once');
  assert.deepEqual(applied, [{ version: NEWEST }]);
});

test('a store of a release before 0.3 is refused with the way', async () => {
  const { server, url } = await emptyDatabase('older');
  await (await openAt(url)).close();
  await server.query('UPDATE tessera_schema SET version = 10', 'older');
  await assert.rejects(openAt(url), {
    message: 'the database has schema 10, of a release before 0.3',
    todo: /0\.3\.3 or 0\.3\.4.*docs\/upgrading\.md/,
  });
});

test('the documented least-privileged role can do everything a node does, and no more', async () => {
  const { server, url } = await emptyDatabase('least');
  // The test runs the SQL of the operators' page.
  await server.query(
    shippedRoles()
      .replace(/^\\c .*$/m, '')
      .replaceAll('DATABASE tessera', 'DATABASE least'),
    'least',
  );
  const nodeUrl = url.replace('postgres@', 'tessera_node@');
  await assert.rejects(openAt(nodeUrl), {
    name: 'StoreUnusable',
    message: /no schema yet/,
    todo: /role that owns the schema/,
  });
  const owner = { url: new Secret(url.replace('postgres@', 'tessera_owner@')), environment: {} };
  assert.deepEqual(await migratePostgres(owner), { before: 0, now: NEWEST });
  await server.query(sqlAfterMigration(), 'least');

  const backEnd = await openAt(nodeUrl);
  const node = await aNode(storeOf(backEnd));
  const pair = accepted(await refresh(node, await issue(node)));
  accepted(await check(node, pair));
  accepted(await revoke(node, pair));
  accepted(await redeem(node, await confirmed(node)));
  await new SharedLists(node).share({ url: 'http://crl.test', checkedAt: NOW, renewAt: NOW }, Buffer.from('a list'));
  for (const table of [grants, devices, sessions, attempts, revocationLists, listContents] as AnyTable[])
    await backEnd.sweep(table, LONG_AGO, 10);
  await backEnd.sweepEvents(LONG_AGO, 10);
  assert.ok((await backEnd.events({ after: 0, limit: 10 })).length > 0);
  for (const table of TABLES) assert.ok(await backEnd.stamp(table));
  await backEnd.close();

  for (const forbidden of [
    'DROP TABLE grants',
    'TRUNCATE events',
    'ALTER TABLE grants ADD COLUMN x text',
    'CREATE TABLE x ()',
    'DELETE FROM tessera_schema',
    "SELECT setval('event_sequence', 1)",
  ]) {
    await assert.rejects(
      server.query(`SET ROLE tessera_node; ${forbidden}`, 'least'),
      /denied|must be owner/,
      forbidden,
    );
  }
});

test('rolling upgrade: running and starting nodes work with an additive schema of the next release', async () => {
  const database = await postgresDatabase();
  const running = await aNode(storeOf(await database.open()));
  const early = accepted(await refresh(running, await issue(running)));
  const next = NEWEST + 1;
  await database.server.query(
    `ALTER TABLE grants ADD COLUMN colour text; ALTER TABLE events ADD COLUMN weight integer DEFAULT 0;
     CREATE TABLE novelties (id integer PRIMARY KEY);
     INSERT INTO tessera_schema (version, additive) VALUES (${next}, true)`,
    database.name,
  );
  const started = await anotherNode(storeOf(await database.open()), { keyring: running.keyring });
  const late = accepted(await refresh(running, early));
  for (const node of [running, started]) accepted(await refresh(node, await issue(node)));
  accepted(await revoke(started, late));
  await database.remove();
});

test('rolling upgrade: a migration runs while a node is working and loses nothing', async () => {
  const { server, url } = await emptyDatabase('behind');
  const address = parseAddress(new Secret(url), {});
  const connection = await connect(address);
  await migrate(connection);
  const before = await aNode(storeOf(postgresBackEnd(new Connections(address))));
  let pair = await issue(before);
  // What the next release might bring: a node of this one goes on working.
  const text = 'ALTER TABLE grants ADD COLUMN colour text; CREATE TABLE novelties (id integer PRIMARY KEY)';
  const migrated = migrate(connection, [...UPGRADES, { version: NEWEST + 1, additive: true, steps: [text] }]);
  for (let round = 0; round < 20; round++) pair = accepted(await refresh(before, pair));
  await migrated;
  connection.close();
  const next = await anotherNode(storeOf(await openAt(url)), { keyring: before.keyring });
  accepted(await refresh(before, accepted(await refresh(next, pair))));
  const versions = await server.query('SELECT version FROM tessera_schema', 'behind');
  assert.equal(versions.length, 2);
  await Promise.all([before.store.close(), next.store.close()]);
});

test('a migration behind a long transaction delays no request, says what it waits for, and ends', async () => {
  const { server, url } = await emptyDatabase('behind_reader');
  const connection = await connect(parseAddress(new Secret(url), {}));
  await migrate(connection);
  const node = await aNode(storeOf(await openAt(url)));
  let pair = await issue(node);
  const reader = new pg.Client({ connectionString: url, application_name: 'pg_dump' });
  await reader.connect();
  await reader.query('BEGIN; SELECT count(*) FROM grants');
  const lines: string[] = [];
  const steps = ['ALTER TABLE grants ADD COLUMN colour text'];
  const migrated = migrate(connection, [...UPGRADES, { version: NEWEST + 1, additive: true, steps }], (line) =>
    lines.push(line),
  );
  let longest = 0;
  while (lines.filter((line) => line.includes('waiting')).length < 3) {
    const began = performance.now();
    pair = accepted(await refresh(node, pair));
    longest = Math.max(longest, performance.now() - began);
  }
  await reader.query('COMMIT');
  await migrated;
  assert.match(
    lines.find((line) => line.includes('waiting')) ?? '',
    /oldest transaction is of process \d+ \(pg_dump\)/,
  );
  assert.ok(longest < 2_000, `a refresh took ${longest} ms`);
  accepted(await refresh(node, pair));
  connection.close();
  await Promise.all([node.store.close(), reader.end()]);
  const versions = await server.query('SELECT version FROM tessera_schema', 'behind_reader');
  assert.equal(versions.length, 2);
});

test('a read waits for a table that is locked for a moment', async () => {
  const database = await postgresDatabase();
  const backEnd = await database.open();
  const operator = new pg.Client({ connectionString: database.url });
  await operator.connect();
  await operator.query('BEGIN; LOCK TABLE grants');
  const reading = backEnd.page(grants, { limit: 1 });
  await operator.query('SELECT pg_sleep(0.12)');
  await operator.query('COMMIT');
  assert.deepEqual(await reading, []);
  await operator.end();
  await database.remove();
});

test('a migration that fails is explained by the server, unless the role lacks a privilege', async () => {
  const { server, url } = await emptyDatabase('no_space');
  await server.query(
    `CREATE FUNCTION fail() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
       RAISE 'No space left on device' USING ERRCODE = '53100'; END $$;
     CREATE EVENT TRIGGER fail ON ddl_command_start WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION fail()`,
    'no_space',
  );
  await assert.rejects(openAt(url), { name: 'StoreUnavailable', message: /No space left on device \(53100\)/ });
});

test('a non-additive schema of the next release is refused at start', async () => {
  const database = await postgresDatabase();
  const next = NEWEST + 1;
  await database.server.query(`INSERT INTO tessera_schema (version, additive) VALUES (${next}, false)`, database.name);
  await assert.rejects(database.open(), /cannot work with/);
  await database.remove();
});

test('of the columns that requests change, only those used for lookups are indexed', async () => {
  const database = await postgresDatabase();
  const found = await database.server.query(
    `SELECT c.relname AS table, a.attname AS column FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
     WHERE c.relnamespace = 'public'::regnamespace`,
    database.name,
  );
  const inIndexes = new Set(found.map((row) => `${row['table']}.${row['column']}`));
  const changed = TABLES.flatMap((table) => changingColumns(table).map(({ name }) => `${table.name}.${name}`));
  const allowed = [
    'identities.user_name',
    'identities.email',
    'identities.upn',
    'pushed_groups.directory',
    'pushed_groups.name',
    'sessions.ends_at',
    'attempts.ends_at',
    'nodes.ends_at',
    'leases.ends_at',
    'ended_lists.ends_at',
    'revocation_lists.checked_at',
    'list_contents.fetched_at',
    'key_sets.checked_at',
    'refusal_counts.ends_at',
  ];
  assert.deepEqual(
    changed.filter((column) => inIndexes.has(column)),
    allowed,
  );
  await database.remove();
});

test('refreshes are heap-only updates: they touch no index', async () => {
  const database = await postgresDatabase();
  const backEnd = await database.open();
  const node = await aNode(storeOf(backEnd));
  const pairs = await Promise.all(Array.from({ length: 300 }, () => issue(node)));
  const before = await numbers(database, "pg_indexes_size('grants') AS size");
  // Not all rows of a page at the same moment: among many grants, that does not happen.
  for (let round = 0; round < 60; round++) {
    const some = Array.from({ length: 20 }, (_, n) => (round + n * 15) % pairs.length);
    await Promise.all(
      some.map(async (n) => {
        pairs[n] = accepted(await refresh(node, pairs[n] as TokenPair));
      }),
    );
  }
  await backEnd.close(); // a session flushes its statistics when it ends
  assert.deepEqual(await numbers(database, "pg_indexes_size('grants') AS size"), before, 'indexes do not grow');
  const { all = 0, hot = 0 } = await numbers(
    database,
    "n_tup_upd AS all, n_tup_hot_upd AS hot FROM pg_stat_user_tables WHERE relname = 'grants'",
  );
  assert.equal(all, 60 * 20);
  assert.ok(hot / all > 0.99, `${hot} of ${all}`);
  await database.remove();
});

async function numbers({ server, name }: PostgresTestDatabase, what: string): Promise<Record<string, number>> {
  const [row = {}] = await server.query(`SELECT ${what}`, name);
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, Number(value)]));
}

test('a grant is stored unchanged: text of every language, times after 2038', async () => {
  const database = await postgresDatabase();
  const store = storeOf(await database.open());
  await put(store, identities, anIdentity());
  const far = aGrant({ refreshUntil: epochSeconds(2 ** 33), scope: 'straße:lesen;注文:読む' });
  await put(store, grants, far);
  assert.deepEqual((await store.load(grants, far.id)).found?.row.refreshUntil, far.refreshUntil);
  assert.equal((await store.load(grants, far.id)).found?.row.scope, far.scope);
  await database.remove();
});
