// One command at a time changes a keyring file: two that read the same keys would undo each other's change.
import { setTimeout as sleep } from 'node:timers/promises';
import { type HeldLock, takeLock } from '../sdk/client/src/store/lock-file.ts';
import { type AdminOutcome, decline } from './operations/admin/admin.ts';
import { keyringFileOf } from './tokens/keyring-file.ts';
import { namingFile } from './written-file.ts';

const RETRY_MS = 50;
/** Ten seconds. A command takes much less than one. */
const TRIES = 200;

/** Waits for other commands. A lock that a killed command has left counts for nothing. */
export async function withKeyringLocked<T>(
  path: string,
  work: () => Promise<AdminOutcome<T>>,
): Promise<AdminOutcome<T>> {
  const file = `${keyringFileOf(path)}.lock`;
  const lock = await waitFor(file, path);
  if (!lock) return decline('keyring-busy', file);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function waitFor(file: string, keyring: string): Promise<HeldLock | undefined> {
  for (let tried = 0; tried < TRIES; tried++) {
    if (tried > 0) await sleep(RETRY_MS);
    const lock = namingFile(keyring, () => takeLock(file));
    if (lock) return lock;
  }
  return undefined;
}
