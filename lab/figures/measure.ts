// How rates, waits and stalls are measured.
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import type { Row } from './data.ts';

export interface Rate {
  readonly perSecond: number;
  /** Milliseconds per call. */
  readonly p50: number;
  readonly p99: number;
  /** CPU microseconds per call in all threads: independent of other processes on the machine. */
  readonly cpu: number;
  /** Event loop delay in milliseconds: median, 99th percentile, maximum. */
  readonly stall: { readonly p50: number; readonly p99: number; readonly max: number };
}

/** Runs callers in parallel for a while, each sequential. */
export async function rate(callers: number, forMs: number, act: (caller: number) => Promise<unknown>): Promise<Rate> {
  const waits: number[] = [];
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const before = process.cpuUsage();
  const started = performance.now();
  const call = async (_: unknown, caller: number) => {
    for (let now = started; now - started < forMs; ) {
      await act(caller);
      const then = performance.now();
      waits.push(then - now);
      now = then;
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  const seconds = (performance.now() - started) / 1000;
  delays.disable();
  const { user, system } = process.cpuUsage(before);
  const cpu = (user + system) / waits.length;
  waits.sort((a, b) => a - b);
  const at = (part: number) => waits[Math.floor(waits.length * part)] ?? 0;
  return { perSecond: waits.length / seconds, p50: at(0.5), p99: at(0.99), cpu, stall: stallOf(delays) };
}

function stallOf(delays: ReturnType<typeof monitorEventLoopDelay>): Rate['stall'] {
  return { p50: delays.percentile(50) / 1e6, p99: delays.percentile(99) / 1e6, max: delays.max / 1e6 };
}

/** Milliseconds for a durable write of 4 KiB: varies by a factor of a hundred between machines and hours. */
export function probeFsync(folder: string, times = 100): { p50: number; p99: number } {
  const path = join(folder, 'probe');
  const file = openSync(path, 'w');
  const took: number[] = [];
  for (let n = 0; n < times; n++) {
    const started = performance.now();
    writeSync(file, Buffer.alloc(4096, n));
    fsyncSync(file);
    took.push(performance.now() - started);
  }
  closeSync(file);
  rmSync(path);
  took.sort((a, b) => a - b);
  return { p50: took[times >> 1] ?? 0, p99: took[Math.floor(times * 0.99)] ?? 0 };
}

export function figuresFolder(parent = process.env['TESSERA_FIGURES_FOLDER']): string {
  return temporaryFolder('figures', parent);
}

/** The rows of all tables since the last call. */
export function takeRows(): Row[] {
  return printed.splice(0);
}

const printed: Row[] = [];

export function table(rows: readonly Row[]): void {
  printed.push(...rows);
  const columns = Object.keys(rows[0] ?? {});
  console.log(`| ${columns.join(' | ')} |\n|${columns.map(() => '---|').join('')}`);
  for (const row of rows) console.log(`| ${columns.map((column) => word(row[column] ?? '')).join(' | ')} |`);
}

function word(value: string | number): string {
  if (typeof value === 'string') return value;
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}

/** Size of a SQLite database, including pages that are still in its WAL. */
export function sqliteBytes(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const bytes = database
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()')
    .get()?.['bytes'];
  database.close();
  return bytes as number;
}
