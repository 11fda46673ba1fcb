// Continuous backups when something goes wrong: damaged files, a clock that jumps, a full disk, a second follower.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { listSeries, removeOld, type Series, segmentPath } from '../../src/store/sqlite/continuous/archive.ts';
import { rebuild } from '../../src/store/sqlite/continuous/rebuild.ts';
import { systemClock } from '../../src/system.ts';
import { countIn, type Field, follow, inField, write } from './continuous-field.ts';

const HOUR_MS = 3_600_000;

/** Follows while `rounds` times ten rows are written, each with a record of its own. */
async function recordRounds(field: Field, first: number, rounds: number): Promise<Series> {
  const following = follow(field);
  await following.began;
  for (let round = first; round < first + rounds; round++) {
    write(field, round * 10, 10);
    await sleep(150);
  }
  await following.stop();
  const series = listSeries(field.archive).at(-1);
  assert.ok(series);
  return series;
}

/** Two writes, the second at the start of the WAL: a follower that was stopped before them has missed the first. */
function startWalOver(field: Field, first: number): void {
  write(field, first, 1);
  field.writer.exec('PRAGMA wal_checkpoint(RESTART)');
  write(field, first + 1, 1);
}

async function newest(field: Field): Promise<number> {
  await rebuild(field.archive, undefined, field.rebuilt);
  return countIn(field.rebuilt);
}

suite('a damaged continuous backup', () => {
  test(
    'is not taken for one that was being written',
    inField(async (field) => {
      const path = segmentPath(await recordRounds(field, 0, 3), 1);
      const whole = readFileSync(path);
      const sound = whole.subarray(0, whole.lastIndexOf('{"from"') - 4); // the last record says that the follower was stopped
      const headBytes = sound.readUInt32BE(0);
      const damages: Record<string, (bytes: Buffer) => void> = {
        'length of the head': (bytes) => bytes.writeUInt32BE(0x7f000000 | headBytes, 0),
        'head that is no JSON': (bytes) => bytes.fill(0, 4, 20),
        'length of the body': (bytes) => bytes.write('9', bytes.indexOf('"bytes":') + 8),
      };
      for (const [what, damage] of Object.entries(damages)) {
        const bytes = Buffer.from(sound);
        damage(bytes);
        writeFileSync(path, bytes);
        await assert.rejects(newest(field), /000001\.pages is damaged/, what);
      }
      for (const cut of [1, 3, 100, headBytes, headBytes + 10]) {
        writeFileSync(path, sound.subarray(0, sound.length - cut));
        assert.ok((await newest(field)) < 30, 'what is complete can be restored');
      }
    }),
  );

  test(
    'does not stop the follower: it begins a new series',
    inField(async (field) => {
      const series = await recordRounds(field, 0, 2);
      for (const [name, content] of [
        ['000001.pages', Buffer.alloc(100, 1)],
        ['base.json', Buffer.from('{"from":1')],
      ] as const) {
        writeFileSync(join(series.folder, name), content);
        const damages: string[] = [];
        const again = follow(field, { onDamage: (why) => void damages.push(why) });
        await again.began;
        await again.stop();
        assert.match(damages.join(), new RegExp(`${name} is damaged`));
        assert.equal(await newest(field), 20);
        const [, ...later] = readdirSync(field.archive).filter((entry) => /^\d/.test(entry));
        for (const entry of later) rmSync(join(field.archive, entry), { recursive: true });
      }
    }),
  );

  test(
    'gives no older state than was asked for',
    inField(async (field) => {
      const first = await recordRounds(field, 0, 1);
      const moment = systemClock.milliseconds();
      await sleep(5);
      startWalOver(field, 1000);
      const second = await recordRounds(field, 1, 1);
      assert.notEqual(second.folder, first.folder);
      writeFileSync(join(second.folder, 'base.json'), '');
      await assert.rejects(newest(field), /base\.json is damaged/);
      await rebuild(field.archive, moment, field.rebuilt);
      assert.equal(countIn(field.rebuilt), 10);
      rmSync(join(first.folder, 'base.db'));
      await assert.rejects(rebuild(field.archive, moment, field.rebuilt), /base\.db is missing/);
    }),
  );
});

suite('a continuous backup with a clock that jumps', () => {
  test(
    'restores the newest state although the clock was put back',
    inField(async (field) => {
      let offset = 0;
      const milliseconds = () => systemClock.milliseconds() + offset;
      const following = follow(field, { milliseconds, segmentMs: 100 });
      await following.began;
      write(field, 0, 10);
      await sleep(200);
      offset = -HOUR_MS;
      write(field, 10, 10);
      await sleep(400);
      const ofFirst = readdirSync(listSeries(field.archive)[0]?.folder ?? '');
      assert.ok(ofFirst.includes('000001.pages'), 'segments are complete by time that passed, not by the clock');
      const moment = milliseconds();
      await following.stop();
      assert.equal(listSeries(field.archive).length, 2, 'it begins a new series');
      assert.equal(await newest(field), 20);
      await rebuild(field.archive, moment, field.rebuilt);
      assert.equal(countIn(field.rebuilt), 20);
    }),
  );

  test(
    'restores what was committed while the clock was ahead',
    inField(async (field) => {
      let offset = 0;
      const following = follow(field, { milliseconds: () => systemClock.milliseconds() + offset });
      await following.began;
      for (const [round, ahead] of [0, 1000, 0].entries()) {
        offset = ahead;
        write(field, round * 10, 10);
        await sleep(150);
      }
      const moment = systemClock.milliseconds();
      await following.stop();
      await rebuild(field.archive, moment, field.rebuilt);
      assert.equal(countIn(field.rebuilt), 30);
    }),
  );

  test(
    'keeps old series until there are enough new ones',
    inField(async (field) => {
      for (const round of [0, 1, 2]) {
        await recordRounds(field, round, 1);
        startWalOver(field, 1000 + 10 * round);
        await sleep(5);
      }
      const future = systemClock.milliseconds() + 1000 * HOUR_MS;
      assert.equal(removeOld(field.archive, future, 3), 0);
      assert.equal(removeOld(field.archive, future, 2), 1);
    }),
  );
});

suite('the folder of a continuous backup', () => {
  test(
    'is left clean by a series that could not begin, or was killed',
    inField(async (field) => {
      mkdirSync(join(field.archive, '20200101T000000000Z'));
      writeFileSync(join(field.archive, '20200101T000000000Z/base.db'), 'killed');
      const failing = follow(field, {
        onComplete: () => {
          throw new Error('the disk is full');
        },
      });
      await assert.rejects(failing.began, /the disk is full/);
      assert.deepEqual(
        readdirSync(field.archive).filter((name) => /^\d/.test(name)),
        [],
      );
    }),
  );

  test(
    'has one follower at a time, of one store',
    inField(async (field) => {
      const first = follow(field);
      await first.began;
      await assert.rejects(follow(field).began, /another follower writes to/);
      await first.stop();
      const other = join(field.archive, '../other.db');
      field.writer.exec(`VACUUM INTO '${other}'`);
      assert.ok(existsSync(other));
      await assert.rejects(follow({ ...field, store: other }).began, /is the backup of .*tessera\.db/);
    }),
  );
});
