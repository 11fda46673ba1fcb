import type { StoredKey } from './keyring.ts';
import { KeyringFault } from './keyring.ts';
import { parseKeyring, readKeyringFile } from './keyring-file.ts';

/** Where a keyring is: a file of mode 0600, or a variable of the environment that holds its text. */
export type KeyringSource =
  | { readonly from: 'file'; readonly path: string }
  | { readonly from: 'variable'; readonly name: string };

/** Undefined where there is none yet; what is there but damaged is a fault. */
export function readKeyring(
  source: KeyringSource,
  env: Readonly<Record<string, string | undefined>>,
): StoredKey[] | undefined {
  if (source.from === 'file') return readKeyringFile(source.path);
  const text = env[source.name];
  if (!text) throw new KeyringFault(`the environment variable ${source.name} holds no keyring`);
  return parseKeyring(text, `in ${source.name}`);
}
