// Every node reads the stamp of the integrations twice a second, so a stamp must not read all rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statementsOf } from '../../src/store/postgres/statements.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { postgresDatabase } from './postgres-database.ts';

test('the stamp of many integrations reads an index only', async () => {
  const database = await postgresDatabase();
  const { server, name } = database;
  await server.query(`ALTER DATABASE ${name} SET enable_seqscan = off`); // as sessions set it
  await server.query(
    "INSERT INTO integrations SELECT 'client ' || n, n, repeat('x', 500) FROM generate_series(1, 5000) n",
    name,
  );
  await server.query('VACUUM ANALYZE integrations', name);
  const rows = await server.query(`EXPLAIN ${statementsOf(integrations).stamp}`, name);
  assert.match(rows.map((row) => row['QUERY PLAN']).join('\n'), /Index Only Scan using integrations_revision/);
  await database.remove();
});
