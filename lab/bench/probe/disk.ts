import { closeSync, fdatasyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';

export interface SyncTimes {
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** Time of a durable page write on this disk: the base cost of every durable answer. */
export function probeSync(folder: string, times = 200): SyncTimes {
  const path = join(folder, 'sync-probe');
  const file = openSync(path, 'w');
  const page = Buffer.alloc(4096, 1);
  const took = Array.from({ length: times }, () => {
    writeSync(file, page);
    const began = performance.now();
    fdatasyncSync(file);
    return performance.now() - began;
  }).sort((a, b) => a - b);
  closeSync(file);
  rmSync(path);
  return { medianMs: took[times >> 1] as number, p99Ms: took[Math.floor(times * 0.99)] as number };
}

/** Polls the size of a file; returns the largest. */
export function watchSize(path: string): () => number {
  let largest = 0;
  const look = () => {
    largest = Math.max(largest, statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  };
  const timer = setInterval(look, 50);
  return () => {
    clearInterval(timer);
    look();
    return largest;
  };
}

/** Bytes of all tables with this name prefix, including indexes. */
export function bytesOfTables(path: string, prefix: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const { bytes } = database
    .prepare(
      'SELECT sum(pgsize) AS bytes FROM dbstat WHERE name IN (SELECT name FROM sqlite_schema WHERE tbl_name LIKE ?)',
    )
    .get(`${prefix}%`) as { bytes: number };
  database.close();
  return bytes;
}
