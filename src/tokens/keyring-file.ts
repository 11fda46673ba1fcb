import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { KeyringFault, type StoredKey } from './keyring.ts';
import { formatKeyring, parseKeyring } from './keyring-text.ts';

export function readKeyringFile(path: string): StoredKey[] | undefined {
  const text = readText(path);
  return text === undefined ? undefined : parseKeyring(text, path);
}

function readText(path: string): string | undefined {
  try {
    const stats = statSync(path);
    if (stats.isFile()) refuseReadable(path, stats.mode & 0o777);
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    if (code === 'ENOENT') return undefined;
    const todo =
      code === 'EISDIR'
        ? 'It is a folder: put the file there, or name the file.'
        : 'Run this as the user that owns it.';
    throw new KeyringFault(`the keyring ${path} cannot be read (${code}). ${todo}`);
  }
}

function refuseReadable(path: string, mode: number): void {
  if (mode & 0o077) {
    throw new KeyringFault(`others may read the keyring ${path} (mode ${mode.toString(8)}). Do: chmod 600 ${path}`);
  }
}

/** Writes another file and renames it, so that a crash leaves either the old keyring or the new one, complete. */
export function writeKeyringFile(path: string, keys: readonly StoredKey[]): void {
  const beside = `${path}.${process.pid}.new`;
  try {
    writeDurably(beside, formatKeyring(keys));
    renameSync(beside, path);
  } finally {
    rmSync(beside, { force: true }); // still there if the disk is full
  }
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
