// Makes a store from a continuous backup, as of a moment.
import { closeSync, copyFileSync, existsSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { whyNoCopy } from '../backup.ts';
import { basePath, hashOfFile, momentOfName, readRecords, readSeries, type Series, seriesFolders } from './archive.ts';
import { DamagedBackup, type RecordHead } from './records.ts';

export interface Rebuilt {
  /** The moment of the last record in it: everything acknowledged before `from` is there, nothing begun after `to`. */
  readonly from: number;
  readonly to: number;
  readonly records: number;
}

/** `at`: milliseconds; undefined: the newest. `file` is overwritten. Throws if the backup is damaged or begins later. */
export async function rebuild(archive: string, at: number | undefined, file: string): Promise<Rebuilt> {
  const moment = at ?? Number.POSITIVE_INFINITY;
  const series = lastBefore(archive, moment);
  if (!series) throw new Error(whyNoSeries(archive));
  const why = at === undefined ? undefined : whyNotFollowed(series, at);
  if (why === undefined) return rebuildFrom(series, moment, file);
  // A series begins with a copy, and while that is made, the series before goes on.
  const before = lastBefore(archive, moment, series.folder);
  if (!before || whyNotFollowed(before, moment) !== undefined) throw new Error(why);
  return rebuildFrom(before, moment, file);
}

/** The last series that begins at most then. Throws if a damaged one does: the one before it would be an older state. */
function lastBefore(archive: string, moment: number, next?: string): Series | undefined {
  const folders = seriesFolders(archive).filter((folder) => next === undefined || folder < next);
  for (const folder of folders.toReversed()) {
    const series = momentOfName(folder) <= moment ? readSeries(folder) : readIfSound(folder);
    if (series && series.base.to <= moment) return series;
  }
  return undefined;
}

/** In milliseconds. While the follower runs, its records lie closer together, also under load. */
const LONGEST_STEP = 1_000;
/** In milliseconds: how much later than the last known state a moment may be if the follower was not running. */
const TOLERANCE = 100;

/** Set if what was committed just before the moment is not known, because the follower was not running. */
function whyNotFollowed(series: Series, moment: number): string | undefined {
  const { last, next } = recordsUntil(series, moment);
  const { since, to = Number.POSITIVE_INFINITY } = next ?? { since: last.to };
  const known = Math.max(since, last.to);
  if (to - since <= LONGEST_STEP || moment - known <= TOLERANCE) return undefined;
  const from = new Date(known).toISOString();
  if (!next) return `the backup ends at ${from}. Choose that moment, or leave --at out for the newest state`;
  const until = new Date(to).toISOString();
  return `the backup was not followed from ${from} to ${until}. Choose --at ${from} for the state before, --at ${until} for the state after`;
}

function readIfSound(folder: string): Series | undefined {
  try {
    return readSeries(folder);
  } catch (error) {
    if (error instanceof DamagedBackup) return undefined;
    throw error;
  }
}

export async function rebuildFrom(series: Series, moment: number, file: string): Promise<Rebuilt> {
  const base = basePath(series.folder);
  if (!existsSync(base)) throw new DamagedBackup(`${base} is missing`);
  if ((await hashOfFile(base)) !== series.base.hash) throw new DamagedBackup(`${base} is damaged`);
  copyFileSync(base, file);
  const last = applyRecords(series, moment, file);
  const why = whyNoCopy(file);
  if (why) throw new DamagedBackup(`the store rebuilt from ${series.folder} is damaged: ${why}`);
  return last;
}

/** After the clock was put back, later records have earlier moments: the last counts. Damage behind it is ignored. */
function recordsUntil(series: Series, moment: number): RecordsUntil {
  let [read, until, isBehind]: [number, RecordsUntil, boolean] = [0, { wanted: 0, last: series.base }, false];
  try {
    for (const { head } of readRecords(series)) {
      read += 1;
      if (head.to <= moment) until = { wanted: read, last: head };
      else until = { next: head, ...until };
      isBehind ||= head.to >= moment;
    }
  } catch (error) {
    if (!isBehind) throw error;
  }
  return until;
}

interface RecordsUntil {
  readonly wanted: number;
  readonly last: Pick<RecordHead, 'to'>;
  /** The first record after the moment. */
  readonly next?: RecordHead;
}

function applyRecords(series: Series, moment: number, file: string): Rebuilt {
  const { pageSize } = series.base;
  const { wanted } = recordsUntil(series, moment);
  const descriptor = openSync(file, 'r+');
  let [last, records]: [Pick<RecordHead, 'from' | 'to'>, number] = [series.base, 0];
  try {
    for (const { head, pages } of readRecords(series)) {
      if (records === wanted) break;
      for (const { page, content } of pages()) writeSync(descriptor, content, 0, pageSize, (page - 1) * pageSize);
      ftruncateSync(descriptor, head.databasePages * pageSize);
      [last, records] = [head, records + 1];
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return { from: last.from, to: last.to, records };
}

function whyNoSeries(archive: string): string {
  const [first] = seriesFolders(archive);
  return first
    ? `the backup begins at ${new Date(momentOfName(first)).toISOString()}`
    : `there is no continuous backup in ${archive}`;
}
