// A continuous backup in a folder. Each series in it has a folder of its own, named after its beginning: `base.db`, a copy of the
// store; `base.json`, what belongs to it; and `000001.pages` and so on, the records of what changed since.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ArchiveRecord, decodeRecords, type RecordHead } from './records.ts';
import type { WalPosition } from './wal-frames.ts';

export interface Base {
  /** As in a record. */
  readonly from: number;
  readonly to: number;
  readonly position: WalPosition;
  readonly pageSize: number;
  /** SHA-256 of base.db. */
  readonly hash: string;
}

export interface Series {
  readonly folder: string;
  readonly base: Base;
}

const SERIES_NAME = /^\d{8}T\d{9}Z$/;
const SEGMENT_NAME = /^\d{6,}\.pages$/;

export function segmentPath({ folder }: Series, number: number): string {
  return join(folder, `${String(number).padStart(6, '0')}.pages`);
}

export function basePath(folder: string): string {
  return join(folder, 'base.db');
}

/** Named by its moment, so that names sort by time. */
export function makeSeriesFolder(archive: string, moment: number): string {
  const folder = join(archive, new Date(moment).toISOString().replaceAll(/[-:.]/g, ''));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Oldest first. A series whose base was not finished is left out. */
export function listSeries(archive: string): Series[] {
  const names = readdirSync(archive)
    .filter((name) => SERIES_NAME.test(name))
    .toSorted();
  return names
    .map((name) => join(archive, name))
    .filter((folder) => existsSync(join(folder, 'base.json')))
    .map((folder) => ({ folder, base: JSON.parse(readFileSync(join(folder, 'base.json'), 'utf8')) as Base }));
}

export function segmentNumbers({ folder }: Series): number[] {
  const names = readdirSync(folder).filter((name) => SEGMENT_NAME.test(name));
  return names.map((name) => Number.parseInt(name, 10)).toSorted((a, b) => a - b);
}

/** All records in order. Throws if a segment is missing or damaged. */
export function* readRecords(series: Series): Generator<ArchiveRecord> {
  let { hash } = series.base;
  for (const [index, number] of segmentNumbers(series).entries()) {
    if (number !== index + 1) throw new Error(`${segmentPath(series, index + 1)} is missing`);
    hash = yield* decodeRecords(readFileSync(segmentPath(series, number)), series.base.pageSize, hash);
  }
}

/** Where a series ends: at its base if it has no records. */
export function endOf(series: Series): Pick<RecordHead, 'from' | 'to' | 'position' | 'hash'> {
  let last: Pick<RecordHead, 'from' | 'to' | 'position' | 'hash'> = series.base;
  for (const { head } of readRecords(series)) last = head;
  return last;
}

/** Removes series that no moment after `keepFrom` needs. Returns how many. */
export function removeOld(archive: string, keepFrom: number): number {
  const series = listSeries(archive);
  const old = series.filter((_, index) => (series[index + 1]?.base.to ?? Number.POSITIVE_INFINITY) < keepFrom);
  for (const { folder } of old) rmSync(folder, { recursive: true });
  return old.length;
}

export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
