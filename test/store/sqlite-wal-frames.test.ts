// What a continuous backup reads of a WAL.
import assert from 'node:assert/strict';
import { closeSync, copyFileSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { PAGE_SIZE } from '../../src/store/sqlite/connection.ts';
import { readCommitted, readWalStart } from '../../src/store/sqlite/continuous/wal-frames.ts';
import { countIn, inField, write } from './continuous-field.ts';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const COMMITS = 3;

function framesIn(path: string): number {
  const wal = openSync(path, 'r');
  const start = readWalStart(wal);
  const committed = start && readCommitted(wal, start);
  closeSync(wal);
  return committed?.position.frames ?? 0;
}

test(
  'of a damaged WAL, the commits are read that SQLite recovers, whichever octet of a header it is',
  inField(async (field) => {
    field.writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    write(field, 0, COMMITS); // a frame each
    const [copy, whole] = [`${field.rebuilt}-wal`, readFileSync(`${field.store}-wal`)];
    copyFileSync(field.store, field.rebuilt);
    const compare = (wal: Buffer, what: string) => {
      writeFileSync(copy, wal);
      rmSync(`${field.rebuilt}-shm`, { force: true });
      assert.equal(framesIn(copy), countIn(field.rebuilt), what);
    };
    compare(whole, 'not damaged');
    assert.equal(framesIn(copy), COMMITS);
    const headers = [0, 1, 2].map((frame) => HEADER_BYTES + frame * (FRAME_HEADER_BYTES + PAGE_SIZE));
    for (const begin of [0, ...headers])
      for (let at = begin; at < begin + (begin === 0 ? HEADER_BYTES : FRAME_HEADER_BYTES); at++)
        compare(whole.with(at, (whole[at] ?? 0) ^ 1) as Buffer, `octet ${at}`);
  }),
);
