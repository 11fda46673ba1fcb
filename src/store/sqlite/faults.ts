// Which errors of SQLite mean what.
import { StoreUnavailable } from '../store.ts';

const BUSY = 5;
const READ_ONLY = 8;
const IO_ERROR = 10;
const FULL = 13;

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY;
}

/** Only writing reports this. */
export function isFull(error: unknown): boolean {
  return primaryCode(error) === FULL;
}

const DISK = new Set([READ_ONLY, IO_ERROR, FULL]);

export function isOfDisk(error: unknown): boolean {
  return DISK.has(primaryCode(error));
}

function primaryCode(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? 0) & 0xff;
}

// SQLite's primary result codes for temporary states: busy, locked, read-only, I/O error, full, cannot open.
const PASSING = new Set([BUSY, 6, READ_ONLY, IO_ERROR, FULL, 14]);

/** Turns an error of the driver into one of the store's. The remedy depends on its cause. */
export function storeFault(error: unknown): unknown {
  const { code, message } = error as { code?: string; message?: string };
  if (code === 'ERR_INVALID_STATE') return new StoreUnavailable('the store is closed');
  if (!PASSING.has(primaryCode(error))) return error;
  return new StoreUnavailable(isFull(error) ? 'the disk is full' : `SQLite: ${message}`, { cause: error });
}
