// What is on the disk, and when: each step of a refresh is synced before the next one relies on it.
// Own process: it watches node:fs
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileStore } from '../../../sdk/client/src/store/file-store.ts';
import { fileFor } from './token-file.ts';

/** What is done to open files, by their names. */
function watch(t: TestContext, folder: string): string[] {
  const steps: string[] = [];
  const names = new Map<number, string>();
  const { openSync, writeSync, fsyncSync, renameSync, ftruncateSync } = fs;
  const spy = (name: 'openSync' | 'writeSync' | 'fsyncSync' | 'renameSync' | 'ftruncateSync', work: unknown) =>
    t.mock.method(fs, name, work as never);
  spy('openSync', (path: string, ...more: [number]) => {
    const file = openSync(path, ...more);
    names.set(file, path === folder ? 'the folder' : basename(path));
    return file;
  });
  spy('writeSync', (file: number, bytes: Buffer, ...more: [number, number, number]) => {
    steps.push(`write ${bytes.length} bytes to ${names.get(file)}`);
    return writeSync(file, bytes, ...more);
  });
  spy('fsyncSync', (file: number) => {
    steps.push(`sync ${names.get(file)}`);
    fsyncSync(file);
  });
  spy('renameSync', (from: string, to: string) => {
    steps.push(`rename ${basename(from)} to ${basename(to)}`);
    renameSync(from, to);
  });
  spy('ftruncateSync', (file: number, length: number) => {
    steps.push(`cut ${names.get(file)}`);
    ftruncateSync(file, length);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  return steps;
}

test('a refresh reserves its space, records the token and replaces the pair, each on the disk before the next', async (t) => {
  const file = fileFor(t);
  const held = await fileStore(file).lock();
  assert.ok(held);
  const steps = watch(t, dirname(file));
  await held.reserve();
  assert.deepEqual(steps.splice(0), [
    ...['write 32768 bytes to tokens.json.next', 'sync tokens.json.next'],
    ...['write 256 bytes to tokens.json.presented', 'sync tokens.json.presented', 'sync the folder'],
  ]);
  await held.present('R1', 1);
  await held.present('R1', 2);
  assert.equal(await held.presentedSince('R1'), 1, 'the first time counts');
  assert.deepEqual(steps.splice(0), ['write 256 bytes to tokens.json.presented', 'sync tokens.json.presented']);
  await held.reserve();
  assert.equal(steps.splice(0).join(), 'write 32768 bytes to tokens.json.next,sync tokens.json.next,sync the folder');
  const owner = { server: 'https://tokens.example', clientId: 'sync', accessToken: 'A1', scope: '' };
  await held.save({ ...owner, obtainedAt: 1, expiresAt: 2 });
  assert.deepEqual(steps.splice(0), [
    ...['write 144 bytes to tokens.json.next', 'sync tokens.json.next', 'rename tokens.json.next to tokens.json'],
    ...['sync the folder', 'cut tokens.json.next'],
  ]);
  await held.clear();
  assert.deepEqual(steps, ['sync the folder']);
  await held.release();
});
