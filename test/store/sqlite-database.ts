// SQLite databases for tests: each in its own folder, removed afterwards.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { EpochSeconds } from '../../src/core/time.ts';
import type { BackEnd } from '../../src/store/back-end.ts';
import type { Sync } from '../../src/store/sqlite/commits.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { systemClock } from '../../src/system.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import type { TestDatabase } from './conformance.ts';

const FIRST_INDEXED = `SELECT t.name || '.' || c.name AS column FROM sqlite_schema t, pragma_index_list(t.name) i,
  pragma_index_info(i.name) c WHERE t.type = 'table' AND c.seqno = 0`;

export interface SqliteTestDatabase extends TestDatabase {
  readonly path: string;
  readonly folder: string;
}

export async function sqliteDatabase(
  clock: () => EpochSeconds = () => systemClock.now(),
  sync?: Sync,
): Promise<SqliteTestDatabase> {
  const folder = temporaryFolder('test');
  const path = join(folder, 'tessera.db');
  const opened: BackEnd[] = [];
  const remove = async (): Promise<void> => {
    await Promise.all(opened.map((backEnd) => backEnd.close()));
    rmSync(folder, { recursive: true });
  };
  return {
    path,
    folder,
    elsewhere: { module: import.meta.url, argument: path },
    open: async () => {
      const backEnd = await openSqlite({ path, clock, ...(sync && { sync }) });
      opened.push(backEnd);
      return backEnd;
    },
    firstIndexedColumns: async () => {
      const database = new DatabaseSync(path);
      const found = database.prepare(FIRST_INDEXED).all();
      database.close();
      return found.map((row) => String(row['column']));
    },
    remove,
    [Symbol.asyncDispose]: remove,
  };
}

/** @public Another process imports it by the address of this module. */
export function openElsewhere(path: string): Promise<BackEnd> {
  return openSqlite({ path, clock: () => systemClock.now() });
}
