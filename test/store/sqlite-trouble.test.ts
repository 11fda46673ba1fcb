// Files deleted, replaced or truncated under an open store, and failing syncs: success means stored.
import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { BackEnd } from '../../src/store/back-end.ts';
import { storeOf } from '../../src/store/change.ts';
import type { Sync } from '../../src/store/sqlite/commits.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { OutcomeUnknown, type Store, StoreMissing, StoreUnavailable, StoreUnusable } from '../../src/store/store.ts';
import { attempts } from '../../src/store/tables/attempts.ts';
import { systemClock } from '../../src/system.ts';
import { countOf, increment } from './conformance/rows.ts';
import { sqliteDatabase } from './sqlite-database.ts';

interface Opened {
  readonly path: string;
  readonly backEnd: BackEnd;
  readonly store: Store;
}

async function opened(t: TestContext, sync?: Sync): Promise<Opened> {
  const database = await sqliteDatabase(undefined, sync);
  t.after(() => database.remove());
  const backEnd = await database.open();
  const store = storeOf(backEnd);
  for (let n = 0; n < 50; n++) await increment(store, `before ${n}`);
  return { path: database.path, backEnd, store };
}

async function problemsOf(store: Store): Promise<Record<string, string>> {
  const { checks } = await store.examine();
  return Object.fromEntries(checks.flatMap(({ name, problem }) => (problem ? [[name, problem.detail ?? '']] : [])));
}

/** Nothing is acknowledged, read or written any more; the first change may have been in flight. */
async function assertStopped({ store }: Opened, why: RegExp): Promise<void> {
  await assert.rejects(increment(store, 'a'), StoreUnavailable);
  await assert.rejects(increment(store, 'a'), why);
  await assert.rejects(store.load(attempts, 'a'), why);
  assert.match((await problemsOf(store))['files'] ?? '', why);
}

test('database and WAL deleted: nothing is acknowledged, and the alarm names the file', async (t) => {
  const all = await opened(t);
  for (const name of ['', '-wal', '-shm']) rmSync(all.path + name);
  await assertStopped(all, /tessera\.db is gone/);
  await all.store.close();
  assert.ok(!existsSync(all.path), 'and nothing is made in its place');
});

for (const [what, replace, why] of [
  ['gone', () => undefined, /tessera\.db is gone/],
  ['out of reach', (folder: string) => symlinkSync(folder, folder), /tessera\.db cannot be reached \(ELOOP\)/],
] as const)
  test(`a folder that is ${what} is not called a full disk`, async (t) => {
    const { path, store } = await opened(t);
    const folder = dirname(path);
    renameSync(folder, `${folder}-elsewhere`);
    replace(folder);
    const problems = await problemsOf(store);
    rmSync(folder, { force: true });
    renameSync(`${folder}-elsewhere`, folder);
    assert.equal(problems['space'], undefined);
    assert.match(problems['files'] ?? '', why);
  });

test('WAL deleted: the pending change is reported as unknown', async (t) => {
  const all = await opened(t);
  rmSync(`${all.path}-wal`);
  await assert.rejects(increment(all.store, 'a'), OutcomeUnknown);
  await assertStopped(all, /tessera\.db-wal is gone/);
});

test('database replaced by another file: that file stays unchanged, even on close', async (t) => {
  const all = await opened(t);
  writeFileSync(`${all.path}.other`, 'a restored copy');
  writeFileSync(`${all.path}-wal.other`, 'its WAL');
  for (const name of ['', '-wal']) renameSync(`${all.path}${name}.other`, all.path + name);
  await assertStopped(all, /was replaced by another file/);
  await all.store.close();
  assert.equal(readFileSync(all.path, 'utf8'), 'a restored copy');
  assert.equal(readFileSync(`${all.path}-wal`, 'utf8'), 'its WAL');
});

for (const [what, length] of [
  ['cut to nothing', 0],
  ['cut in the middle', 20_000],
] as const) {
  test(`the WAL ${what}: nothing is written after the damage`, async (t) => {
    const all = await opened(t);
    truncateSync(`${all.path}-wal`, length);
    await assertStopped(all, /the WAL was cut/);
    assert.equal(statSync(`${all.path}-wal`).size, length);
  });
}

test('database truncated: detected with the next sync', async (t) => {
  const all = await opened(t);
  const size = statSync(all.path).size;
  truncateSync(all.path, size - 4096);
  await assertStopped(all, /the database was cut/);
});

test('a database file moved away and back is recognised: the store resumes and knows what was written', async (t) => {
  const { path, store, backEnd } = await opened(t);
  renameSync(`${path}-wal`, `${path}-elsewhere`);
  await assert.rejects(increment(store, 'a'), OutcomeUnknown);
  assert.ok(existsSync(`${path}.damaged`));
  renameSync(`${path}-elsewhere`, `${path}-wal`);
  assert.equal(await countOf(backEnd, 'a'), 1);
  assert.deepEqual(await problemsOf(store), {});
  assert.ok(!existsSync(`${path}.damaged`));
});

for (const [what, harm] of [
  ['WAL is deleted', (path: string) => rmSync(`${path}-wal`)],
  ['WAL is cut', (path: string) => truncateSync(`${path}-wal`, 0)],
  ['database is deleted', (path: string) => rmSync(path)],
] as const)
  test(`a store whose ${what} while it is in use is not opened again`, async (t) => {
    const { path, store } = await opened(t);
    harm(path);
    assert.ok((await problemsOf(store))['files']);
    await store.close();
    const open = () => openSqlite({ path, clock: systemClock.now, mustExist: true });
    const refusal: Error & { readonly todo?: string } = await open().then(
      () => new Error('it was opened'),
      (error) => error,
    );
    assert.ok(refusal instanceof StoreUnusable, refusal.message);
    assert.match(refusal.message, /^the store was damaged while it was in use: /);
    assert.match(`${refusal.todo}`, /tessera restore FILE.* delete .*tessera\.db\.damaged$/);
  });

test('a store whose file was moved away while it was in use is opened again when the file is back', async (t) => {
  const { path, store } = await opened(t);
  renameSync(`${path}-wal`, `${path}-wal.away`);
  assert.ok((await problemsOf(store))['files']);
  await store.close();
  assert.equal(statSync(`${path}.damaged`).mode & 0o777, 0o600, 'for its owner only');
  renameSync(`${path}-wal.away`, `${path}-wal`);
  const again = await openSqlite({ path, clock: systemClock.now, mustExist: true });
  t.after(() => again.close());
  assert.equal(await countOf(again, 'before 49'), 1);
  assert.ok(!existsSync(`${path}.damaged`));
});

test('a copy made during normal work is complete: the file checks release no lock', async (t) => {
  const { path, store } = await opened(t);
  await problemsOf(store);
  const other = new DatabaseSync(path, { timeout: 0 });
  assert.throws(() => other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE'), /locked/);
  other.close();
  assert.equal(await increment(store, 'a'), 1);
});

test('a schema changed by another release under a running store is reported', async (t) => {
  const { path, store } = await opened(t);
  const newer = new DatabaseSync(path);
  newer.exec('PRAGMA user_version = 999');
  newer.close();
  assert.match((await problemsOf(store))['schema'] ?? '', /schema 999/);
});

/** A disk whose syncs can be made to fail. */
function brittle(): { readonly sync: Sync; isBroken: boolean } {
  const disk = {
    isBroken: false,
    sync: async () => {
      if (disk.isBroken) throw new Error('EIO');
    },
  };
  return disk;
}

test('after a failed sync the change is rewritten another way, becomes durable and succeeds', async (t) => {
  const disk = brittle();
  const { path, store } = await opened(t, disk.sync);
  disk.isBroken = true;
  assert.equal(await increment(store, 'a'), 1);
  const copy = `${path}.copy`;
  copyFileSync(path, copy); // without the WAL
  const database = new DatabaseSync(copy);
  assert.equal(database.prepare("SELECT count FROM attempts WHERE about = 'a'").get()?.['count'], 1);
  database.close();
});

test('after a failed sync without recovery the change is unknown, and reads wait until it is durable', async (t) => {
  const disk = brittle();
  const { path, store, backEnd } = await opened(t, disk.sync);
  const reader = new DatabaseSync(path);
  const rows = reader.prepare('SELECT 1 UNION ALL SELECT count(*) FROM attempts').iterate();
  rows.next(); // holds the WAL
  disk.isBroken = true;
  await assert.rejects(increment(store, 'a'), OutcomeUnknown);
  await assert.rejects(store.load(attempts, 'a'), /does not take what was written: EIO/);
  await assert.rejects(increment(store, 'a'), OutcomeUnknown, 'and stays so for whoever asks again');
  assert.match((await problemsOf(store))['writes'] ?? '', /EIO/);
  disk.isBroken = false;
  rows.return?.();
  reader.close();
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.deepEqual(await problemsOf(store), {});
  assert.equal(await countOf(backEnd, 'a'), 1);
  assert.equal(await increment(store, 'a'), 2);
});

test('a service never creates a store: a missing or empty one, or one without tables, is refused and left unchanged', async () => {
  await using database = await sqliteDatabase();
  const { path } = database;
  const open = () => openSqlite({ path, clock: systemClock.now, mustExist: true });
  await assert.rejects(open(), StoreMissing);
  assert.ok(!existsSync(path));
  writeFileSync(path, '');
  await assert.rejects(open(), StoreMissing);
  assert.equal(statSync(path).size, 0);
  rmSync(path);
  const empty = new DatabaseSync(path);
  empty.exec('CREATE TABLE other (x)');
  empty.close();
  await assert.rejects(open(), StoreMissing);
});
