// At most one follower writes to a folder. The lock is SQLite's, so it ends with the process, however that ends.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeDatabase } from '../connection.ts';
import { isBusy } from '../faults.ts';
import { BackupRefused } from './faults.ts';

/** Returns what gives the folder back. */
export function lockFolder(archive: string): () => void {
  const path = join(archive, 'follower.lock');
  makeDatabase(path);
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE'); // writes nothing: the disk may be full
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw new BackupRefused(`another follower writes to ${archive}`, 'Stop it, or give this one a folder of its own.');
  }
  return () => database.close();
}
