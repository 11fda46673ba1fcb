// What a continuous backup reads of a WAL.
import assert from 'node:assert/strict';
import { closeSync, copyFileSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isContinuation, readCommitted, readWalStart } from '../../src/store/sqlite/continuous/wal-frames.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { countIn, inField, write } from './continuous-field.ts';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const FRAME_BYTES = FRAME_HEADER_BYTES + 4096;
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

/** With the checksums that SQLite writes on other machines; it reads both. */
function asBigEndian(little: Buffer): Buffer {
  const wal = Buffer.from(little);
  let [first, second] = [0, 0];
  const add = (from: number, to: number) => {
    for (let at = from; at < to; at += 8) {
      first = (first + wal.readUInt32BE(at) + second) >>> 0;
      second = (second + wal.readUInt32BE(at + 4) + first) >>> 0;
    }
  };
  const write = (at: number) => wal.writeUInt32BE(second, wal.writeUInt32BE(first, at));
  wal.writeUInt32BE(0x377f0683, 0);
  add(0, 24);
  write(24);
  for (let head = HEADER_BYTES; head < wal.length; head += FRAME_BYTES) {
    add(head, head + 8);
    add(head + FRAME_HEADER_BYTES, head + FRAME_BYTES);
    write(head + 16);
  }
  return wal;
}

test(
  'of a damaged WAL, the commits are read that SQLite recovers, whichever octet of a header it is',
  inField(async (field) => {
    field.writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    write(field, 0, COMMITS, 4096); // several frames each
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
    compare(asBigEndian(whole), 'of a big-endian machine');
    assert.equal(committedIn(copy)?.position.frames, frames);
    const heads = Array.from({ length: frames }, (_, frame) => HEADER_BYTES + frame * FRAME_BYTES);
    for (const head of [0, ...heads])
      for (let at = head; at < head + (head === 0 ? HEADER_BYTES : FRAME_HEADER_BYTES); at++)
        compare(whole.with(at, (whole[at] ?? 0) ^ 1) as Buffer, `octet ${at}`);
  }),
);

test(
  'a WAL is read on from each position, and its pages are what SQLite writes into the database',
  inField(async (field) => {
    field.writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    write(field, 0, 1);
    const path = `${field.store}-wal`;
    const first = committedIn(path) ?? assert.fail();
    write(field, 1, 1, 300 * 4096); // more than is read at once
    const next = inWal(path, (wal) => readCommitted(wal, first.position)) ?? assert.fail();
    assert.deepEqual(next.position, committedIn(path)?.position);
    field.writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const database = readFileSync(field.store);
    assert.equal((next.databasePages ?? 0) * 4096, database.length);
    assert.ok(next.pages.size > 300);
    for (const [page, content] of next.pages)
      assert.ok(content.equals(database.subarray((page - 1) * 4096, page * 4096)), `page ${page}`);
  }),
);

test(
  'a WAL that lacks the last frame that was read, or was started over, is not continued',
  inField(async (field) => {
    write(field, 0, COMMITS);
    const path = `${field.store}-wal`;
    const { position } = committedIn(path) ?? assert.fail();
    const isContinued = (wal: number) => isContinuation(wal, position);
    assert.equal(inWal(path, isContinued), true);
    assert.equal(
      inWal(path, (wal) => isContinuation(wal, readWalStart(wal) ?? assert.fail())),
      true,
      'from its start',
    );
    const copy = `${field.rebuilt}-wal`;
    const whole = readFileSync(path);
    const last = whole.length - FRAME_BYTES;
    const others = [16, 20].map((half) => whole.with(last + half, (whole[last + half] ?? 0) ^ 1)); // of its checksum
    for (const other of [whole.subarray(0, last), ...others]) {
      writeFileSync(copy, other);
      assert.equal(inWal(copy, isContinued), false);
    }
    field.writer.exec('PRAGMA wal_checkpoint(RESTART)');
    write(field, COMMITS, 1);
    assert.equal(inWal(path, isContinued), false);
  }),
);

test('a WAL of zeros, as after a power cut, has no header', () => {
  const path = join(temporaryFolder('wal'), 'wal');
  writeFileSync(path, Buffer.alloc(HEADER_BYTES + FRAME_BYTES));
  assert.equal(committedIn(path), undefined);
});
