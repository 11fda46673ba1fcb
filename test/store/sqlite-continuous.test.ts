// Continuous backups of a SQLite store: nothing committed is missing, and damage is found.
// Only in test:all: processes that are killed, and disks that are full
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { listSeries, readRecords, removeOld, segmentPath } from '../../src/store/sqlite/continuous/archive.ts';
import { rebuild } from '../../src/store/sqlite/continuous/rebuild.ts';
import { WalFollower } from '../../src/store/sqlite/continuous/wal-follower.ts';
import { systemClock } from '../../src/system.ts';
import { countIn, follow, inField, write } from './continuous-field.ts';

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
    'and what is restored from it are readable by their owner only',
    inField(async (field) => {
      const following = follow(field);
      await following.began;
      write(field, 0, 1);
      await following.stop();
      await rebuild(field.archive, undefined, field.rebuilt);
      const entries = readdirSync(field.archive, { recursive: true, withFileTypes: true });
      const files = entries.filter((each) => each.isFile()).map(({ name, parentPath }) => join(parentPath, name));
      assert.deepEqual(files.map((file) => extname(file)).sort(), ['.db', '.json', '.lock', '.pages']);
      for (const file of [...files, field.rebuilt]) assert.equal(statSync(file).mode & 0o777, 0o600, file);
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

  for (const how of ['goes on with its series', 'must begin a new series'])
    test(
      `gives no older state for a moment at which it was not followed: the follower ${how}`,
      inField(async (field) => {
        let offset = 0;
        const milliseconds = () => systemClock.milliseconds() + offset;
        const first = follow(field, { milliseconds });
        await first.began;
        write(field, 0, 10);
        await pause(100);
        offset += 60_000; // nothing happens for a minute
        const idle = milliseconds() - 30_000;
        await pause(100);
        const stopped = milliseconds();
        await first.stop();
        await pause(300);
        write(field, 10, 10);
        const soon = milliseconds();
        offset += 600_000;
        const dead = milliseconds();
        offset += 600_000;
        if (how === 'must begin a new series') {
          field.writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
          write(field, 1000, 1);
        }
        const second = follow(field, { milliseconds });
        await second.began;
        const back = milliseconds();
        await pause(100);
        await second.stop();

        const restored = async (moment: number) => {
          await rebuild(field.archive, moment, field.rebuilt);
          return countIn(field.rebuilt);
        };
        assert.equal(await restored(idle), 10);
        assert.equal(await restored(stopped), 10);
        for (const moment of [soon, dead, stopped + 5_000, back - 5_000]) {
          const why = await restored(moment).then(String, ({ message }: Error) => message);
          assert.match(why, /was not followed from 20.* to 20|the backup ends at 20/);
          const [before = '', after] = why.match(/20[\d-]+T[\d:.]+Z/g) ?? [];
          assert.equal(await restored(Date.parse(before)), 10, 'the moments that it suggests are accepted');
          if (after) assert.ok((await restored(Date.parse(after))) >= 20);
        }
        assert.ok((await restored(back + 100)) >= 20);
        await assert.rejects(restored(back + 100_000), /the backup ends at 20.* leave --at out/);
      }),
    );

  test(
    'restores each moment also while a new series begins, which takes a copy of the store',
    inField(async (field) => {
      write(field, 0, 25, 4_000_000);
      field.writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      let [offset, series] = [0, 0];
      const milliseconds = () => systemClock.milliseconds() + offset;
      const onSeries = () => {
        series += 1;
      };
      const following = follow(field, { milliseconds, seriesMs: 3_600_000, onSeries });
      while (series === 0) await pause(10);
      const moments: { readonly moment: number; readonly written: number }[] = [];
      offset = 3_600_000; // the next series is due
      await pause(100);
      for (let written = 25; series === 1; written++) {
        write(field, written, 1);
        moments.push({ moment: milliseconds(), written: written + 1 });
        offset += 150; // a copy that takes seconds
        await pause(25);
      }
      await following.stop();
      assert.equal(listSeries(field.archive).length, 2);
      for (const { moment, written } of moments.filter((_, index) => index % 4 === 0)) {
        await rebuild(field.archive, moment, field.rebuilt);
        const found = countIn(field.rebuilt);
        assert.ok(found <= written && found >= written - 6, `${found} of ${written}`);
      }
    }),
  );

  test(
    'notices every flipped byte of base.json',
    inField(async (field) => {
      const following = follow(field);
      await following.began;
      await following.stop();
      const [series] = listSeries(field.archive);
      const path = join(series?.folder ?? '', 'base.json');
      const text = readFileSync(path);
      for (let at = 0; at < text.length; at++)
        for (const bit of [1, 2, 16, 128]) {
          const damaged = Buffer.from(text);
          damaged[at] = (damaged[at] ?? 0) ^ bit;
          writeFileSync(path, damaged);
          assert.throws(() => listSeries(field.archive), /base\.json is damaged/, `byte ${at}, bit ${bit}`);
        }
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
      rmSync(segmentPath(series, 4)); // says that the follower was stopped
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
      removeOld(field.archive, third.base.to, 1);
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
