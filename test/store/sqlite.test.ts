import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { Binding } from '../../src/core/grant.ts';
import { seconds } from '../../src/core/time.ts';
import { storeOf } from '../../src/store/change.ts';
import { byOneNode } from '../../src/store/lease.ts';
import { type Sync, syncInPool } from '../../src/store/sqlite/commits.ts';
import { openDatabase } from '../../src/store/sqlite/connection.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { tokenIssuers } from '../../src/store/tables/token-issuers.ts';
import { systemClock } from '../../src/system.ts';
import { aTokenIssuer } from '../platform.ts';
import { aGrant, anIdentity, aResourceServer, hexOf } from '../samples.ts';
import { countOf, increment, put } from './conformance/rows.ts';
import { conformance } from './conformance.ts';
import { turns } from './faulty-back-end.ts';
import { newSqlite } from './new-sqlite.ts';
import { type SqliteTestDatabase, sqliteDatabase } from './sqlite-database.ts';
import { downgrade } from './sqlite-downgrade.ts';

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

test('SQLite: a database of schema 4 gets the tables of schema 5, and leases work in it', async () => {
  await withDatabase(async (database) => {
    await (await database.open()).close();
    downgrade(database.path, 4);
    const store = storeOf(await database.open());
    const lease = { name: 'sweeping', lasts: seconds(50) };
    assert.equal(await byOneNode(lease, async () => undefined, { store }), true);
    assert.equal(await byOneNode(lease, async () => undefined, { store }), false);
  });
});

test('SQLite: a database of schema 5 gets resource servers, and its grants are limited to none', async () => {
  await withDatabase(async (database) => {
    const first = storeOf(await database.open());
    await put(first, identities, anIdentity());
    await put(first, grants, aGrant());
    await first.close();
    downgrade(database.path, 5);
    const store = storeOf(await database.open());
    assert.deepEqual((await store.load(grants, aGrant().id)).found?.row, aGrant());
    await put(store, resourceServers, aResourceServer());
    assert.deepEqual((await store.load(resourceServers, aResourceServer().id)).found?.row, aResourceServer());
  });
});

test('SQLite: a database of schema 6 gets signing keys, its grants stay opaque, and new ones are JWTs', async () => {
  await withDatabase(async (database) => {
    const first = storeOf(await database.open());
    await put(first, identities, anIdentity());
    await put(first, grants, aGrant());
    await first.close();
    downgrade(database.path, 6);
    const store = storeOf(await database.open());
    assert.deepEqual((await store.load(grants, aGrant().id)).found?.row, aGrant());
    const jwt = { audience: ['https://orders.example', 'https://stock.example'], signingKey: 'es256-1' };
    const signed = aGrant({ id: hexOf(16, 7) as never, format: 'jwt', pair: { ...aGrant().pair, jwt } });
    const first9 = { since: 0, thumbprint: hexOf(32, 9) };
    const later8 = { since: 300, thumbprint: hexOf(32, 8) };
    const cases: Binding[][] = [[first9], [later8, { since: 0 }], [later8, first9], [{ since: 7 }, first9], [later8]];
    for (const bindings of cases) {
      await put(store, grants, { ...signed, bindings });
      assert.deepEqual((await store.load(grants, signed.id)).found?.row, { ...signed, bindings });
      // 0.2 makes `cnf` from all of this column.
      const reader = new DatabaseSync(database.path, { readOnly: true });
      const { bound } = reader.prepare('SELECT lower(hex(bound_to)) AS bound FROM grants WHERE format = 1').get() ?? {};
      reader.close();
      assert.equal(bound || undefined, bindings[0]?.thumbprint);
    }
  });
});

test('SQLite: a database of schema 7 gets token issuers, and its grants keep their origin', async () => {
  await withDatabase(async (database) => {
    const first = storeOf(await database.open());
    await put(first, identities, anIdentity());
    await put(first, grants, aGrant());
    await first.close();
    downgrade(database.path, 7);
    const store = storeOf(await database.open());
    assert.deepEqual((await store.load(grants, aGrant().id)).found?.row, aGrant());
    await put(store, tokenIssuers, aTokenIssuer());
    assert.deepEqual((await store.load(tokenIssuers, 'ci')).found?.row, aTokenIssuer());
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
