// Only in test:all: processes that are killed, and disks that are full
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storeOf } from '../../src/store/change.ts';
import { parseAddress } from '../../src/store/postgres/address.ts';
import { postgresBackEnd } from '../../src/store/postgres/back-end.ts';
import { connect } from '../../src/store/postgres/connection.ts';
import { Connections } from '../../src/store/postgres/connections.ts';
import { MIGRATIONS, migrate } from '../../src/store/postgres/migrations.ts';
import { Secret } from '../../src/tokens/secret.ts';
import { accepted, aNode, issue, refresh } from '../node.ts';
import { sharedServer } from './postgres-database.ts';
import { NEWER_COLUMNS, UNPARTITIONED } from './unpartitioned.ts';

test('a migration that is killed at any step goes on when it is run again', async () => {
  const server = await sharedServer();
  const steps = MIGRATIONS.slice(UNPARTITIONED).flatMap(({ steps: each }) => each);
  for (const [n, step] of steps.entries()) {
    await server.query(`CREATE DATABASE killed_${n}`);
    const address = parseAddress(new Secret(server.url(`killed_${n}`)), {});
    const killed = await connect(address);
    await migrate(killed, MIGRATIONS.slice(0, UNPARTITIONED));
    await server.query(NEWER_COLUMNS, `killed_${n}`);
    const node = await aNode(storeOf(postgresBackEnd(new Connections(address))));
    const pair = await issue(node);
    const execute = killed.execute.bind(killed);
    killed.execute = async (text) => {
      if (text.includes(step)) killed.close();
      await execute(text);
    };
    await assert.rejects(migrate(killed));
    const between = accepted(await refresh(node, pair));
    const again = await connect(address);
    await migrate(again);
    again.close();
    accepted(await refresh(node, between));
    assert.equal((await node.store.events({ after: 0, limit: 10 })).length, 3, `killed at ${step}`);
    await node.store.close();
  }
});
