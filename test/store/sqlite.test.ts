import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { storeOf } from '../../src/store/change.ts';
import { openForWriting } from '../../src/store/sqlite/database.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { systemClock } from '../../src/system.ts';
import { countOf, increment } from './conformance/rows.ts';
import { conformance } from './conformance.ts';
import { turns } from './faulty-back-end.ts';
import { type SqliteTestDatabase, sqliteDatabase } from './sqlite-database.ts';

conformance('SQLite, writing in a thread', () => sqliteDatabase('thread'));
conformance('SQLite, writing here', () => sqliteDatabase('here'));

const WRITERS = ['thread', 'here'] as const;

async function withDatabase(
  writer: (typeof WRITERS)[number],
  prove: (database: SqliteTestDatabase) => Promise<void>,
): Promise<void> {
  const database = await sqliteDatabase(writer);
  try {
    await prove(database);
  } finally {
    await database.remove();
  }
}

for (const writer of WRITERS) {
  test(`SQLite, ${writer}: database, WAL and SHM files are for their owner alone, whatever the umask`, async () => {
    const umask = process.umask(0);
    try {
      await withDatabase(writer, async (database) => {
        await increment(storeOf(await database.open()), 'a');
        const files = readdirSync(database.folder);
        assert.deepEqual(files.toSorted(), ['tessera.db', 'tessera.db-shm', 'tessera.db-wal']);
        for (const file of files) assert.equal(statSync(join(database.folder, file)).mode & 0o777, 0o600, file);
      });
    } finally {
      process.umask(umask);
    }
  });
}

test('SQLite: a connection that writes keeps a WAL and syncs it at every commit', async () => {
  await withDatabase('here', async ({ path }) => {
    const database = openForWriting(path);
    const pragma = (name: string) => database.prepare(`PRAGMA ${name}`).get()?.[name];
    assert.deepEqual([pragma('journal_mode'), pragma('synchronous')], ['wal', 2]);
    database.close();
  });
});

test('SQLite: a database that another process holds is unavailable, and works when let go', async () => {
  await withDatabase('thread', async (database) => {
    const store = storeOf(await database.open());
    const other = new DatabaseSync(database.path);
    other.exec('BEGIN IMMEDIATE');
    await assert.rejects(increment(store, 'a'), StoreUnavailable);
    other.exec('ROLLBACK');
    other.close();
    assert.equal(await increment(store, 'a'), 1);
  });
});

test('SQLite: a writer thread that dies loses no change, repeats none, and is replaced', async () => {
  const threads: Worker[] = [];
  const notice = (message: unknown) => threads.push((message as { worker: Worker }).worker);
  subscribe('worker_threads', notice);
  await withDatabase('thread', async (database) => {
    const backEnd = await database.open();
    for (let death = 1; death <= 5; death++) {
      const changes = Array.from({ length: 32 }, () => increment(storeOf(backEnd), 'a'));
      await turns(death);
      await threads.at(-1)?.terminate();
      const counts = await Promise.all(changes);
      assert.equal(new Set(counts).size, 32, 'each caller has a number of its own');
      assert.equal(await countOf(backEnd, 'a'), 32 * death);
    }
  });
  unsubscribe('worker_threads', notice);
  assert.ok(threads.length > 1, 'a thread was replaced');
});

test('SQLite: a database of a newer release is refused, and left as it is', async () => {
  await withDatabase('here', async (database) => {
    await (await database.open()).close();
    const newer = new DatabaseSync(database.path);
    newer.exec('PRAGMA user_version = 999');
    newer.close();
    await assert.rejects(database.open(), /schema 999, newer than this release knows/);
  });
});

test('SQLite: eight openings of a new database at once: one migrates, the others find it done', async () => {
  await withDatabase('thread', async ({ path }) => {
    const open = () => openSqlite({ path, writer: 'thread', clock: () => systemClock.now() });
    const backEnds = await Promise.all(Array.from({ length: 8 }, open));
    await Promise.all(backEnds.map((backEnd) => increment(storeOf(backEnd), 'a')));
    assert.equal(await increment(storeOf(backEnds[0] ?? (await open())), 'a'), 9);
    for (const backEnd of backEnds) await backEnd.close();
  });
});
