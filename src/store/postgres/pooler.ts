// Poolers that give out a server session per transaction, such as pgbouncer with pool_mode = transaction. Settings
// and prepared statements of a session then end up with another client, so nodes cannot work through one.
import { StoreUnusable } from '../store.ts';
import type { Connection } from './connection.ts';
import type { Statement } from './prepared-query.ts';

/** Without a name: a prepared statement would already fail behind such a pooler. */
const BACKEND: Statement = { name: '', text: 'SELECT pg_backend_pid()' };

/** Two connections that share one server process are not sessions of their own. A pooler in session mode is fine. */
export async function refuseTransactionPooler(
  connection: Connection,
  openAnother: () => Promise<Connection>,
): Promise<void> {
  const backend = await backendOf(connection);
  if (backend === connection.announcedBackend) return; // straight to the server
  const another = await openAnother();
  try {
    await another.execute('BEGIN'); // a pooler by transaction gives it a process for as long as that lasts
    if ((await backendOf(another)) !== backend) return;
  } finally {
    another.close();
  }
  throw new StoreUnusable(
    'the address leads to a pooler in transaction mode (pgbouncer?), where sessions do not keep their settings',
    'Let it pool by session (pool_mode = session), or connect nodes to the server itself: they need no pooler.',
  );
}

async function backendOf(connection: Connection): Promise<unknown> {
  return (await connection.run(BACKEND)).rows[0]?.[0];
}
