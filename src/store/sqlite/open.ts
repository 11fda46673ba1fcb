import type { EpochSeconds } from '../../core/time.ts';
import type { BackEnd } from '../back-end.ts';
import { storeOf } from '../change.ts';
import type { Store } from '../store.ts';
import { sqliteBackEnd } from './back-end.ts';
import { Checkpoints } from './checkpoints.ts';
import { openDatabase } from './database.ts';
import { migrate } from './migrations.ts';
import { type Sync, syncInPool, Wal } from './wal.ts';
import { Writer } from './writer.ts';

export interface SqliteOptions {
  readonly path: string;
  readonly clock: () => EpochSeconds;
  /** How the WAL is brought to the disk: for those who simulate one. */
  readonly sync?: Sync;
  /** Keeps every other process out; throws busy where one is in already. */
  readonly alone?: boolean;
}

export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  return storeOf(await openSqlite(options));
}

export async function openSqlite({ path, clock, sync = syncInPool, alone }: SqliteOptions): Promise<BackEnd> {
  const database = openDatabase(path, alone);
  migrate(database);
  database.exec('PRAGMA busy_timeout = 0'); // from here on nobody waits on the event loop
  const writer = new Writer(database, new Wal(path, sync), new Checkpoints(path));
  return sqliteBackEnd({ database, writer, clock });
}
