// Continuous backups of a SQLite store: nothing committed is missing, and damage is found.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { listSeries, readRecords, removeOld, segmentPath } from '../../src/store/sqlite/continuous/archive.ts';
import { type FollowOptions, followStore } from '../../src/store/sqlite/continuous/follow.ts';
import { rebuild } from '../../src/store/sqlite/continuous/rebuild.ts';
import { WalFollower } from '../../src/store/sqlite/continuous/wal-follower.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { systemClock } from '../../src/system.ts';
import { temporaryFolder } from '../temporary-folder.ts';

interface Field {
  readonly store: string;
  readonly archive: string;
  readonly rebuilt: string;
  /** Writes beside the follower, as a service does. */
  readonly writer: DatabaseSync;
}

function inField(work: (field: Field) => Promise<void>): () => Promise<void> {
  return async () => {
    const folder = temporaryFolder('continuous');
    mkdirSync(join(folder, 'archive'));
    const store = join(folder, 'tessera.db');
    await (await openSqliteStore({ path: store, clock: systemClock.now })).close();
    const writer = new DatabaseSync(store, { timeout: 5000 });
    writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE numbers (number INTEGER PRIMARY KEY, filler BLOB)');
    try {
      await work({ store, archive: join(folder, 'archive'), rebuilt: join(folder, 'rebuilt.db'), writer });
    } finally {
      writer.close();
      rmSync(folder, { recursive: true });
    }
  };
}

function write({ writer }: Field, from: number, count: number, bytes = 10): void {
  const insert = writer.prepare('INSERT INTO numbers VALUES (?, zeroblob(?))');
  for (let number = from; number < from + count; number++) insert.run(number, bytes);
}

function follow({ store, archive }: Field, difference: Partial<FollowOptions> = {}) {
  const stopping = new AbortController();
  const began = Promise.withResolvers<void>();
  const ended = followStore({
    store,
    archive,
    milliseconds: systemClock.milliseconds,
    keepMs: 1e9,
    seriesMs: 1e9,
    segmentMs: 1e9,
    onComplete: () => undefined,
    onSeries: () => began.resolve(),
    signal: stopping.signal,
    ...difference,
  });
  const stop = () => {
    stopping.abort();
    return ended;
  };
  return { began: Promise.race([began.promise, ended]), stop };
}

function countIn(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const count = Number(database.prepare('SELECT count(*) AS n FROM numbers').get()?.['n']);
  database.close();
  return count;
}

suite('a continuous backup', () => {
  test(
    'has every commit, also when the WAL was started over many times',
    inField(async (field) => {
      const following = follow(field);
      await following.began;
      for (let round = 0; round < 6; round++) {
        write(field, round * 100, 100, 40_000); // about 1100 frames
        await pause(60);
      }
      const wal = statSync(`${field.store}-wal`).size;
      await following.stop();
      await rebuild(field.archive, undefined, field.rebuilt);
      assert.equal(countIn(field.rebuilt), 600);
      assert.ok(wal < 40 * 2 ** 20, `the WAL does not grow without bound: ${wal} bytes`);
    }),
  );

  test(
    'restores each moment that it recorded',
    inField(async (field) => {
      const following = follow(field);
      await following.began;
      const moments: number[] = [];
      for (let round = 0; round < 5; round++) {
        write(field, round * 10, 10);
        await pause(200);
        moments.push(systemClock.milliseconds());
        await pause(20);
      }
      await following.stop();
      for (const [round, moment] of moments.entries()) {
        await rebuild(field.archive, moment, field.rebuilt);
        assert.equal(countIn(field.rebuilt), (round + 1) * 10);
      }
      await assert.rejects(rebuild(field.archive, 1, field.rebuilt), /the backup begins at 20/);
    }),
  );

  test(
    'goes on with its series after a stop if nothing was missed, and begins a new one otherwise',
    inField(async (field) => {
      const first = follow(field);
      await first.began;
      write(field, 0, 10);
      await first.stop();
      write(field, 10, 10);
      const second = follow(field);
      await second.began;
      await second.stop();
      assert.equal(listSeries(field.archive).length, 1);
      field.writer.exec('PRAGMA wal_checkpoint(RESTART)');
      write(field, 20, 10);
      const third = follow(field);
      await third.began;
      await third.stop();
      assert.equal(listSeries(field.archive).length, 2);
      await rebuild(field.archive, undefined, field.rebuilt);
      assert.equal(countIn(field.rebuilt), 30);
    }),
  );

  test(
    'ignores a record that was being written, and reports damaged and missing ones',
    inField(async (field) => {
      const following = follow(field, { segmentMs: 0 });
      await following.began;
      for (let round = 0; round < 3; round++) {
        write(field, round * 10, 10);
        await pause(150);
      }
      await following.stop();
      const [series] = listSeries(field.archive);
      assert.ok(series);
      assert.ok([...readRecords(series)].length >= 3);
      const [first, last] = [segmentPath(series, 1), segmentPath(series, 3)];
      const whole = readFileSync(last);
      writeFileSync(last, whole.subarray(0, whole.length - 1));
      await rebuild(field.archive, undefined, field.rebuilt);
      assert.equal(countIn(field.rebuilt), 20);
      whole[whole.length - 1] = (whole.at(-1) ?? 0) ^ 1;
      writeFileSync(last, whole);
      await assert.rejects(rebuild(field.archive, undefined, field.rebuilt), /damaged or out of order/);
      rmSync(first);
      await assert.rejects(rebuild(field.archive, undefined, field.rebuilt), /000001\.pages is missing/);
    }),
  );

  test(
    'begins new series, reports each complete file, and removes series that nobody needs',
    inField(async (field) => {
      const complete: string[] = [];
      const options = { seriesMs: 200, segmentMs: 100, onComplete: (path: string) => void complete.push(path) };
      const following = follow(field, options);
      await following.began;
      for (let round = 0; round < 6; round++) {
        write(field, round * 10, 10);
        await pause(120);
      }
      await following.stop();
      const before = listSeries(field.archive);
      assert.ok(before.length >= 3);
      const files = before.flatMap(({ folder }) => readdirSync(folder).map((name) => join(folder, name)));
      assert.deepEqual(complete.toSorted(), files.toSorted());
      const [first, second, third] = before;
      assert.ok(first && second && third);
      removeOld(field.archive, third.base.to);
      assert.deepEqual(listSeries(field.archive)[0]?.folder, second.folder, 'the moments before the third need it');
      await rebuild(field.archive, undefined, field.rebuilt);
      assert.equal(countIn(field.rebuilt), 60);
    }),
  );

  test(
    'never waits for a writer that waits for its read transaction',
    inField(async (field) => {
      const follower = new WalFollower(field.store);
      field.writer.exec('BEGIN IMMEDIATE');
      assert.equal(follower.empty(), undefined);
      field.writer.exec('COMMIT');
      assert.ok(follower.empty());
      follower.close();
    }),
  );
});
