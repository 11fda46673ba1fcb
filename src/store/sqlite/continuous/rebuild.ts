// Makes a store from a continuous backup, as of a moment.
import { closeSync, copyFileSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { whyNoCopy } from '../backup.ts';
import { basePath, hashOfFile, listSeries, readRecords, type Series } from './archive.ts';
import type { RecordHead } from './records.ts';

export interface Rebuilt {
  /** The moment of the last record in it: everything acknowledged before `from` is there, nothing begun after `to`. */
  readonly from: number;
  readonly to: number;
  readonly records: number;
}

/** `at`: milliseconds; undefined: the newest. `file` is overwritten. Throws if the backup is damaged or begins later. */
export async function rebuild(archive: string, at: number | undefined, file: string): Promise<Rebuilt> {
  const moment = at ?? Number.POSITIVE_INFINITY;
  const series = listSeries(archive).findLast(({ base }) => base.to <= moment);
  if (!series) throw new Error(whyNoSeries(archive));
  return rebuildFrom(series, moment, file);
}

export async function rebuildFrom(series: Series, moment: number, file: string): Promise<Rebuilt> {
  const base = basePath(series.folder);
  if ((await hashOfFile(base)) !== series.base.hash) throw new Error(`${base} is damaged`);
  copyFileSync(base, file);
  const last = applyRecords(series, moment, file);
  const why = whyNoCopy(file);
  if (why) throw new Error(`the rebuilt store is damaged: ${why}`);
  return last;
}

function applyRecords(series: Series, moment: number, file: string): Rebuilt {
  const { pageSize } = series.base;
  const descriptor = openSync(file, 'r+', 0o600);
  let [last, records]: [Pick<RecordHead, 'from' | 'to'>, number] = [series.base, 0];
  try {
    for (const { head, pages } of readRecords(series)) {
      if (head.to > moment) break;
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
  const [first] = listSeries(archive);
  return first
    ? `the backup begins at ${new Date(first.base.to).toISOString()}`
    : `there is no continuous backup in ${archive}`;
}
