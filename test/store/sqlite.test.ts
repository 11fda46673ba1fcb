import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { storeOf } from '../../src/store/change.ts';
import { type Sync, syncInPool } from '../../src/store/sqlite/commits.ts';
import { openDatabase } from '../../src/store/sqlite/connection.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { systemClock } from '../../src/system.ts';
import { countOf, increment } from './conformance/rows.ts';
import { conformance } from './conformance.ts';
import { turns } from './faulty-back-end.ts';
import { newSqlite } from './new-sqlite.ts';
import { type SqliteTestDatabase, sqliteDatabase } from './sqlite-database.ts';

conformance('SQLite', async () => {
  const database = await sqliteDatabase();
  newSqlite(database.path);
  return database;
});

async function withDatabase(prove: (database: SqliteTestDatabase) => Promise<void>, sync?: Sync): Promise<void> {
  const database = await sqliteDatabase(undefined, sync);
  try {
    await prove(database);
  } finally {
    await database.remove();
  }
}

test('SQLite: database, WAL and SHM files are readable by their owner only, whatever the umask', async () => {
  const umask = process.umask(0);
  try {
    await withDatabase(async (database) => {
      await increment(storeOf(await database.open()), 'a');
      const files = readdirSync(database.folder);
      assert.deepEqual(files.toSorted(), ['tessera.db', 'tessera.db-shm', 'tessera.db-wal']);
      for (const file of files) assert.equal(statSync(join(database.folder, file)).mode & 0o777, 0o600, file);
    });
  } finally {
    process.umask(umask);
  }
});

test('SQLite: every commit is synced, in order, before it is acknowledged', async () => {
  let synced = 0;
  let tell = () => {};
  const sync: Sync = (file) =>
    new Promise((resolve) => {
      synced++;
      tell = () => resolve(syncInPool(file));
    });
  await withDatabase(async (database) => {
    const backEnd = await database.open();
    const wal = openDatabase(database.path);
    const pragma = (name: string) => wal.prepare(`PRAGMA ${name}`).get()?.[name];
    assert.deepEqual([pragma('journal_mode'), pragma('synchronous')], ['wal', 1], 'NORMAL: synced around checkpoints');
    wal.close();
    let answered = false;
    const change = increment(storeOf(backEnd), 'a').then(() => {
      answered = true;
    });
    while ((await countOf(backEnd, 'a')) !== 1) await turns(1);
    await turns(20);
    assert.deepEqual([synced, answered], [1, false], 'written, not yet durable');
    tell();
    await change;
    assert.equal(answered, true);
  }, sync);
});

test('SQLite: all changes that wait for a sync share the next one', async () => {
  let synced = 0;
  const first = Promise.withResolvers<void>();
  const sync: Sync = async (file) => {
    synced++;
    if (synced === 1) await first.promise;
    await syncInPool(file);
  };
  await withDatabase(async (database) => {
    const store = storeOf(await database.open());
    synced = 0;
    const changes = [increment(store, 'a')];
    while (synced === 0) await turns(1);
    for (let n = 0; n < 20; n++) {
      for (let m = 0; m < 10; m++) changes.push(increment(store, `${n} ${m}`));
      await turns(1);
    }
    first.resolve();
    assert.deepEqual(await Promise.all(changes), Array(201).fill(1));
    assert.equal(synced, 2);
  }, sync);
});

test('SQLite: a database locked by another process is unavailable until the lock ends', async () => {
  await withDatabase(async (database) => {
    const store = storeOf(await database.open());
    const other = new DatabaseSync(database.path);
    other.exec('BEGIN IMMEDIATE');
    await assert.rejects(increment(store, 'a'), StoreUnavailable);
    other.exec('ROLLBACK');
    other.close();
    assert.equal(await increment(store, 'a'), 1);
  });
});

test('SQLite: a database of a newer release is refused and left unchanged', async () => {
  await withDatabase(async (database) => {
    await (await database.open()).close();
    const newer = new DatabaseSync(database.path);
    newer.exec('PRAGMA user_version = 999');
    newer.close();
    await assert.rejects(database.open(), /schema 999, newer than this release knows/);
  });
});

test('SQLite: a store of a release before 0.3 is refused, left unchanged, and the way is named', async () => {
  for (const schema of [2, 10, 17])
    await withDatabase(async (database) => {
      await (await database.open()).close();
      const file = new DatabaseSync(database.path);
      file.exec(`PRAGMA user_version = ${schema}`);
      await assert.rejects(database.open(), {
        message: `the database has schema ${schema}, of a release before 0.3`,
        todo: /0\.3\.3 or 0\.3\.4.*docs\/upgrading\.md/,
      });
      assert.deepEqual({ ...file.prepare('PRAGMA user_version').get() }, { user_version: schema });
      file.close();
    });
});

test('SQLite: of eight parallel openings of a new database one migrates it', async () => {
  await withDatabase(async ({ path }) => {
    const open = () => openSqlite({ path, clock: () => systemClock.now() });
    const backEnds = await Promise.all(Array.from({ length: 8 }, open));
    await Promise.all(backEnds.map((backEnd) => increment(storeOf(backEnd), 'a')));
    assert.equal(await increment(storeOf(backEnds[0] ?? (await open())), 'a'), 9);
    for (const backEnd of backEnds) await backEnd.close();
  });
});
