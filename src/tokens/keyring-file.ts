import { closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { KeyringFault, type StoredKey } from './keyring.ts';
import { formatKeyring, parseKeyring } from './keyring-text.ts';

export function readKeyringFile(path: string): StoredKey[] | undefined {
  let mode: number;
  try {
    mode = statSync(path).mode & 0o777;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  if (mode & 0o077) {
    throw new KeyringFault(`others may read the keyring ${path} (mode ${mode.toString(8)}). Do: chmod 600 ${path}`);
  }
  return parseKeyring(readFileSync(path, 'utf8'), path);
}

/** Writes another file and renames it, so that a crash leaves either the old keyring or the new one, complete. */
export function writeKeyringFile(path: string, keys: readonly StoredKey[]): void {
  const beside = `${path}.${process.pid}.new`;
  writeDurably(beside, formatKeyring(keys));
  renameSync(beside, path);
  syncFolder(dirname(path));
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'w', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
