// A SQLite store, a folder for its continuous backup, and a writer beside the follower.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type FollowOptions, followStore } from '../../src/store/sqlite/continuous/follow.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { systemClock } from '../../src/system.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export interface Field {
  readonly store: string;
  readonly archive: string;
  readonly rebuilt: string;
  /** Writes beside the follower, as a service does. */
  readonly writer: DatabaseSync;
}

export function inField(work: (field: Field) => Promise<void>): () => Promise<void> {
  return async () => {
    const folder = temporaryFolder('continuous');
    mkdirSync(join(folder, 'archive'));
    const store = join(folder, 'tessera.db');
    await (await openSqliteStore({ path: store, clock: systemClock.now })).close();
    const writer = new DatabaseSync(store, { timeout: 5000 });
    writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE numbers (number INTEGER PRIMARY KEY, filler BLOB)');
    try {
      await work({ store, archive: join(folder, 'archive'), rebuilt: join(folder, 'rebuilt.db'), writer });
    } finally {
      writer.close();
      rmSync(folder, { recursive: true });
    }
  };
}

export function write({ writer }: Field, from: number, count: number, bytes = 10): void {
  const insert = writer.prepare('INSERT INTO numbers VALUES (?, zeroblob(?))');
  for (let number = from; number < from + count; number++) insert.run(number, bytes);
}

export function follow({ store, archive }: Field, difference: Partial<FollowOptions> = {}) {
  const stopping = new AbortController();
  const began = Promise.withResolvers<void>();
  const ended = followStore({
    store,
    archive,
    milliseconds: systemClock.milliseconds,
    keepMs: 1e9,
    seriesMs: 1e9,
    segmentMs: 1e9,
    onComplete: () => undefined,
    onSeries: () => began.resolve(),
    onDamage: () => undefined,
    signal: stopping.signal,
    ...difference,
  });
  const stop = () => {
    stopping.abort();
    return ended;
  };
  return { began: Promise.race([began.promise, ended]), stop };
}

export function countIn(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const count = Number(database.prepare('SELECT count(*) AS n FROM numbers').get()?.['n']);
  database.close();
  return count;
}
