// Only in test:all: drill
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Loss, readJournal, remainsOf } from '../../lab/chaos/disk-journal.ts';
import { Seeded } from '../seeded.ts';

const KIND = { write: 1, cut: 2, syncBegun: 3, syncDone: 4, acknowledged: 5 } as const;
const FILE = { database: 0, wal: 1, folder: 2, other: 3 } as const;

function record(kind: keyof typeof KIND, file: keyof typeof FILE, at = 0, text = ''): Buffer {
  const head = Buffer.alloc(32);
  for (const [n, value] of [KIND[kind], FILE[file], at, text.length].entries())
    head.writeBigInt64LE(BigInt(value), n * 8);
  return Buffer.concat([head, Buffer.from(text)]);
}

const NAMED = [record('syncBegun', 'folder', 1), record('syncDone', 'folder', 1)];

function after(records: readonly Buffer[], loss: Loss, chance = new Seeded(1)) {
  const { database, wal, acknowledged } = remainsOf(
    readJournal(Buffer.concat(records)),
    Buffer.from('begin'),
    { at: records.length, loss },
    chance,
  );
  return { database: database.toString(), wal: wal?.toString(), acknowledged };
}

test('a power cut keeps what was written before a finished sync began, and loses the rest', () => {
  const records = [
    ...NAMED,
    record('write', 'wal', 0, 'one'),
    record('syncBegun', 'wal', 2),
    record('write', 'wal', 3, 'two'),
    record('syncDone', 'wal', 2),
    record('acknowledged', 'other', 0, 'ack'),
    record('write', 'database', 0, 'B'),
  ];
  assert.deepEqual(after(records, 'all of it is lost'), { database: 'begin', wal: 'one', acknowledged: 'ack' });
  assert.deepEqual(after(records, 'nothing is lost'), { database: 'Begin', wal: 'onetwo', acknowledged: 'ack' });
  assert.deepEqual(after(records.slice(0, 5), 'all of it is lost'), { database: 'begin', wal: '', acknowledged: '' });
});

test('a cut file is shorter once it is synced, and a file without a name on the disk is gone', () => {
  const cut = [record('cut', 'database', 2), record('syncBegun', 'database', 1)];
  assert.equal(after(cut, 'all of it is lost').database, 'begin');
  assert.equal(after([...cut, record('syncDone', 'database', 1)], 'all of it is lost').database, 'be');
  assert.equal(after([record('write', 'wal', 0, 'x')], 'all of it is lost').wal, undefined);
});

test('an unsynced write is lost, kept or torn at sectors', () => {
  const records = [...NAMED, record('write', 'wal', 0, 'x'.repeat(4096))];
  const left = Array.from(
    { length: 60 },
    (_, seed) => after(records, 'sectors of it are lost', new Seeded(seed)).wal ?? '',
  );
  assert.ok(left.includes('') && left.includes('x'.repeat(4096)), 'lost or kept');
  const torn = left.filter((text) => text.includes('x') && text.includes('\0'));
  assert.ok(torn.length > 0, 'in part');
  for (const text of torn) for (const [gap] of text.matchAll(/\0+/g)) assert.equal(gap.length % 512, 0);
});

test('a journal that ends in the middle of a record is read up to there', () => {
  const whole = record('acknowledged', 'other', 0, 'ack');
  assert.equal(readJournal(Buffer.concat([whole, whole.subarray(0, 34)])).length, 1);
});
