// How a commit becomes durable. SQLite writes it to the WAL and does not wait for the disk (`synchronous = NORMAL`); the
// WAL is synced here, on a thread of Node's pool, and only then is anybody told. So the event loop never waits for the disk.
import { closeSync, fdatasync, fsyncSync, openSync } from 'node:fs';
import { promisify } from 'node:util';

/** Resolves when all that was written to the file before is on the disk. */
export type Sync = (file: number) => Promise<void>;

export const syncInPool: Sync = promisify(fdatasync);

/** A file whose name is not on the disk is lost whatever was synced of it. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}
