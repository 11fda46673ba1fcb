// One command at a time changes a keyring file: two that read the same keys would undo each other's change.
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Acted, decline } from './operations/admin/admin.ts';
import type { Lock } from './store/sqlite/connection.ts';
import { keyringFileOf } from './tokens/keyring-file.ts';

const RETRY_MS = 50;
/** Ten seconds. A command takes much less than one. */
const TRIES = 200;

/** Waits for other commands. The lock of a command that is killed ends with it. */
export async function withKeyringLocked<T>(path: string, work: () => Acted<T>): Acted<T> {
  const file = `${keyringFileOf(path)}.lock`;
  const lock = await waitFor(file);
  if (!lock) return decline('keyring-busy', file);
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
    lock.release();
  }
}

async function waitFor(file: string): Promise<Lock | undefined> {
  const { lockFile } = await import('./store/sqlite/connection.ts'); // a service never needs it
  for (let tried = 0; tried < TRIES; tried++) {
    if (tried > 0) await sleep(RETRY_MS);
    const lock = unlessForeign(() => lockFile(file));
    if (lock) return lock;
  }
  return undefined;
}

/** A file that SQLite cannot use is the lock of an older release, or of another user. */
function unlessForeign(take: () => Lock | undefined): Lock | undefined {
  try {
    return take();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SQLITE_ERROR') return undefined;
    throw error;
  }
}
