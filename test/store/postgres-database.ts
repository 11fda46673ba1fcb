// PostgreSQL databases for tests: one server per test process, one database per test.
// Once per process: PostgreSQL
import type { BackEnd } from '../../src/store/back-end.ts';
import { atEnd } from '../at-end.ts';
import type { TestDatabase } from './conformance.ts';
import { openAt } from './postgres-node.ts';
import { PostgresServer } from './postgres-server.ts';
import { UsedDatabases } from './used-databases.ts';

export interface PostgresTestDatabase extends TestDatabase {
  readonly url: string;
  readonly name: string;
  readonly server: PostgresServer;
}

const FIRST_INDEXED = `SELECT c.relname || '.' || a.attname AS "column" FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0] WHERE c.relnamespace = 'public'::regnamespace`;
/** A migrated database, to be copied. */
export const TEMPLATE = 'tessera_template';
let server: Promise<PostgresServer> | undefined;
let made = 0;

atEnd(async () => {
  await (await server)?.remove();
});

/** The server of this process. */
export function sharedServer(): Promise<PostgresServer> {
  server ??= (async () => {
    const started = await PostgresServer.start();
    await started.query(`CREATE DATABASE ${TEMPLATE}`);
    await (await openAt(started.url(TEMPLATE))).close();
    return started;
  })();
  return server;
}

/** A new database, for tests that change the schema. */
export async function postgresDatabase(): Promise<PostgresTestDatabase> {
  const shared = await sharedServer();
  const name = `test_${++made}`;
  await shared.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY file_copy`);
  return databaseAt(shared, name, async () => void (await shared.query(`DROP DATABASE ${name} (FORCE)`)));
}

let used: UsedDatabases | undefined;

/** An empty database, which another test may have used. */
export async function usedDatabase(): Promise<PostgresTestDatabase> {
  const shared = await sharedServer();
  used ??= new UsedDatabases(shared, TEMPLATE);
  const databases = used;
  const name = await databases.take();
  return databaseAt(shared, name, () => databases.giveBack(name));
}

/** `end` is called when every node is closed. */
export function databaseAt(
  server: PostgresServer,
  name: string,
  end: () => Promise<void>,
  role = 'postgres',
): PostgresTestDatabase {
  const url = server.url(name, role);
  const opened: BackEnd[] = [];
  const remove = async (): Promise<void> => {
    await Promise.all(opened.map((backEnd) => backEnd.close()));
    await end();
  };
  return {
    url,
    name,
    server,
    elsewhere: { module: new URL('postgres-node.ts', import.meta.url).href, argument: url },
    open: async () => {
      const backEnd = await openAt(url);
      opened.push(backEnd);
      return backEnd;
    },
    firstIndexedColumns: () => firstIndexedColumns(server, name),
    remove,
    [Symbol.asyncDispose]: remove,
  };
}

async function firstIndexedColumns(server: PostgresServer, name: string): Promise<string[]> {
  return (await server.query(FIRST_INDEXED, name)).map((row) => String(row['column']));
}
