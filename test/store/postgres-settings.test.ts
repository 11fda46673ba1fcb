// A session reads and writes the same whatever a role, a database or the server sets.
// Only in test:all: every setting and language of PostgreSQL
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
import { hostileRole, hostileSettings, literal } from './hostile-settings.ts';
import { databaseAt } from './postgres-database.ts';
import { openAt } from './postgres-node.ts';
import { PostgresServer } from './postgres-server.ts';
import { UsedDatabases } from './used-databases.ts';

const server = await PostgresServer.start();
const TEMPLATE = 'tessera_template';
await server.query(`CREATE DATABASE ${TEMPLATE}`);
await (await openAt(server.url(TEMPLATE))).close();
const here = await hostileSettings(server);
let made = 0;
// All of it before the first test is registered: the runner ends when those it knows of have ended.
const shared = await hostileDatabase('postgres');
const together = await hostileRole(server, here);
after(() => server.remove());

async function hostileDatabase(role: string) {
  const name = `test_${++made}`;
  await server.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY file_copy`);
  return databaseAt(server, name, async () => void (await server.query(`DROP DATABASE ${name} (FORCE)`)), role);
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
    const backEnd = await openAt(server.url(shared.name, await hostileRole(server, [setting])));
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
  await assert.rejects(connection.run("SELECT '\\x00ff'::bytea"), /unexpected format/);
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

const used = new UsedDatabases(server, TEMPLATE);

conformance('PostgreSQL, all hostile settings at once', async () => {
  const name = await used.take();
  return databaseAt(server, name, () => used.giveBack(name), together);
});
