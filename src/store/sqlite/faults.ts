// Which errors of SQLite mean what.
import { StoreUnavailable } from '../store.ts';

const BUSY = 5;

export function isBusy(error: unknown): boolean {
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === BUSY;
}

const DISK = new Set([8, 10, 13]); // read-only, I/O error, full

export function isOfDisk(error: unknown): boolean {
  return DISK.has(((error as { errcode?: number }).errcode ?? 0) & 0xff);
}

// SQLite's primary result codes for temporary states: busy, locked, read-only, I/O error, full, cannot open.
const PASSING = new Set([5, 6, 8, 10, 13, 14]);

/** Turns an error of the driver into one of the store's. */
export function storeFault(error: unknown): unknown {
  const { code, errcode, message } = error as { code?: string; errcode?: number; message?: string };
  if (code === 'ERR_INVALID_STATE') return new StoreUnavailable('the store is closed');
  return errcode !== undefined && PASSING.has(errcode & 0xff) ? new StoreUnavailable(`SQLite: ${message}`) : error;
}
