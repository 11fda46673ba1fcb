// What a continuous backup reads of a WAL.
import assert from 'node:assert/strict';
import { closeSync, copyFileSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PAGE_SIZE } from '../../src/store/sqlite/connection.ts';
import { isContinuation, readCommitted, readWalStart } from '../../src/store/sqlite/continuous/wal-frames.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { countIn, inField, write } from './continuous-field.ts';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const FRAME_BYTES = FRAME_HEADER_BYTES + PAGE_SIZE;
const COMMITS = 3;

function inWal<T>(path: string, work: (wal: number) => T): T {
  const wal = openSync(path, 'r');
  try {
    return work(wal);
  } finally {
    closeSync(wal);
  }
}

function committedIn(path: string) {
  return inWal(path, (wal) => {
    const start = readWalStart(wal);
    return start && readCommitted(wal, start);
  });
}

test(
  'of a damaged WAL, the commits are read that SQLite recovers, whichever octet of a header it is',
  inField(async (field) => {
    field.writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    write(field, 0, COMMITS, PAGE_SIZE); // several frames each
    const [copy, whole] = [`${field.rebuilt}-wal`, readFileSync(`${field.store}-wal`)];
    copyFileSync(field.store, field.rebuilt);
    const frames = (whole.length - HEADER_BYTES) / FRAME_BYTES;
    assert.ok(frames > COMMITS && frames % COMMITS === 0);
    const compare = (wal: Buffer, what: string) => {
      writeFileSync(copy, wal);
      rmSync(`${field.rebuilt}-shm`, { force: true });
      const read = committedIn(copy)?.position.frames ?? 0;
      assert.equal((read * COMMITS) / frames, countIn(field.rebuilt), what);
    };
    compare(whole, 'not damaged');
    const heads = Array.from({ length: frames }, (_, frame) => HEADER_BYTES + frame * FRAME_BYTES);
    for (const head of [0, ...heads])
      for (let at = head; at < head + (head === 0 ? HEADER_BYTES : FRAME_HEADER_BYTES); at++)
        compare(whole.with(at, (whole[at] ?? 0) ^ 1) as Buffer, `octet ${at}`);
  }),
);

test(
  'a WAL that lacks a frame that was read is not continued',
  inField(async (field) => {
    write(field, 0, COMMITS);
    const path = `${field.store}-wal`;
    const { position } = committedIn(path) ?? assert.fail();
    const isContinued = (wal: number) => isContinuation(wal, position);
    assert.equal(inWal(path, isContinued), true);
    const copy = `${field.rebuilt}-wal`;
    writeFileSync(copy, readFileSync(path).subarray(0, -FRAME_BYTES));
    assert.equal(inWal(copy, isContinued), false);
  }),
);

test('a WAL of zeros, as after a power cut, has no header', () => {
  const path = join(temporaryFolder('wal'), 'wal');
  writeFileSync(path, Buffer.alloc(HEADER_BYTES + FRAME_BYTES));
  assert.equal(committedIn(path), undefined);
});
