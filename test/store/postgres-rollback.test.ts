import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { Connection } from '../../src/store/postgres/connection.ts';
import { migrate } from '../../src/store/postgres/migrations.ts';

test('a rollback that fails does not hide the first fault, and ends the session', async () => {
  const full = Object.assign(new pg.DatabaseError('could not extend file', 0, 'error'), { code: '53100' });
  const query = (asked: string | object) => {
    if (typeof asked === 'object') return Promise.resolve({ rows: [[true, 0]], rowCount: 1 });
    if (asked === 'ROLLBACK') return Promise.reject(new Error('Connection terminated'));
    return asked.startsWith('BEGIN') ? Promise.reject(full) : Promise.resolve();
  };
  const client = { on: () => client, query, end: async () => undefined };
  const connection = new Connection(client as unknown as pg.Client, { statementTimeoutMs: 1000 });
  await assert.rejects(migrate(connection), full);
  assert.ok(connection.isLost);
});
