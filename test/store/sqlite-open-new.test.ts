import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { StoreMissing } from '../../src/store/store.ts';
import { sqliteDatabase } from './sqlite-database.ts';

async function aPlace(t: TestContext) {
  const database = await sqliteDatabase();
  t.after(() => database.remove());
  return database;
}

test('what an interrupted init left is removed by the next one; what others make at this moment and files of others are kept', async (t) => {
  const database = await aPlace(t);
  const { path, folder } = database;
  const { pid: ended } = spawnSync(process.execPath, ['--version']);
  mkdirSync(`${path}.unfinished-init-${ended}-abcdef`);
  writeFileSync(`${path}.unfinished-init-${ended}-abcdef/tessera.db`, 'half of a database');
  mkdirSync(`${path}.unfinished-init-${process.pid}-abcdef`);
  for (const name of ['.unfinished-init-copy', '.before-restore-1']) writeFileSync(path + name, 'of an operator');
  await (await database.open()).close();
  assert.deepEqual(readdirSync(folder).toSorted(), [
    'tessera.db',
    'tessera.db.before-restore-1',
    `tessera.db.unfinished-init-${process.pid}-abcdef`,
    'tessera.db.unfinished-init-copy',
  ]);
});

test('a file without a store in it is never filled: it may be what is left of one', async (t) => {
  const database = await aPlace(t);
  const { path } = database;
  writeFileSync(path, '');
  await assert.rejects(database.open(), ({ name, message, todo }: StoreMissing) => {
    assert.equal(name, StoreMissing.name);
    assert.match(message, /is empty: the file was cut$/);
    assert.match(
      `${todo}`,
      /^Restore it from its backup.* If it never held a store, move it away, then: tessera init$/,
    );
    return true;
  });
  assert.equal(readFileSync(path, 'utf8'), '');
});
