// Own process: changes its effective user.
import assert from 'node:assert/strict';
import { chownSync, closeSync, openSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { restore } from '../src/store/sqlite/backup.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import { systemClock } from '../src/system.ts';
import { addKey, firstKey } from '../src/tokens/keyring.ts';
import { NextKeyringFile, readKeyringFile, writeKeyringFile } from '../src/tokens/keyring-file.ts';
import { keepOwner, namingFile, writeAll } from '../src/written-file.ts';
import { temporaryFolder } from './temporary-folder.ts';

const skip = process.getuid?.() === 0 ? false : 'only root can make files of another user';
const [USER, GROUP] = [12_345, 12_346];

const ownerOf = (path: string) => {
  const { uid, gid } = statSync(path);
  return [uid, gid];
};

test('a full disk is reported with the name of the file', () => {
  const full = openSync('/dev/full', 'w');
  const write = () => namingFile('keyring.json', () => writeAll(full, 'text'));
  assert.throws(write, { code: 'ENOSPC', path: 'keyring.json' });
  closeSync(full);
});

test('root changes a keyring, and it still belongs to the user of the service', { skip }, () => {
  const path = join(temporaryFolder('owner'), 'keyring.json');
  writeKeyringFile(path, firstKey());
  chownSync(path, USER, GROUP);
  const next = new NextKeyringFile(path);
  for (const id of [2, 3]) next.write(addKey(readKeyringFile(path) ?? [], id));
  assert.deepEqual([...ownerOf(path), statSync(path).mode & 0o777], [USER, GROUP, 0o600]);
  assert.equal(readKeyringFile(path)?.length, 3);
});

test('root restores a store, and it still belongs to the user of the service', { skip }, async () => {
  const folder = temporaryFolder('owner');
  const [path, copy] = [join(folder, 'tessera.db'), join(folder, 'copy.db')];
  for (const each of [path, copy]) await (await openSqliteStore({ path: each, clock: systemClock.now })).close();
  chownSync(path, USER, GROUP);
  await restore(copy, path, async () => undefined);
  assert.deepEqual(ownerOf(path), [USER, GROUP]);
});

test('a user who may not keep the owner changes nothing; the group alone is no obstacle', { skip }, (t) => {
  const folder = temporaryFolder('owner');
  const path = join(folder, 'keyring.json');
  writeKeyringFile(path, firstKey());
  const before = readFileSync(path);
  chownSync(path, USER, GROUP);
  chownSync(folder, USER + 1, 0);
  const file = openSync(join(folder, 'other'), 'w');
  process.seteuid?.(USER + 1);
  t.after(() => process.seteuid?.(0));
  assert.throws(() => new NextKeyringFile(path), { code: 'EPERM', path });
  process.seteuid?.(0);
  assert.deepEqual(readdirSync(folder).toSorted(), ['keyring.json', 'other']);
  assert.deepEqual(readFileSync(path), before);
  chownSync(path, 0, GROUP);
  process.seteuid?.(USER + 1);
  keepOwner(file, path);
});

test('a keyring of another user is read by that user alone', { skip }, (t) => {
  const path = join(temporaryFolder('owner'), 'keyring.json');
  writeKeyringFile(path, firstKey());
  process.seteuid?.(USER);
  t.after(() => process.seteuid?.(0));
  assert.throws(() => readKeyringFile(path), /cannot be read \(EACCES\)\. Run this as the user that owns it\.$/);
});

test('a link to a keyring stays a link', () => {
  const folder = temporaryFolder('link');
  const [path, link] = [join(folder, 'keyring.json'), join(folder, 'link.json')];
  writeKeyringFile(path, firstKey());
  symlinkSync(path, link);
  writeKeyringFile(link, addKey(firstKey(), 2));
  assert.equal(readKeyringFile(path)?.length, 2);
  assert.deepEqual(readdirSync(folder).toSorted(), ['keyring.json', 'link.json']);
});

test('what an interrupted change has reserved is removed', () => {
  const path = join(temporaryFolder('reserved'), 'keyring.json');
  writeKeyringFile(path, firstKey());
  const next = new NextKeyringFile(path);
  assert.ok(statSync(`${path}.new`).size > statSync(path).size);
  next.discard();
  assert.deepEqual(readdirSync(join(path, '..')), ['keyring.json']);
});
