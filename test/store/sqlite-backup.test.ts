import assert from 'node:assert/strict';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { storeOf } from '../../src/store/change.ts';
import { backupSqlite, restoreSqlite } from '../../src/store/sqlite/backup.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { systemClock } from '../../src/system.ts';
import { accepted, aNode, anotherNode, answer, check, issue, refresh, revoke } from '../node.ts';
import { sqliteDatabase } from './sqlite-database.ts';

const reopen = async (path: string) =>
  storeOf(await openSqlite({ path, clock: () => systemClock.now(), writer: 'here' }));

test('a backup made while the service writes is one whole state, and its tokens work after a restore', async () => {
  const database = await sqliteDatabase('thread');
  const node = await aNode(storeOf(await database.open()));
  const [live, spent] = [await issue(node), await issue(node)];
  const successor = accepted(await refresh(node, spent));
  const twice = accepted(await refresh(node, successor));
  accepted(await revoke(node, twice));
  let writing = true;
  const writers = Array.from({ length: 8 }, async () => {
    while (writing) await issue(node);
  });
  const copy = join(database.folder, 'copy.db');
  await backupSqlite(database.path, copy);
  writing = false;
  await Promise.all(writers);
  assert.equal(statSync(copy).mode & 0o777, 0o600);

  const later = await issue(node);
  const place = join(database.folder, 'restored.db');
  restoreSqlite(copy, place);
  const store = await reopen(place);
  const restored = await anotherNode(store, { keyring: node.keyring });
  accepted(await refresh(restored, live));
  assert.equal(await answer(refresh(restored, spent)), 'grant-revoked', 'what was spent stays spent');
  assert.notEqual(await answer(check(restored, later)), 'accepted', 'what came after the backup is unknown');
  await store.close();
  await database.remove();
});

test('a token refreshed after the backup is ahead of the restored row: refused, and its grant ends', async () => {
  const database = await sqliteDatabase('here');
  const node = await aNode(storeOf(await database.open()));
  const pair = await issue(node);
  const copy = join(database.folder, 'copy.db');
  await backupSqlite(database.path, copy);
  const ahead = accepted(await refresh(node, pair));
  const place = join(database.folder, 'restored.db');
  restoreSqlite(copy, place);
  const store = await reopen(place);
  const restored = await anotherNode(store, { keyring: node.keyring });
  assert.notEqual(await answer(refresh(restored, ahead)), 'accepted');
  assert.equal(await answer(check(restored, pair)), 'grant-revoked');
  await store.close();
  await database.remove();
});

test('nothing is written over, and nothing damaged or foreign is restored', async () => {
  const database = await sqliteDatabase('here');
  await (await database.open()).close();
  const copy = join(database.folder, 'copy.db');
  await backupSqlite(database.path, copy);
  await assert.rejects(backupSqlite(database.path, copy), /exists/);
  assert.throws(() => restoreSqlite(copy, database.path), /exists/);
  const broken = join(database.folder, 'broken.db');
  writeFileSync(broken, 'not a database at all, though long enough to look like one '.repeat(200));
  const place = join(database.folder, 'place.db');
  assert.throws(() => restoreSqlite(broken, place));
  const empty = join(database.folder, 'empty.db');
  writeFileSync(empty, '');
  assert.throws(() => restoreSqlite(empty, place), /no store/);
  assert.equal(existsSync(place), false);
  await database.remove();
});
