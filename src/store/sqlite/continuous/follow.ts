// Keeps a continuous backup of a store while other processes write it.
import { closeSync, fdatasyncSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backup } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  basePath,
  endOf,
  hashOfFile,
  listSeries,
  makeSeriesFolder,
  removeOld,
  type Series,
  segmentNumbers,
  segmentPath,
} from './archive.ts';
import { encodeRecord } from './records.ts';
import { WalFollower } from './wal-follower.ts';
import type { CommittedPages } from './wal-frames.ts';

/** How often the WAL is read. A restore is exact to this. */
const READ_EVERY_MS = 50;
const SYNC_EVERY_MS = 1_000;

export interface FollowOptions {
  readonly store: string;
  readonly archive: string;
  readonly milliseconds: () => number;
  /** How long to keep old series. */
  readonly keepMs: number;
  /** When to begin a new series. */
  readonly seriesMs: number;
  /** A segment is complete after this time. */
  readonly segmentMs: number;
  /** Called with each file that does not change any more. Must not take long: the store's WAL grows meanwhile. */
  readonly onComplete: (path: string) => void;
  readonly onSeries: (series: Series) => void;
  readonly signal: AbortSignal;
}

/** Resolves after `signal`, when everything committed until then is in the archive. */
export async function followStore(options: FollowOptions): Promise<void> {
  let writer = resumeSeries(options);
  while (!options.signal.aborted) {
    writer ??= await beginSeries(options);
    writer.step();
    if (writer.isDue) {
      const next: SeriesWriter = await beginSeries(options);
      writer.finish();
      writer = next;
      removeOld(options.archive, options.milliseconds() - options.keepMs);
    }
    await sleep(READ_EVERY_MS, undefined, { signal: options.signal }).catch(() => undefined);
  }
  writer?.finish();
}

/** Goes on with the last series if nothing was missed since. */
function resumeSeries(options: FollowOptions): SeriesWriter | undefined {
  const series = listSeries(options.archive).at(-1);
  if (!series) return undefined;
  const { position, hash } = endOf(series);
  const follower = new WalFollower(options.store, position);
  const { backlog } = follower;
  if (!backlog) {
    follower.close();
    return undefined;
  }
  const writer = new SeriesWriter(series, follower, hash, options);
  writer.append(backlog, options.milliseconds());
  options.onSeries(series);
  return writer;
}

async function beginSeries(options: FollowOptions): Promise<SeriesWriter> {
  const from = options.milliseconds();
  const follower = new WalFollower(options.store);
  const to = options.milliseconds();
  const folder = makeSeriesFolder(options.archive, to);
  const file = basePath(folder);
  closeSync(openSync(file, 'w', 0o600));
  await backup(follower.snapshot, file);
  const hash = await hashOfFile(file);
  const pageSize = Number(follower.snapshot.prepare('PRAGMA page_size').get()?.['page_size']);
  const series: Series = { folder, base: { from, to, position: follower.position, pageSize, hash } };
  writeFileSync(join(folder, 'base.json'), JSON.stringify(series.base), { mode: 0o600, flush: true });
  options.onComplete(file);
  options.onComplete(join(folder, 'base.json'));
  options.onSeries(series);
  return new SeriesWriter(series, follower, hash, options);
}

class SeriesWriter {
  readonly #series: Series;
  readonly #follower: WalFollower;
  readonly #options: FollowOptions;
  #hash: string;
  #segment: { readonly path: string; readonly file: number; readonly openedAt: number } | undefined;
  #nextNumber: number;
  #syncedAt = 0;
  #isSynced = true;

  constructor(series: Series, follower: WalFollower, hash: string, options: FollowOptions) {
    [this.#series, this.#follower, this.#hash, this.#options] = [series, follower, hash, options];
    this.#nextNumber = (segmentNumbers(series).at(-1) ?? 0) + 1;
  }

  get isDue(): boolean {
    return this.#options.milliseconds() - this.#series.base.to >= this.#options.seriesMs;
  }

  step(): void {
    const from = this.#options.milliseconds();
    this.append(this.#follower.read(), from);
    if (this.#follower.isLong) {
      const emptiedFrom = this.#options.milliseconds();
      const rest = this.#follower.empty();
      if (rest) this.append(rest, emptiedFrom);
    }
    const now = this.#options.milliseconds();
    if (!this.#isSynced && now - this.#syncedAt >= SYNC_EVERY_MS) this.#sync(now);
    if (this.#segment && now - this.#segment.openedAt >= this.#options.segmentMs) this.#complete();
  }

  append(committed: CommittedPages, from: number): void {
    if (committed.databasePages === undefined) return;
    const to = this.#options.milliseconds();
    const { bytes, hash } = encodeRecord(committed, { from, to }, this.#hash);
    this.#segment ??= this.#open(to);
    writeFileSync(this.#segment.file, bytes);
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
