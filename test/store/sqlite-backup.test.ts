import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, type TestContext, test } from 'node:test';
import { backUp, restore, whyDamaged } from '../../src/store/sqlite/backup.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { overwriteLastPage } from './overwrite-page.ts';
import { sqliteDatabase } from './sqlite-database.ts';

test('a refused restore leaves nothing behind: the store is in use', async (t) => {
  await using database = await sqliteDatabase();
  await database.open();
  const folder = temporaryFolder('copy');
  t.after(() => rmSync(folder, { recursive: true }));
  const copy = join(folder, 'copy.db');
  await backUp(database.path, copy, () => undefined);
  assert.equal(statSync(copy).mode & 0o777, 0o600, 'the copy is for its owner only');
  const files = () => readdirSync(dirname(database.path)).filter((name) => !/-(?:wal|shm)$/.test(name));
  const before = files();
  assert.ok(before.includes(basename(database.path)));
  await assert.rejects(
    restore(copy, database.path, async () => undefined),
    /locked|busy/,
  );
  assert.deepEqual(files(), before);
});

test('a copy that fails leaves nothing behind', async (t) => {
  const folder = temporaryFolder('copy');
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'no-store.db'), 'this is not a database at all');
  await assert.rejects(backUp(join(folder, 'no-store.db'), join(folder, 'copy.db'), () => undefined));
  assert.deepEqual(readdirSync(folder), ['no-store.db']);
});

test('a copy is made once, however often the service writes meanwhile', async (t) => {
  const { store, copy } = storeAndCopy(t, 30_000);
  const service = new DatabaseSync(store);
  t.after(() => service.close());
  const parts: number[] = [];
  // A commit between each two steps of the copy.
  const write = (part: number) => {
    parts.push(part);
    if (parts.length < 100) service.exec("INSERT INTO grants VALUES (0, 'meanwhile')");
  };
  rmSync(copy);
  await backUp(store, copy, write);
  const steps = Math.ceil(statSync(copy).size / 4096 / 500);
  assert.ok(steps > 10, 'it takes several steps');
  assert.ok(parts.length <= steps, `${parts.length} steps instead of ${steps}`);
  assert.equal(whyDamaged(copy), undefined);
});

test('a damaged store is not copied: the copy would be damaged as well', async (t) => {
  await using database = await sqliteDatabase();
  await (await database.open()).close();
  assert.equal(whyDamaged(database.path), undefined);
  overwriteLastPage(database.path);
  assert.match(`${whyDamaged(database.path)}`, /page|malformed/); // which one depends on what the page held
  const folder = temporaryFolder('copy');
  t.after(() => rmSync(folder, { recursive: true }));
  await assert.rejects(
    backUp(database.path, join(folder, 'copy.db'), () => undefined),
    { name: 'StoreUnusable', message: /is damaged: / },
  );
  assert.deepEqual(readdirSync(folder), []);
});

/** A store with a WAL, as a service leaves it that is killed, and a copy of an earlier state of it. */
function storeAndCopy(t: TestContext, rows = 300) {
  const folder = temporaryFolder('restore');
  t.after(() => rmSync(folder, { recursive: true }));
  const [store, copy] = [join(folder, 'tessera.db'), join(folder, 'copy.db')];
  const database = new DatabaseSync(store);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE grants (id, filling)');
  const insert = (ids: readonly number[]) => {
    const statement = database.prepare('INSERT INTO grants VALUES (?, ?)');
    for (const id of ids) statement.run(id, 'x'.repeat(1000));
  };
  insert([1, 2, 3]);
  database.exec(`VACUUM INTO '${copy}'`);
  database.exec('BEGIN');
  insert(Array.from({ length: rows }, (_, n) => n + 4));
  database.exec('COMMIT');
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  insert([304]); // is in the WAL only
  for (const rest of ['', '-wal']) copyFileSync(store + rest, join(folder, `killed${rest}`));
  database.close();
  for (const rest of ['', '-wal']) copyFileSync(join(folder, `killed${rest}`), store + rest);
  for (const rest of ['', '-wal', '-shm']) rmSync(join(folder, `killed${rest}`), { force: true });
  return { folder, store, copy };
}

function grantsIn(path: string): number | string {
  const database = new DatabaseSync(path);
  try {
    const { integrity_check: found } = database.prepare('PRAGMA integrity_check(1)').get() ?? {};
    const { count } = database.prepare('SELECT count(*) AS count FROM grants').get() ?? {};
    return found === 'ok' ? Number(count) : String(found);
  } finally {
    database.close();
  }
}

suite('restore', () => {
  const leaveAlone = async () => undefined;

  test('keeps the replaced store with what was only in its WAL', async (t) => {
    const { store, copy } = storeAndCopy(t);
    const seen: (number | string | undefined)[] = [];
    const { before, damage } = await restore(copy, store, async (restored, former) => {
      seen.push(grantsIn(restored), former && grantsIn(former));
    });
    assert.deepEqual(seen, [3, 304]);
    assert.deepEqual([grantsIn(store), grantsIn(`${before}`), damage], [3, 304, undefined]);
  });

  const DAMAGES: Readonly<Record<string, (store: string) => void>> = {
    'its database is gone, and its WAL is there': (store) => rmSync(store),
    'its database is empty': (store) => truncateSync(store, 0),
    'its database is cut': (store) => truncateSync(store, 5000),
    'its database is something else': (store) => writeFileSync(store, 'this is not a database at all'.repeat(300)),
    'its database lost its first page': (store) => writeFileSync(store, Buffer.alloc(4096), { flag: 'r+' }),
    'a folder has its name': (store) => {
      rmSync(store);
      mkdirSync(store);
    },
  };
  for (const [what, harm] of Object.entries(DAMAGES))
    test(`replaces a store, and keeps what is left of it unchanged, if ${what}`, async (t) => {
      const { store, copy } = storeAndCopy(t);
      harm(store);
      const digest = (path: string) =>
        statSync(path, { throwIfNoEntry: false })?.isFile() ? hash('sha256', readFileSync(path)) : existsSync(path);
      const left = ['', '-wal'].map((rest) => digest(store + rest));
      const { before, damage } = await restore(copy, store, async (_restored, former) => {
        if (former !== undefined) assert.notEqual(former, store);
      });
      assert.ok(damage, 'says that it was damaged');
      assert.equal(grantsIn(store), 3);
      assert.deepEqual(
        ['', '-wal'].map((rest) => digest(`${before}${rest}`)),
        left,
      );
    });

  test('has the old store in its place, under no other name, until the copy is prepared', async (t) => {
    const { folder, store, copy } = storeAndCopy(t);
    const interrupted = restore(copy, store, async () => {
      assert.ok(existsSync(store));
      assert.ok(!readdirSync(folder).some((name) => name.includes('before-restore')));
      throw new Error('interrupted');
    });
    await assert.rejects(interrupted, /interrupted/);
    assert.deepEqual(
      readdirSync(folder)
        .filter((name) => !/-(?:wal|shm)$/.test(name))
        .sort(),
      ['copy.db', 'tessera.db'],
    );
    assert.equal(grantsIn(store), 304);
    await restore(copy, store, leaveAlone);
    assert.equal(grantsIn(store), 3);
  });
});
