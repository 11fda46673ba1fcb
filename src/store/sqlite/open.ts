import type { EpochSeconds } from '../../core/time.ts';
import type { BackEnd } from '../back-end.ts';
import { storeOf } from '../change.ts';
import type { Store } from '../store.ts';
import { sqliteBackEnd } from './back-end.ts';
import { openForWriting, storeFault } from './database.ts';
import type { RunUnits } from './group-commit.ts';
import { migrate } from './migrations.ts';
import { Writer } from './writer.ts';
import { threadWriter } from './writer-thread.ts';

export interface SqliteOptions {
  readonly path: string;
  readonly clock: () => EpochSeconds;
  /** `thread`: the event loop never waits for the disk (a service). `here`: no thread to start (a command). */
  readonly writer: 'thread' | 'here';
}

export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  return storeOf(await openSqlite(options));
}

export async function openSqlite({ path, clock, writer }: SqliteOptions): Promise<BackEnd> {
  const database = openForWriting(path);
  migrate(database);
  if (writer === 'thread') {
    database.close();
    return sqliteBackEnd({ path, clock, ...(await threadWriter(path)) });
  }
  const own = new Writer(database);
  const run: RunUnits = async (units) => {
    try {
      return own.run(units);
    } catch (error) {
      throw storeFault(error);
    }
  };
  return sqliteBackEnd({ path, clock, run, stop: async () => own.close() });
}
