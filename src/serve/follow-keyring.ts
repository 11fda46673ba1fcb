import type { Log } from '../log/log.ts';
import type { Keyring, StoredKey } from '../tokens/keyring.ts';
import { every, WatchedFiles } from './watch.ts';

export interface FollowedKeyring {
  readonly path: string;
  readonly keyring: Keyring;
  /** Loads the keys and checks that the store knows them. */
  readonly readKeys: () => Promise<readonly StoredKey[]>;
  /** Makes the store agree with these keys. */
  readonly apply: (keys: readonly StoredKey[]) => Promise<unknown>;
  readonly log: Log;
}

const KEYRING_EVERY_MS = 1_000;

/** Commands add, mint with and retire keys; a running service follows the keyring file. */
export function followKeyring({ path, keyring, readKeys, apply, log }: FollowedKeyring): () => Promise<void> {
  const file = new WatchedFiles([path]);
  file.readIfChanged();
  // A change that could not be applied is retried: the store may be away for a moment, or the file's mode be wrong.
  let isDue = false;
  const follow = async () => {
    if (file.readIfChanged()) isDue = true;
    if (!isDue) return;
    const keys = await readKeys();
    keyring.exchange(keys);
    await apply(keys);
    isDue = false;
    log.info({ minting: keyring.minting.id }, 'the keyring was read again');
  };
  // Logged once, not on every check of the file.
  let logged = '';
  return every(KEYRING_EVERY_MS, follow, (fault) => {
    if (logged !== String(fault))
      log.error({ fault: String(fault) }, 'the keyring could not be read again: the one in memory serves on');
    logged = String(fault);
  });
}
