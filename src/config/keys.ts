import type { StoredKey } from '../tokens/keyring.ts';
import { readKeyringFile } from '../tokens/keyring-file.ts';
import { parseKeyring } from '../tokens/keyring-text.ts';
import type { Config } from './schema.ts';

/** Reads the keys from their configured place; undefined if the file or variable does not exist. */
export function readKeys({ keyring }: Config, env: NodeJS.ProcessEnv): StoredKey[] | undefined {
  if (keyring.from === 'file') return readKeyringFile(keyring.path);
  const text = env[keyring.name];
  return text === undefined ? undefined : parseKeyring(text, keyring.name);
}
