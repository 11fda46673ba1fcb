// The WAL of a busy store.
// Only in test:all: long property runs
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import { test } from 'node:test';
import workerThreads, { type Worker } from 'node:worker_threads';
import { storeOf } from '../../src/store/change.ts';
import { listContents } from '../../src/store/tables/revocation-lists.ts';
import { NOW } from '../samples.ts';
import { increment, put } from './conformance/rows.ts';
import { sqliteDatabase } from './sqlite-database.ts';

test('SQLite: a thread checkpoints the WAL under long load, and is replaced if it dies', async (t) => {
  const threads: Worker[] = [];
  const notice = (message: unknown) => threads.push((message as { worker: Worker }).worker);
  subscribe('worker_threads', notice);
  await using database = await sqliteDatabase();
  t.after(async () => {
    unsubscribe('worker_threads', notice);
  });
  const backEnd = await database.open();
  const store = storeOf(backEnd);
  const load = async (changes: number) => {
    for (let n = 0; n < changes; n += 100)
      await Promise.all(Array.from({ length: 100 }, (_, at) => increment(store, `${n}-${at}`)));
  };
  await load(5000);
  assert.equal(threads.length, 1);
  await threads[0]?.terminate();
  await load(5000);
  assert.equal(threads.length, 2);
  await load(20_000);
  assert.ok(statSync(`${database.path}-wal`).size < 40e6, 'the WAL began anew');
  await backEnd.close();
  assert.deepEqual(
    readdirSync(database.folder),
    [basename(database.path)],
    'closing leaves no WAL: the thread has ended',
  );
});

test('SQLite: what was committed is no fault because no thread can be started for a checkpoint', async (t) => {
  const started = t.mock.method(workerThreads, 'Worker', function none() {
    throw new Error('as where the limit on threads is reached');
  });
  syncBuiltinESMExports();
  t.after(() => {
    started.mock.restore();
    syncBuiltinESMExports();
  });
  await using database = await sqliteDatabase();
  const store = storeOf(await database.open());
  for (const size of [17, 18]) {
    const contents = Buffer.alloc(size * 2 ** 20, 1);
    await put(store, listContents, { url: 'http://lists.test/', fetchedAt: NOW, contents });
  }
  assert.equal(started.mock.callCount(), 2, 'it is tried again');
});
