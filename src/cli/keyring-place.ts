// Where the configuration says that the keys are, and how commands change them there.
import { readKeys } from '../config/keys.ts';
import type { Config } from '../config/schema.ts';
import type { AdminOutcome } from '../operations/admin/admin.ts';
import { checkKeyring } from '../operations/admin/check-keyring.ts';
import { rows } from '../store/pages.ts';
import type { Store } from '../store/store.ts';
import { integrations } from '../store/tables/registry.ts';
import { Keyring, type StoredKey } from '../tokens/keyring.ts';
import { writeKeyringFile } from '../tokens/keyring-file.ts';
import { CommandFailure } from './terminal/exit.ts';
import { granted } from './terminal/wording.ts';
import type { Workplace } from './terminal/workplace.ts';

/** The keys, having checked that they are those the store knows: no command changes a keyring of another installation. */
export async function keysOf(config: Config, store: Store): Promise<readonly StoredKey[]> {
  const keys = readKeys(config, process.env);
  await checkKeyring(keys && new Keyring(keys), store);
  return keys ?? [];
}

/** Reads the keys, changes them, writes them back. What cannot be written is refused before anything changes. */
export async function changeKeys(
  { config, store }: Workplace,
  change: (keys: readonly StoredKey[]) => Promise<AdminOutcome<readonly StoredKey[]>>,
): Promise<readonly StoredKey[]> {
  const { keyring } = config;
  if (keyring.from === 'variable') {
    throw new CommandFailure(
      'refused',
      `the keyring is in the variable ${keyring.name}, which a command cannot change`,
      'Keep it in a file while you change it: --set keyring=FILE.',
    );
  }
  const next = granted(await change(await keysOf(config, store)));
  writeKeyringFile(keyring.path, next);
  return next;
}

/** The longest lifetime that the server or an integration gives access tokens. */
export async function longestAccessToken({ tokens }: Config, store: Store): Promise<number> {
  const own = await Array.fromAsync(rows(store, integrations), ({ overrides }) => overrides.accessTokenLifetime ?? 0);
  return Math.max(tokens.accessTokenLifetime, ...own);
}
