// The keyring that the configuration names.
import { readKeys } from './config/keys.ts';
import type { Config } from './config/schema.ts';
import { type AdminOutcome, decline } from './operations/admin/admin.ts';
import { checkKeyring } from './operations/admin/check-keyring.ts';
import type { Store } from './store/store.ts';
import { Keyring, type StoredKey } from './tokens/keyring.ts';
import { writeKeyringFile } from './tokens/keyring-file.ts';

type Keys = readonly StoredKey[];

/** Loads the keys, and throws unless they are the ones that the store knows. */
export async function openKeyring(config: Config, store: Store): Promise<Keys> {
  const keys = readKeys(config, process.env);
  await checkKeyring(keys && new Keyring(keys), store);
  return keys ?? [];
}

/** Loads the keys, changes them and stores them. Refused before anything changes if they cannot be stored. */
export async function changeKeyring(
  { config, store }: { readonly config: Config; readonly store: Store },
  change: (keys: Keys) => Promise<AdminOutcome<Keys>>,
): Promise<AdminOutcome<Keys>> {
  const { keyring } = config;
  if (keyring.from === 'variable') return decline('keyring-in-variable', keyring.name);
  const changed = await change(await openKeyring(config, store));
  if (changed.ok) writeKeyringFile(keyring.path, changed.value);
  return changed;
}
