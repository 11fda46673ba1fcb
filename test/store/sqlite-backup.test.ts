import assert from 'node:assert/strict';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { backUp, restore } from '../../src/store/sqlite/backup.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { sqliteDatabase } from './sqlite-database.ts';

test('a refused restore leaves nothing behind: the store is in use', async (t) => {
  const database = await sqliteDatabase();
  t.after(() => database.remove());
  await database.open();
  const folder = temporaryFolder('copy');
  t.after(() => rmSync(folder, { recursive: true }));
  const copy = join(folder, 'copy.db');
  await backUp(database.path, copy, () => undefined);
  const files = () => readdirSync(dirname(database.path)).filter((name) => !/-(?:wal|shm)$/.test(name));
  const before = files();
  assert.ok(before.includes(basename(database.path)));
  await assert.rejects(restore(copy, database.path), /locked|busy/);
  assert.deepEqual(files(), before);
});

test('a copy that fails leaves nothing behind', async (t) => {
  const folder = temporaryFolder('copy');
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'no-store.db'), 'this is not a database at all');
  await assert.rejects(backUp(join(folder, 'no-store.db'), join(folder, 'copy.db'), () => undefined));
  assert.deepEqual(readdirSync(folder), ['no-store.db']);
});
