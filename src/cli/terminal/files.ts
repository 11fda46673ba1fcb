// Files that commands write, and those that exist only while a command works: copies of a store contain everything that it does.
import { closeSync, fchmodSync, openSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { namingFile, writeAll } from '../../written-file.ts';

export const FOR_OWNER = 0o600;
export const FOR_READERS = 0o644;

/** Writes a new file with exactly this mode, regardless of the umask. Fails if the file exists. Leaves no part of it. */
export function writeNewFile(path: string, text: string, mode: number): void {
  const file = openSync(path, 'wx', FOR_OWNER);
  try {
    fchmodSync(file, mode);
    namingFile(path, () => writeAll(file, text));
  } catch (error) {
    rmSync(path);
    throw error;
  } finally {
    closeSync(file);
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Does the work, then removes `paths`, if they are there. A signal that ends the process removes them too. */
export async function removingAfter<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
  const remove = () => {
    for (const path of paths) rmSync(path, { recursive: true, force: true });
  };
  const end = (signal: (typeof SIGNALS)[number]) => {
    remove();
    // With several at once, the last one ends the process.
    if (process.listenerCount(signal) === 0) process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.once(signal, end);
  try {
    return await work();
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
    remove();
  }
}
