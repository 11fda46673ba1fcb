// How a commit becomes durable. SQLite writes it to the WAL and does not wait for the disk (`synchronous = NORMAL`); the
// WAL is synced here, on a thread of Node's pool, before any answer is sent. So the event loop never waits for the disk.
import { closeSync, fdatasync, fsyncSync, openSync } from 'node:fs';
import { promisify } from 'node:util';

/** Resolves when all earlier writes to the file are on the disk. */
export type Sync = (file: number) => Promise<void>;

export const syncInPool: Sync = promisify(fdatasync);

/** Syncs the names of files: a file whose name is not on the disk is lost, even if its contents were synced. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}
