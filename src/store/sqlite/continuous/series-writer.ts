// Adds to a series what a follower of the WAL reads.
import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, writeFileSync } from 'node:fs';
import { type Series, segmentNumbers, segmentPath } from './archive.ts';
import { encodeRecord } from './records.ts';
import type { WalFollower } from './wal-follower.ts';
import type { CommittedPages } from './wal-frames.ts';

const SYNC_EVERY_MS = 1_000;
/** A clock that is put back by more than this makes a new series due. */
const CLOCK_TOLERANCE_MS = 60_000;

export interface SeriesOptions {
  /** The clock of the moments that can be restored. */
  readonly milliseconds: () => number;
  /** When to begin a new series. */
  readonly seriesMs: number;
  /** A segment is complete after this time. */
  readonly segmentMs: number;
  /** Called with each file that does not change any more, also those of earlier runs. Must not take long: the store's WAL grows. */
  readonly onComplete: (path: string) => void;
}

interface OpenFile {
  readonly path: string;
  readonly file: number;
}

export class SeriesWriter {
  readonly #series: Series;
  readonly #follower: WalFollower;
  readonly #options: SeriesOptions;
  #hash: string;
  #segment: (OpenFile & { readonly openedAt: number }) | undefined;
  #nextNumber: number;
  #syncedAt = 0;
  #isSynced = true;

  constructor(series: Series, follower: WalFollower, hash: string, options: SeriesOptions) {
    [this.#series, this.#follower, this.#hash, this.#options] = [series, follower, hash, options];
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
    if (!this.#isSynced && now - this.#syncedAt >= SYNC_EVERY_MS) this.#sync(now);
    if (this.#segment && now - this.#segment.openedAt >= this.#options.segmentMs) this.#complete();
  }

  append(committed: CommittedPages, from: number): void {
    if (committed.databasePages === undefined) return;
    const to = this.#options.milliseconds();
    const { bytes, hash } = encodeRecord(committed, { from, to }, this.#hash);
    this.#segment ??= this.#open(performance.now());
    write(this.#segment, bytes);
    [this.#hash, this.#isSynced] = [hash, false];
  }

  /** Reads what is left, and closes everything. */
  finish(): void {
    this.step();
    this.#follower.close();
    this.#complete();
  }

  #open(openedAt: number) {
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
function write({ path, file }: OpenFile, bytes: Buffer): void {
  const before = fstatSync(file).size;
  try {
    writeFileSync(file, bytes);
  } catch (error) {
    ftruncateSync(file, before);
    throw Object.assign(error as Error, { path });
  }
}
