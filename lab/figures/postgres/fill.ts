// Fills the table with copies of one grant under other ids, made by the database itself.
import { DatabaseSync } from 'node:sqlite';
import { grants } from '../../../src/store/tables/grants.ts';
import type { PostgresServer } from '../../../test/store/postgres-server.ts';

const COPIED = grants.columns.slice(1).map(({ name }) => name);

export async function fillPostgres(server: PostgresServer, database: string, count: number): Promise<void> {
  await server.query(
    `INSERT INTO grants (id, revision, ${COPIED}) SELECT decode(md5(n::text), 'hex'), 1, ${COPIED}
     FROM (SELECT * FROM grants LIMIT 1) one, generate_series(1, ${count} - (SELECT count(*) FROM grants)) n`,
    database,
  );
  await server.query('VACUUM ANALYZE grants', database);
}

export function fillSqlite(path: string, count: number): void {
  const database = new DatabaseSync(path);
  database.exec(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n
      WHERE n < ${count} - (SELECT count(*) FROM grants))
    INSERT INTO grants (id, revision, ${COPIED}) SELECT randomblob(16), 1, ${COPIED}
    FROM n, (SELECT * FROM grants LIMIT 1) one`);
  database.close();
}
