// SQLite databases for tests: each in a folder of its own, removed afterwards.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EpochSeconds } from '../../src/core/time.ts';
import type { BackEnd } from '../../src/store/back-end.ts';
import { openSqlite, type SqliteOptions } from '../../src/store/sqlite/open.ts';
import { systemClock } from '../../src/system.ts';
import type { TestDatabase } from './conformance.ts';

export interface SqliteTestDatabase extends TestDatabase {
  readonly path: string;
  readonly folder: string;
}

export async function sqliteDatabase(
  writer: SqliteOptions['writer'],
  clock: () => EpochSeconds = () => systemClock.now(),
): Promise<SqliteTestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-'));
  const path = join(folder, 'tessera.db');
  const opened: BackEnd[] = [];
  return {
    path,
    folder,
    elsewhere: { module: import.meta.url, argument: JSON.stringify({ path, writer }) },
    open: async () => {
      const backEnd = await openSqlite({ path, clock, writer });
      opened.push(backEnd);
      return backEnd;
    },
    remove: async () => {
      await Promise.all(opened.map((backEnd) => backEnd.close()));
      rmSync(folder, { recursive: true });
    },
  };
}

/** @public Another process imports it by the address of this module. */
export function openElsewhere(argument: string): Promise<BackEnd> {
  const { path, writer } = JSON.parse(argument) as Pick<SqliteOptions, 'path' | 'writer'>;
  return openSqlite({ path, writer, clock: () => systemClock.now() });
}
