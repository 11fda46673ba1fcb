// When a continuous backup writes what, and which moments can be restored, at the edges. The clock, the WAL and the records are the test's own.
// Own process: it changes calls of node:fs.
import assert from 'node:assert/strict';
import fs, { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import {
  basePath,
  baseText,
  hashOfFile,
  readRecords,
  type Series,
  segmentNumbers,
  segmentPath,
} from '../../src/store/sqlite/continuous/archive.ts';
import { rebuild } from '../../src/store/sqlite/continuous/rebuild.ts';
import { decodeRecords, encodeRecord } from '../../src/store/sqlite/continuous/records.ts';
import { SeriesWriter } from '../../src/store/sqlite/continuous/series-writer.ts';
import type { WalFollower } from '../../src/store/sqlite/continuous/wal-follower.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { type Field, inField } from './continuous-field.ts';

const POSITION = { salts: '00', frames: 0, checksum: [0, 0] } as const;
const NOTHING = { position: POSITION, pages: new Map<number, Buffer>(), databasePages: undefined };
const PAGE = { ...NOTHING, pages: new Map([[1, Buffer.alloc(512)]]), databasePages: 1 };
const BASE = { from: 0, to: 0, position: POSITION, pageSize: 512, hash: 'base' };

function replace<Name extends 'fdatasyncSync' | 'writeFileSync'>(t: TestContext, name: Name, by: (typeof fs)[Name]) {
  const { mock } = t.mock.method(fs, name, by as never);
  syncBuiltinESMExports();
  t.after(() => {
    mock.restore();
    syncBuiltinESMExports();
  });
  return mock;
}

suite('the writer of a series', () => {
  function writing(t: TestContext, { seriesMs = 1e12, segmentMs = 1e12 } = {}) {
    let [clock, now] = [1_000, 0];
    t.mock.method(performance, 'now', () => now);
    const series: Series = { folder: temporaryFolder('series'), base: { ...BASE, to: clock, store: 'tessera.db' } };
    const state = { committed: [] as (typeof PAGE)[], rest: undefined as typeof PAGE | undefined, emptied: 0 };
    const follower = {
      position: POSITION,
      get isLong() {
        return state.rest !== undefined;
      },
      read: () => state.committed.shift() ?? NOTHING,
      empty: () => {
        state.emptied += 1;
        return state.rest;
      },
    };
    const complete: string[] = [];
    const writer = new SeriesWriter(
      series,
      follower as unknown as WalFollower,
      { from: 500, position: POSITION, hash: 'base', databasePages: 1 },
      { milliseconds: () => clock, seriesMs, segmentMs, onComplete: (path) => void complete.push(path) },
    );
    /** Time goes by, and the WAL is read. `jump`: of the clock alone. */
    const step = (milliseconds: number, jump = 0) => {
      now += milliseconds;
      clock += milliseconds + jump;
      writer.step();
    };
    const records = () => [...readRecords(series)].map(({ head }) => [head.since, head.from, head.to]);
    return { writer, series, state, complete, step, records };
  }

  test('says that the next one is due after its time, or when the clock was put back by more than a minute', (t) => {
    const { writer, step } = writing(t, { seriesMs: 5_000 });
    const due = [[4_999], [1], [0, -65_000], [0, -1]].map(([milliseconds = 0, jump]) => {
      step(milliseconds, jump);
      return writer.isDue;
    });
    assert.deepEqual(due, [false, true, false, true]);
  });

  test('records every ten seconds that nothing happened, and between which moments a commit was made', (t) => {
    const { state, step, records } = writing(t);
    step(9_999);
    state.committed.push(PAGE);
    step(0);
    assert.deepEqual(records(), [[10_999, 10_999, 10_999]]);
    step(9_999);
    assert.equal(records().length, 1);
    step(1);
    assert.deepEqual(records().at(-1), [20_999, 20_999, 20_999]);
  });

  test('empties a long WAL, and records what was committed meanwhile', (t) => {
    const { state, step, records } = writing(t);
    step(1);
    assert.equal(state.emptied, 0);
    state.rest = PAGE;
    step(1);
    assert.deepEqual([state.emptied, records().length], [1, 1]);
  });

  test('syncs what it wrote once a second, and nothing else', (t) => {
    const { state, step } = writing(t);
    const syncs = replace(t, 'fdatasyncSync', () => undefined);
    for (const [milliseconds, commits, expected] of [
      [1_000, 0, 0],
      [1, 1, 1],
      [500, 0, 1],
      [498, 1, 1],
      [1, 0, 1],
      [1, 0, 2],
      [5_000, 0, 2],
    ] as const) {
      if (commits > 0) state.committed.push(PAGE);
      step(milliseconds);
      assert.equal(syncs.callCount(), expected);
    }
  });

  test('completes a segment after its time since something changed, or in an hour', (t) => {
    const { series, state, complete, step } = writing(t, { segmentMs: 60_000 });
    state.committed.push(PAGE);
    step(0);
    step(59_999);
    assert.deepEqual(complete, []);
    step(1);
    assert.deepEqual(complete, [segmentPath(series, 1)]);
    step(10_000); // a mark opens the next one
    step(3_599_999);
    assert.equal(complete.length, 1);
    step(1);
    assert.deepEqual(complete.slice(1), [segmentPath(series, 2)]);
  });

  test('leaves no half of a record behind that could not be written', (t) => {
    const { series, state, step, records } = writing(t);
    state.committed.push(PAGE);
    step(0);
    const whole = readFileSync(segmentPath(series, 1));
    const { writeFileSync: write } = fs;
    const mock = replace(t, 'writeFileSync', (file, bytes) => {
      write(file, (bytes as Buffer).subarray(0, 10));
      throw new Error('the disk is full');
    });
    state.committed.push(PAGE);
    assert.throws(() => step(1), /the disk is full/);
    mock.restore();
    syncBuiltinESMExports();
    assert.deepEqual(readFileSync(segmentPath(series, 1)), whole);
    state.committed.push(PAGE);
    step(1);
    assert.equal(records().length, 2);
  });
});

test('segments are read in the order of their numbers', () => {
  const folder = temporaryFolder('segments');
  const numbers = [1_000_000, 2, 999_999, 10, 1];
  for (const number of numbers) writeFileSync(segmentPath({ folder }, number), '');
  assert.deepEqual(segmentNumbers({ folder }), [1, 2, 10, 999_999, 1_000_000]);
});

test('four bytes that begin no record are damage, three may be the beginning of one', () => {
  const read = (...bytes: number[]) => [...decodeRecords(Buffer.from(bytes), 512, '')];
  assert.deepEqual(read(0x7f, 0, 0), []);
  assert.throws(() => read(0x7f, 0, 0, 0), /no record at byte 0/);
});

suite('a moment can be restored', () => {
  /** A series that begins at 10:00:00.000 UTC and has a record, without pages, from and until each of these milliseconds later. */
  async function seriesOf(field: Field, records: readonly (readonly [since: number, to: number])[]) {
    const began = Date.UTC(2026, 0, 1, 10);
    field.writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const folder = join(field.archive, '20260101T100000000Z');
    mkdirSync(folder);
    copyFileSync(field.store, basePath(folder));
    const hash = await hashOfFile(basePath(folder));
    const base = { ...BASE, from: began, to: began, pageSize: 4096, hash, store: field.store };
    writeFileSync(join(folder, 'base.json'), baseText(base));
    const databasePages = readFileSync(field.store).length / 4096;
    let last = hash;
    const written = records.map(([since, to]) => {
      const moments = { since: began + since, from: began + since, to: began + to };
      const record = encodeRecord({ ...NOTHING, databasePages }, moments, last);
      last = record.hash;
      return record.bytes;
    });
    writeFileSync(segmentPath({ folder }, 1), Buffer.concat(written));
    return (after: number) =>
      rebuild(field.archive, began + after, field.rebuilt).then(
        ({ to }) => to - began,
        ({ message }: Error) => message.replaceAll('2026-01-01T10:', '').replaceAll('.000Z', ''),
      );
  }

  test(
    'while the follower ran, that is if the next record followed within a second',
    inField(async (field) => {
      const restore = await seriesOf(field, [
        [0, 1_000],
        [1_000, 2_000],
        [2_000, 3_001],
      ]);
      assert.deepEqual([await restore(0), await restore(999)], [0, 0]);
      assert.deepEqual([await restore(1_000), await restore(1_500)], [1_000, 1_000]);
      assert.equal(await restore(2_100), 2_000, 'a tenth of a second later');
      assert.match(String(await restore(2_101)), /was not followed from 00:02 to 00:03\.001Z/);
      assert.equal(await restore(3_101), 3_001);
      assert.match(String(await restore(3_102)), /the backup ends at 00:03\.001Z/);
    }),
  );

  test(
    'not from the series before, if a damaged one begins at the same millisecond: that would be an older state',
    inField(async (field) => {
      const restore = await seriesOf(field, [[0, 1_000]]);
      const damaged = join(field.archive, '20260101T100001000Z');
      mkdirSync(damaged);
      writeFileSync(join(damaged, 'base.json'), '{');
      assert.equal(await restore(999), 0);
      assert.match(String(await restore(1_000)), /20260101T100001000Z/);
    }),
  );
});
