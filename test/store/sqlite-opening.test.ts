import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { lockFile, makeDatabase, openDatabase } from '../../src/store/sqlite/connection.ts';
import { WalFollower } from '../../src/store/sqlite/continuous/wal-follower.ts';
import { makeStore, openSqliteStore } from '../../src/store/sqlite/open.ts';
import { systemClock } from '../../src/system.ts';
import { openFilesIn } from '../open-files.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { newer } from './newer-schema.ts';

test('processes that open a new database in parallel wait for each other, and none fails', async (t) => {
  const folder = temporaryFolder('opening');
  t.after(() => rmSync(folder, { recursive: true }));
  const args = [join(import.meta.dirname, 'opener.ts'), folder, String(Date.now() + 1500), '100'];
  const openers = Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, args));
  const faults = (await Promise.all(openers)).map(({ stdout }) => stdout.trim());
  assert.deepEqual(faults, ['0', '0', '0', '0']);
});

test('a lock is refused if its last owner removes the file meanwhile: another process may have a new one', (t) => {
  const folder = temporaryFolder('opening');
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'removed.lock');
  const opened = t.mock.method(DatabaseSync.prototype, 'exec', function (this: DatabaseSync, sql: string) {
    opened.mock.restore();
    rmSync(path);
    writeFileSync(path, '');
    this.exec(sql);
  });
  assert.equal(lockFile(path), undefined);
  const lock = lockFile(path);
  assert.ok(lock);
  lock.release();
});

test('a file lock that is refused leaves no file open', (t) => {
  const folder = temporaryFolder('opening');
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'another.lock');
  writeFileSync(path, 'not a database'.repeat(99));
  assert.throws(() => lockFile(path), /not a database/);
  assert.deepEqual(openFilesIn(folder), []);
});

test('opening a database twice in one process keeps its lock', async (t) => {
  const folder = temporaryFolder('opening');
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'tessera.db');
  makeDatabase(path);
  const service = openDatabase(path);
  service.exec('CREATE TABLE grants (id)');
  openDatabase(path).close(); // as the thread of the checkpoints does
  const module = import.meta.resolve('../../src/store/sqlite/connection.ts');
  const open = `import(${JSON.stringify(module)}).then(({ openDatabase }) => openDatabase(${JSON.stringify(path)}, true))`;
  const alone = () => promisify(execFile)(process.execPath, ['-e', open]);
  await assert.rejects(alone(), /database is locked/);
  service.close();
  await alone();
});

/** A database that another program is opening, which hinders us. `whileWaiting`: instead of each sleep. */
function heldByAnother(t: TestContext, whileWaiting: (other: DatabaseSync) => void) {
  const folder = temporaryFolder('opening');
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'tessera.db');
  const other = new DatabaseSync(path);
  t.after(() => other.close());
  other.exec('CREATE TABLE grants (id); BEGIN IMMEDIATE');
  const state = { path, waitedMs: 0 };
  t.mock.method(Atomics, 'wait', (_: Int32Array, __: number, ___: number, ms = 0) => {
    state.waitedMs += ms;
    whileWaiting(other);
    return 'timed-out';
  });
  return state;
}

test('a database that another program holds for a moment is opened when that ends', (t) => {
  const { path } = heldByAnother(t, (other) => other.isTransaction && other.exec('COMMIT'));
  openDatabase(path).close();
});

test('a database that another program goes on holding is given up after five seconds', (t) => {
  const state = heldByAnother(t, () => undefined);
  assert.throws(() => openDatabase(state.path), /database is locked/);
  assert.equal(Math.round(state.waitedMs / 1000), 5);
});

test('a file that is no database is refused at once', (t) => {
  const state = heldByAnother(t, () => undefined);
  writeFileSync(`${state.path}.txt`, 'x'.repeat(10_000));
  assert.throws(() => openDatabase(`${state.path}.txt`), /file is not a database/);
  assert.equal(state.waitedMs, 0);
});

suite('a store that is refused does not stay open, so a restore can replace it', () => {
  const open = (path: string, alone = false) =>
    openSqliteStore({ path, clock: systemClock.now, mustExist: true, ...(alone && { alone }) });

  /** What hinders, and what is refused then. */
  const REFUSALS: Readonly<Record<string, readonly [(path: string) => unknown, (path: string) => unknown]>> = {
    'one of a later release': [newer, open],
    'one of a later release, opened alone': [newer, (path) => open(path, true)],
    'one that is not a database': [(path) => writeFileSync(path, 'not a database'.repeat(99)), open],
    'one that somebody else writes, to a continuous backup': [
      (path) => {
        const writer = openDatabase(path);
        writer.exec('BEGIN IMMEDIATE');
        return writer;
      },
      (path) => new WalFollower(path),
    ],
  };
  for (const [what, [hinder, refused]] of Object.entries(REFUSALS))
    test(what, async (t) => {
      const folder = temporaryFolder('opening');
      t.after(() => rmSync(folder, { recursive: true }));
      t.mock.method(Atomics, 'wait', () => 'timed-out');
      const path = join(folder, 'tessera.db');
      makeStore(path);
      const other = hinder(path);
      await assert.rejects(async () => refused(path), /newer than this release|not a database|locked/);
      if (other instanceof DatabaseSync) other.close();
      assert.deepEqual(openFilesIn(folder), []);
    });
});
