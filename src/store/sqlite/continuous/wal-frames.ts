// Reads committed frames of a SQLite WAL: https://sqlite.org/fileformat2.html#the_write_ahead_log
import { fstatSync, readSync } from 'node:fs';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;
const CHUNK_FRAMES = 256;

export interface WalPosition {
  /** The salts change when SQLite starts the WAL over. */
  readonly salts: string;
  readonly frames: number;
  /** The cumulative checksum of these frames: equal frames have equal ones. */
  readonly checksum: readonly [number, number];
}

export interface CommittedPages {
  readonly position: WalPosition;
  /** The newest content of each page. */
  readonly pages: ReadonlyMap<number, Buffer>;
  /** Size of the database in pages after the last commit; undefined if there was none. */
  readonly databasePages: number | undefined;
}

type WalHeader = NonNullable<ReturnType<typeof readHeader>>;

/** Undefined for a WAL without a valid header: it is empty, or its header is being written. */
export function readWalStart(wal: number): WalPosition | undefined {
  const header = readHeader(wal);
  return header && { salts: header.salts, frames: 0, checksum: header.checksum };
}

/** Everything committed after a position of the same WAL. Undefined if SQLite has started the WAL over. */
export function readCommitted(wal: number, after: WalPosition): CommittedPages | undefined {
  const header = readHeader(wal);
  if (header?.salts !== after.salts) return undefined;
  const reader = new FrameReader(header, after);
  const frameBytes = FRAME_HEADER_BYTES + header.pageSize;
  const chunk = Buffer.alloc(CHUNK_FRAMES * frameBytes);
  const end = fstatSync(wal).size;
  for (let from = HEADER_BYTES + after.frames * frameBytes; from < end; from += chunk.length) {
    const bytes = readSync(wal, chunk, 0, chunk.length, from);
    for (let at = 0; at + frameBytes <= bytes; at += frameBytes)
      if (!reader.take(chunk.subarray(at, at + frameBytes))) return reader.committed();
  }
  return reader.committed();
}

/** Whether the frames up to a position are still those that were read. */
export function isContinuation(wal: number, position: WalPosition): boolean {
  const header = readHeader(wal);
  if (header?.salts !== position.salts) return false;
  if (position.frames === 0) return true;
  const last = Buffer.alloc(FRAME_HEADER_BYTES);
  const at = HEADER_BYTES + (position.frames - 1) * (FRAME_HEADER_BYTES + header.pageSize);
  readSync(wal, last, 0, last.length, at); // zeros behind its end
  return last.readUInt32BE(16) === position.checksum[0] && last.readUInt32BE(20) === position.checksum[1];
}

function readHeader(wal: number) {
  const bytes = Buffer.alloc(HEADER_BYTES);
  if (readSync(wal, bytes, 0, HEADER_BYTES, 0) < HEADER_BYTES) return undefined;
  const magic = bytes.readUInt32BE(0);
  if ((magic & ~1) >>> 0 !== MAGIC) return undefined;
  const isBigEndian = (magic & 1) === 1;
  const checksum = addChecksum(bytes, 0, 24, [0, 0], isBigEndian);
  if (checksum[0] !== bytes.readUInt32BE(24) || checksum[1] !== bytes.readUInt32BE(28)) return undefined;
  return { salts: bytes.toString('hex', 16, 24), pageSize: bytes.readUInt32BE(8), isBigEndian, checksum };
}

/** Collects pages, and forgets those behind the last commit. */
class FrameReader {
  readonly #header: WalHeader;
  readonly #pages = new Map<number, Buffer>();
  #uncommitted: { readonly page: number; readonly content: Buffer }[] = [];
  #frames: number;
  #checksum: readonly [number, number];
  #position: WalPosition;
  #databasePages: number | undefined;

  constructor(header: WalHeader, after: WalPosition) {
    this.#header = header;
    [this.#frames, this.#checksum, this.#position] = [after.frames, after.checksum, after];
  }

  /** False for the first frame that is not part of this WAL, or not yet written completely. */
  take(frame: Buffer): boolean {
    const { salts, isBigEndian } = this.#header;
    if (frame.toString('hex', 8, 16) !== salts) return false;
    const checksum = addChecksum(frame, 0, 8, this.#checksum, isBigEndian);
    this.#checksum = addChecksum(frame, FRAME_HEADER_BYTES, frame.length, checksum, isBigEndian);
    if (this.#checksum[0] !== frame.readUInt32BE(16) || this.#checksum[1] !== frame.readUInt32BE(20)) return false;
    this.#frames += 1;
    this.#uncommitted.push({ page: frame.readUInt32BE(0), content: Buffer.from(frame.subarray(FRAME_HEADER_BYTES)) });
    const databasePages = frame.readUInt32BE(4);
    if (databasePages > 0) this.#commit(databasePages);
    return true;
  }

  committed(): CommittedPages {
    return { position: this.#position, pages: this.#pages, databasePages: this.#databasePages };
  }

  #commit(databasePages: number): void {
    for (const { page, content } of this.#uncommitted) this.#pages.set(page, content);
    this.#uncommitted = [];
    this.#databasePages = databasePages;
    this.#position = { salts: this.#header.salts, frames: this.#frames, checksum: this.#checksum };
  }
}

function addChecksum(
  bytes: Buffer,
  from: number,
  to: number,
  [before0, before1]: readonly [number, number],
  isBigEndian: boolean,
): [number, number] {
  let [first, second] = [before0, before1];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = from; at < to; at += 8) {
    first = (first + view.getUint32(at, !isBigEndian) + second) >>> 0;
    second = (second + view.getUint32(at + 4, !isBigEndian) + first) >>> 0;
  }
  return [first, second];
}
