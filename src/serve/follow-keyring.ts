import type { Log } from '../log/log.ts';
import type { Keyring, StoredKey } from '../tokens/keyring.ts';
import { every, WatchedFiles } from './watch.ts';

export interface FollowedKeyring {
  readonly path: string;
  readonly keyring: Keyring;
  /** The keys, having checked that they are those the store knows. */
  readonly readKeys: () => Promise<readonly StoredKey[]>;
  /** Remembers in the store which key mints, so that no node starts without it. */
  readonly markMinting: () => Promise<unknown>;
  readonly log: Log;
}

const KEYRING_EVERY_MS = 1_000;

/** Keys are added, minted with and retired by commands; a running service takes the file's word for it. */
export function followKeyring({ path, keyring, readKeys, markMinting, log }: FollowedKeyring): () => Promise<void> {
  const file = new WatchedFiles([path]);
  file.readIfChanged();
  // What could not be taken up stays due: the store may be away for a moment, or the file's mode be mended.
  let isDue = false;
  const follow = async () => {
    if (file.readIfChanged()) isDue = true;
    if (!isDue) return;
    keyring.exchange(await readKeys());
    await markMinting();
    isDue = false;
    log.info({ minting: keyring.minting.id }, 'the keyring was read again');
  };
  // Once, and not with every look at the file.
  let told = '';
  return every(KEYRING_EVERY_MS, follow, (fault) => {
    if (told !== String(fault))
      log.error({ fault: String(fault) }, 'the keyring could not be read again: the one in memory serves on');
    told = String(fault);
  });
}
