// A lock between processes. It is SQLite's, so it ends with its process, however that ends.
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { makeDatabase } from './connection.ts';
import { isBusy } from './faults.ts';

export interface Lock {
  readonly release: () => void;
}

/** Takes the lock, or returns undefined at once if another process has it. Its owner may remove the file before the release. */
export function lockFile(path: string): Lock | undefined {
  makeDatabase(path);
  const before = inodeOf(path);
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE'); // writes nothing: the disk may be full
    // Otherwise its last owner has removed it meanwhile, and somebody else may have a new one.
    if (before !== undefined && inodeOf(path) === before) return { release: () => database.close() };
  } catch (error) {
    if (!isBusy(error)) {
      database.close();
      throw error;
    }
  }
  database.close();
  return undefined;
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
