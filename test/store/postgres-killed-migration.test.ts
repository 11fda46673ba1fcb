// Only in test:all: processes that are killed, and disks that are full
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storeOf } from '../../src/store/change.ts';
import { parseAddress } from '../../src/store/postgres/address.ts';
import { postgresBackEnd } from '../../src/store/postgres/back-end.ts';
import { connect } from '../../src/store/postgres/connection.ts';
import { Connections } from '../../src/store/postgres/connections.ts';
import { migrate, NEWEST, UPGRADES } from '../../src/store/postgres/migrations.ts';
import { Secret } from '../../src/tokens/secret.ts';
import { accepted, aNode, issue, refresh } from '../node.ts';
import { sharedServer } from './postgres-database.ts';

/** What a release may bring: a column, its index, a table. */
const STEPS = [
  'ALTER TABLE grants ADD COLUMN IF NOT EXISTS colour text',
  'DROP INDEX CONCURRENTLY IF EXISTS grants_colour',
  'CREATE INDEX CONCURRENTLY grants_colour ON grants (colour)',
  'CREATE TABLE novelties (id integer PRIMARY KEY)',
];
const NEXT = [...UPGRADES, { version: NEWEST + 1, additive: true, steps: STEPS }];

test('a migration that is killed at any step goes on when it is run again', async () => {
  const server = await sharedServer();
  for (const [n, step] of ['CREATE TABLE "grants"', ...STEPS].entries()) {
    await server.query(`CREATE DATABASE killed_${n}`);
    const address = parseAddress(new Secret(server.url(`killed_${n}`)), {});
    if (n > 0) await migrateOnce(address);
    const killed = await connect(address);
    const execute = killed.execute.bind(killed);
    killed.execute = async (text) => {
      if (text.includes(step)) killed.close();
      await execute(text);
    };
    await assert.rejects(migrate(killed, NEXT));
    if (n === 0) await migrateOnce(address);
    const node = await aNode(storeOf(postgresBackEnd(new Connections(address))));
    const pair = await issue(node);
    await migrateOnce(address, NEXT);
    accepted(await refresh(node, pair));
    assert.equal((await node.store.events({ after: 0, limit: 10 })).length, 2, `killed at ${step}`);
    const [made] = await server.query('SELECT max(version) AS version FROM tessera_schema', `killed_${n}`);
    assert.deepEqual(made, { version: NEWEST + 1 });
    await node.store.close();
  }
});

async function migrateOnce(address: ReturnType<typeof parseAddress>, upgrades = UPGRADES): Promise<void> {
  const connection = await connect(address);
  await migrate(connection, upgrades);
  connection.close();
}
