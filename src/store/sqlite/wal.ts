// How a commit becomes durable. SQLite writes it to the WAL and does not wait for the disk (`synchronous = NORMAL`); the
// WAL is synced here, on a thread of Node's pool, and only then is anybody told. So the event loop never waits for the disk.
import { closeSync, fdatasync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

/** Resolves when all that was written to the file before is on the disk. */
export type Sync = (file: number) => Promise<void>;

export const syncInPool: Sync = promisify(fdatasync);

export class Wal {
  readonly #file: number;
  readonly #sync: Sync;

  /** The WAL exists as long as somebody has the database open. */
  constructor(path: string, sync: Sync) {
    this.#file = openSync(`${path}-wal`, 'r');
    this.#sync = sync;
    syncFolder(dirname(path)); // a file whose name is not on the disk is lost whatever was synced of it
  }

  sync(): Promise<void> {
    return this.#sync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}
