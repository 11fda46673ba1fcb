// The keyring that the configuration names.
import { readKeys } from './config/keys.ts';
import type { Config } from './config/schema.ts';
import { accept } from './core/outcome.ts';
import { type AdminOutcome, decline } from './operations/admin/admin.ts';
import { checkKeyring } from './operations/admin/check-keyring.ts';
import type { Store } from './store/store.ts';
import { Keyring, KeyringFault, type StoredKey } from './tokens/keyring.ts';
import { writeKeyringFile } from './tokens/keyring-file.ts';

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

/** Loads the keys for a change of several steps, each of which stores them. Refused if they cannot be stored. */
export async function openKeyringForChange({
  config,
  store,
}: {
  readonly config: Config;
  readonly store: Store;
}): Promise<AdminOutcome<{ readonly keys: Keys; readonly storeKeys: (keys: Keys) => void }>> {
  const { keyring } = config;
  if (keyring.from === 'variable') return decline('keyring-in-variable', keyring.name);
  return accept({
    keys: await openKeyring(config, store),
    storeKeys: (keys) => writeKeyringFile(keyring.path, keys),
  });
}

/** Loads the keys, changes them and stores them. Refused before anything changes if they cannot be stored. */
export async function changeKeyring(
  place: { readonly config: Config; readonly store: Store },
  change: (keys: Keys) => Promise<AdminOutcome<Keys>>,
): Promise<AdminOutcome<Keys>> {
  const opened = await openKeyringForChange(place);
  if (!opened.ok) return opened;
  const changed = await change(opened.value.keys);
  if (changed.ok) opened.value.storeKeys(changed.value);
  return changed;
}
