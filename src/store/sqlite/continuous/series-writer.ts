// Adds to a series what a follower of the WAL reads.
import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, writeFileSync } from 'node:fs';
import { type Series, type SeriesEnd, segmentNumbers, segmentPath } from './archive.ts';
import { encodeRecord } from './records.ts';
import type { WalFollower } from './wal-follower.ts';
import type { CommittedPages } from './wal-frames.ts';

const SYNC_EVERY_MS = 1_000;
/** A moment that is later than the last record by more than this cannot be restored. */
const MARK_EVERY_MS = 10_000;
/** Of a segment in which nothing changed. */
const LONGEST_SEGMENT_MS = 3_600_000;
/** A clock that is put back by more than this makes a new series due. */
const CLOCK_TOLERANCE_MS = 60_000;

export interface SeriesOptions {
  /** The clock of the moments that can be restored. */
  readonly milliseconds: () => number;
  readonly seriesMs: number;
  /** A segment is complete after this time. */
  readonly segmentMs: number;
  /** Called with each file that does not change any more, also those of earlier runs. Must not take long: the store's WAL grows. */
  readonly onComplete: (path: string) => void;
}

interface OpenSegment {
  readonly path: string;
  readonly file: number;
  readonly openedAt: number;
  changedAt?: number;
}

export class SeriesWriter {
  readonly #series: Series;
  readonly #follower: WalFollower;
  readonly #options: SeriesOptions;
  #hash: string;
  #databasePages: number;
  /** When the last read began: everything acknowledged before is in the archive. */
  #readAt: number;
  #markedAt = performance.now();
  #segment: OpenSegment | undefined;
  #nextNumber: number;
  #syncedAt = 0;
  #isSynced = true;

  constructor(series: Series, follower: WalFollower, end: SeriesEnd, options: SeriesOptions) {
    [this.#series, this.#follower, this.#options] = [series, follower, options];
    ({ hash: this.#hash, databasePages: this.#databasePages, from: this.#readAt } = end);
    this.#nextNumber = (segmentNumbers(series).at(-1) ?? 0) + 1;
  }

  get isDue(): boolean {
    const age = this.#options.milliseconds() - this.#series.base.to;
    return age >= this.#options.seriesMs || age < -CLOCK_TOLERANCE_MS;
  }

  step(): void {
    const from = this.#options.milliseconds();
    this.append(this.#follower.read(), from);
    if (this.#follower.isLong) {
      const emptiedFrom = this.#options.milliseconds();
      const rest = this.#follower.empty();
      if (rest) this.append(rest, emptiedFrom);
    }
    const now = performance.now(); // not the clock, which can jump
    if (now - this.#markedAt >= MARK_EVERY_MS) this.#mark();
    if (!this.#isSynced && now - this.#syncedAt >= SYNC_EVERY_MS) this.#sync(now);
    const { openedAt = now, changedAt = now } = this.#segment ?? {};
    if (now - changedAt >= this.#options.segmentMs || now - openedAt >= LONGEST_SEGMENT_MS) this.#complete();
  }

  append(committed: CommittedPages, from: number): void {
    if (committed.databasePages !== undefined) {
      this.#write(committed, from);
      if (this.#segment) this.#segment.changedAt ??= performance.now();
    }
    this.#readAt = from;
  }

  /** A record without pages: proof that the follower was running, and that nothing was committed. */
  #mark(): void {
    const { position } = this.#follower;
    this.#write({ pages: new Map(), databasePages: this.#databasePages, position }, this.#readAt);
  }

  #write(committed: CommittedPages, from: number): void {
    const to = this.#options.milliseconds();
    const { bytes, hash } = encodeRecord(committed, { since: this.#readAt, from, to }, this.#hash);
    this.#segment ??= this.#open(performance.now());
    write(this.#segment, bytes);
    [this.#hash, this.#isSynced, this.#markedAt] = [hash, false, performance.now()];
    this.#databasePages = committed.databasePages ?? this.#databasePages;
  }

  finish(): void {
    this.step();
    this.#mark();
    this.#follower.close();
    this.#complete();
  }

  #open(openedAt: number): OpenSegment {
    const path = segmentPath(this.#series, this.#nextNumber++);
    return { path, file: openSync(path, 'ax', 0o600), openedAt };
  }

  #sync(now: number): void {
    if (this.#segment) fdatasyncSync(this.#segment.file);
    [this.#syncedAt, this.#isSynced] = [now, true];
  }

  #complete(): void {
    if (!this.#segment) return;
    const { path, file } = this.#segment;
    this.#segment = undefined;
    fdatasyncSync(file);
    closeSync(file);
    this.#options.onComplete(path);
  }
}

/** All of it or nothing: half a record would stay in front of the next ones. */
function write({ path, file }: OpenSegment, bytes: Buffer): void {
  const before = fstatSync(file).size;
  try {
    writeFileSync(file, bytes);
  } catch (error) {
    ftruncateSync(file, before);
    throw Object.assign(error as Error, { path });
  }
}
