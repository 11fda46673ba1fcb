// The keyring that the configuration names.
import { readKeys } from './config/keys.ts';
import type { Config } from './config/schema.ts';
import { withKeyringLocked } from './lock-keyring.ts';
import { type Acted, decline } from './operations/admin/admin.ts';
import { checkKeyring } from './operations/admin/mac-keys.ts';
import type { Store } from './store/store.ts';
import { Keyring, KeyringFault, type StoredKey } from './tokens/keyring.ts';
import { NextKeyringFile } from './tokens/keyring-file.ts';

type Keys = readonly StoredKey[];

/** Loads the keys, and throws unless they are the ones that the store knows. */
export async function openKeyring(config: Config, store: Store): Promise<Keys> {
  const keys = readKeys(config, process.env);
  if (!keys && config.keyring.from === 'variable') {
    throw new KeyringFault(
      `the variable ${config.keyring.name}, which should contain the keyring, is not set. Set it in the environment of the service, or set keyring: to a file.`,
    );
  }
  await checkKeyring(keys && new Keyring(keys), store);
  return keys ?? [];
}

interface KeyringForChange {
  readonly keys: Keys;
  /** May be called after each of several steps. */
  readonly storeKeys: (keys: Keys) => void;
}

/**
 * Loads the keys and lets `work` change them, while no other command does. Refused or thrown before anything changes if they
 * cannot be stored.
 */
export async function withKeyring<T>(
  { config, store }: { readonly config: Config; readonly store: Store },
  work: (keyring: KeyringForChange) => Acted<T>,
): Acted<T> {
  const { keyring } = config;
  if (keyring.from === 'variable') return decline('keyring-in-variable', keyring.name);
  await openKeyring(config, store); // a keyring that cannot be used is not locked
  return withKeyringLocked(keyring.path, async () => {
    const next = new NextKeyringFile(keyring.path);
    try {
      return await work({ keys: await openKeyring(config, store), storeKeys: (keys) => next.write(keys) });
    } finally {
      next.discard();
    }
  });
}

/** Loads the keys, changes them and stores them, as `withKeyring` does. */
export function changeKeyring(
  place: { readonly config: Config; readonly store: Store },
  change: (keys: Keys) => Acted<Keys>,
): Acted<Keys> {
  return withKeyring(place, async ({ keys, storeKeys }) => {
    const changed = await change(keys);
    if (changed.ok) storeKeys(changed.value);
    return changed;
  });
}
