// The two ways of writing, on a disk that takes its time: fsync takes 0.05 ms here in one hour and 5 ms in the next.
import { setTimeout as sleep } from 'node:timers/promises';
import type { BackEnd } from '../../src/store/back-end.ts';
import { sqliteBackEnd } from '../../src/store/sqlite/back-end.ts';
import { openForWriting } from '../../src/store/sqlite/database.ts';
import type { RunUnits } from '../../src/store/sqlite/group-commit.ts';
import { migrate } from '../../src/store/sqlite/migrations.ts';
import type { SqliteOptions } from '../../src/store/sqlite/open.ts';
import { Writer } from '../../src/store/sqlite/writer.ts';
import { threadWriter } from '../../src/store/sqlite/writer-thread.ts';

const SYNC_MS = 5;

/** Every transaction takes a few milliseconds more, in the thread that writes it. */
export async function openOnSlowDisk({ path, clock, writer }: SqliteOptions): Promise<BackEnd> {
  const database = openForWriting(path);
  migrate(database);
  if (writer === 'thread') {
    database.close();
    const { run, stop } = await threadWriter(path);
    return sqliteBackEnd({ path, clock, stop, run: (units) => sleep(SYNC_MS).then(() => run(units)) });
  }
  const own = new Writer(database);
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const run: RunUnits = async (units) => {
    Atomics.wait(cell, 0, 0, SYNC_MS);
    return own.run(units);
  };
  return sqliteBackEnd({ path, clock, run, stop: async () => own.close() });
}
