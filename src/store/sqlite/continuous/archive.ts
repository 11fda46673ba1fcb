// A continuous backup in a folder. Each series in it has a folder of its own, named after its beginning: `base.db`, a copy of the
// store; `base.json`, what belongs to it; and `000001.pages` and so on, the records of what changed since.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type ArchiveRecord, DamagedBackup, decodeRecords, type RecordHead } from './records.ts';
import type { WalPosition } from './wal-frames.ts';

export interface Base {
  /** As in a record. */
  readonly from: number;
  readonly to: number;
  readonly position: WalPosition;
  readonly pageSize: number;
  /** SHA-256 of base.db. */
  readonly hash: string;
  /** The path of the store. */
  readonly store: string;
}

export interface Series {
  readonly folder: string;
  readonly base: Base;
}

const SERIES_NAME = /^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\d)(\d{3}Z)$/;
const SEGMENT_NAME = /^\d{6,}\.pages$/;

export function segmentPath({ folder }: Pick<Series, 'folder'>, number: number): string {
  return join(folder, `${String(number).padStart(6, '0')}.pages`);
}

export function basePath(folder: string): string {
  return join(folder, 'base.db');
}

/** Named by its moment. If the clock was put back: just after the last one, so that names sort by their order. */
export function makeSeriesFolder(archive: string, moment: number): string {
  const last = seriesFolders(archive).at(-1);
  const after = last === undefined ? 0 : momentOfName(last) + 1;
  const name = new Date(Math.max(moment, after)).toISOString().replaceAll(/[-:.]/g, '');
  const folder = join(archive, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

export function momentOfName(folder: string): number {
  return Date.parse(basename(folder).replace(SERIES_NAME, '$1-$2-$3:$4:$5.$6'));
}

/** Oldest first. Those that were not finished are left out. */
export function seriesFolders(archive: string): string[] {
  return allFolders(archive).filter((folder) => existsSync(join(folder, 'base.json')));
}

/** Removes what a follower left that was killed, or had no space, while it began a series. */
export function removeUnfinished(archive: string): void {
  for (const folder of allFolders(archive))
    if (!existsSync(join(folder, 'base.json'))) rmSync(folder, { recursive: true });
}

function allFolders(archive: string): string[] {
  const names = readdirSync(archive).filter((name) => SERIES_NAME.test(name));
  return names.toSorted().map((name) => join(archive, name));
}

export function readSeries(folder: string): Series {
  const path = join(folder, 'base.json');
  try {
    const { sum, ...base } = JSON.parse(readFileSync(path, 'utf8')) as Base & { readonly sum: string };
    if (sum === sumOf(base) && Number.isInteger(base.to) && Number.isInteger(base.pageSize)) return { folder, base };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new DamagedBackup(`${path} is damaged`);
}

/** As it is written: with a sum of the rest, so that damage is noticed. */
export function baseText(base: Base): string {
  return JSON.stringify({ ...base, sum: sumOf(base) });
}

function sumOf(base: Base): string {
  return createHash('sha256').update(JSON.stringify(base)).digest('hex');
}

/** Oldest first. Throws if one is damaged. */
export function listSeries(archive: string): Series[] {
  return seriesFolders(archive).map(readSeries);
}

export function segmentNumbers({ folder }: Pick<Series, 'folder'>): number[] {
  const names = readdirSync(folder).filter((name) => SEGMENT_NAME.test(name));
  return names.map((name) => Number.parseInt(name, 10)).toSorted((a, b) => a - b);
}

/** The files of all series, in the order in which they were written. */
export function completeFiles(archive: string): string[] {
  return seriesFolders(archive).flatMap((folder) => [
    basePath(folder),
    join(folder, 'base.json'),
    ...segmentNumbers({ folder }).map((number) => segmentPath({ folder }, number)),
  ]);
}

/** All records in order. Throws if a segment is missing or damaged. */
export function* readRecords(series: Series): Generator<ArchiveRecord> {
  let { hash } = series.base;
  for (const [index, number] of segmentNumbers(series).entries()) {
    if (number !== index + 1) throw new DamagedBackup(`${segmentPath(series, index + 1)} is missing`);
    const path = segmentPath(series, number);
    try {
      hash = yield* decodeRecords(readFileSync(path), series.base.pageSize, hash);
    } catch (error) {
      if (!(error instanceof DamagedBackup)) throw error;
      throw new DamagedBackup(`${path} is damaged: ${error.message}`);
    }
  }
}

export type SeriesEnd = Pick<RecordHead, 'from' | 'position' | 'hash' | 'databasePages'>;

/** Where a series ends: at its base if it has no records. */
export function endOf(series: Series): SeriesEnd {
  const { from, position, hash, pageSize } = series.base;
  let last: SeriesEnd = { from, position, hash, databasePages: statSync(basePath(series.folder)).size / pageSize };
  for (const { head } of readRecords(series)) last = head;
  return last;
}

/** Removes series that no moment after `keepFrom` needs, but not the newest `atLeast`: the clock may be far ahead. */
export function removeOld(archive: string, keepFrom: number, atLeast: number): number {
  const folders = seriesFolders(archive);
  const old = folders.slice(0, Math.max(0, folders.length - atLeast)).filter((_, index) => {
    const next = folders[index + 1];
    return next !== undefined && momentOfName(next) < keepFrom;
  });
  for (const folder of old) rmSync(folder, { recursive: true });
  return old.length;
}

export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
