// Connections need open files, and so does the store: a process without any left could not answer those it has.
import { readFileSync } from 'node:fs';

/** For the store, its checks, the log, and connections to others. */
const OTHERS = 128;
const LEAST = 8;

/** How many connections each listener may have with this limit on open files. */
export function connectionsWithin(wanted: number, openFiles: number, listeners: number): number {
  return Math.min(wanted, Math.max(LEAST, Math.floor((openFiles - OTHERS) / listeners)));
}

/** How many files this process may have open. Node has raised the limit as far as it may. */
export function openFilesLimit(read = () => readFileSync('/proc/self/limits', 'utf8')): number {
  try {
    const [, limit] = /^Max open files +(\d+) /m.exec(read()) ?? [];
    return Number(limit ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY; // not on Linux
  }
}
