// The records of an archive: the pages that changed since the record before, compressed, each chained to the one before by its hash.
import { createHash } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { OperatorFault } from '../../../core/faults.ts';
import type { CommittedPages, WalPosition } from './wal-frames.ts';

export interface RecordHead {
  /** Everything acknowledged before this is in an earlier record. */
  readonly since: number;
  /** Everything acknowledged before `from` is in this record or an earlier one; nothing begun after `to` is. Milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly databasePages: number;
  readonly position: WalPosition;
  readonly bytes: number;
  /** Over the hash of the record before, the other fields and the body. */
  readonly hash: string;
}

export interface ArchiveRecord {
  readonly head: RecordHead;
  readonly pages: () => Iterable<{ readonly page: number; readonly content: Buffer }>;
}

type Moments = Pick<RecordHead, 'since' | 'from' | 'to'>;

/** The hash is that of the record, to chain the next one to. */
export function encodeRecord(
  { pages, databasePages = 0, position }: CommittedPages,
  { since, from, to }: Moments,
  previousHash: string,
): { readonly bytes: Buffer; readonly hash: string } {
  const body = zstdCompressSync(Buffer.concat([...pages].flatMap(([page, content]) => [number32(page), content])));
  const fields = { from, to, databasePages, position, bytes: body.length, since };
  const hash = hashOf(previousHash, fields, body);
  const head = Buffer.from(JSON.stringify({ ...fields, hash } satisfies RecordHead));
  return { bytes: Buffer.concat([number32(head.length), head, body]), hash };
}

/** Stops before an incomplete last record: it was being written. Throws if a record is damaged or does not follow the one before. */
export function* decodeRecords(
  contents: Buffer,
  pageSize: number,
  previousHash: string,
): Generator<ArchiveRecord, string> {
  let hash = previousHash;
  for (let found = headAt(contents, 0); found; ) {
    const { headEnd, head } = found;
    const { hash: recorded, ...fields } = head;
    const end = headEnd + fields.bytes;
    const body = contents.subarray(headEnd, end);
    hash = hashOf(hash, fields, body);
    if (hash !== recorded)
      throw new DamagedBackup(`the record of ${new Date(fields.to).toISOString()} is damaged or out of order`);
    yield { head, pages: () => pagesIn(zstdDecompressSync(body), pageSize) };
    found = headAt(contents, end);
  }
  return hash;
}

/** More than any head has. */
const LONGEST_HEAD = 1024;
const LATER_HEAD = /\{"from":\d+,"to":\d+,"databasePages":\d+,"position":/;

/** Undefined at the end, or if the rest is the beginning of one record: it was being written. Throws if it is anything else. */
function headAt(contents: Buffer, at: number): { readonly head: RecordHead; readonly headEnd: number } | undefined {
  const rest = contents.subarray(at);
  if (rest.length < 4 || rest.every((byte) => byte === 0)) return undefined; // zeros: the machine lost its power
  const length = rest.readUInt32BE(0);
  if (length > LONGEST_HEAD) throw new DamagedBackup(`there is no record at byte ${at}`);
  if (rest.length < 4 + length) return undefined;
  const head = parseHead(rest.toString('utf8', 4, 4 + length), at);
  if (rest.length >= 4 + length + head.bytes) return { head, headEnd: at + 4 + length };
  if (LATER_HEAD.test(rest.toString('latin1', 4 + length)))
    throw new DamagedBackup(`the length of the record at byte ${at} is wrong`);
  return undefined;
}

function parseHead(text: string, at: number): RecordHead {
  try {
    return JSON.parse(text) as RecordHead;
  } catch {
    throw new DamagedBackup(`there is no record at byte ${at}`);
  }
}

function* pagesIn(body: Buffer, pageSize: number): ReturnType<ArchiveRecord['pages']> & Generator {
  for (let at = 0; at < body.length; at += 4 + pageSize)
    yield { page: body.readUInt32BE(at), content: body.subarray(at + 4, at + 4 + pageSize) };
}

function hashOf(previousHash: string, fields: Omit<RecordHead, 'hash'>, body: Buffer): string {
  return createHash('sha256').update(previousHash).update(JSON.stringify(fields)).update(body).digest('hex');
}

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** A file of the backup is missing or is not what was written. */
export class DamagedBackup extends Error {
  override readonly name = 'DamagedBackup';
}

/** The backup cannot be written here. `todo`: what the operator can do. */
export class BackupRefused extends OperatorFault {}
