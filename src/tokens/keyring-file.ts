import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { keepOwner, namingFile, syncPath, writeAll } from '../written-file.ts';
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

/** The file itself, if `path` is a link to it: a rename would replace the link. */
export function keyringFileOf(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) ? realpathSync(path) : path;
}

/** More than the longest key that one command adds. */
const LONGEST_KEY = 16_384;

/**
 * The file that will replace a keyring. It takes its space before anything is decided, in case the disk is full, and is
 * renamed, so that a crash leaves the old keyring or the new one. One command at a time may have it.
 */
export class NextKeyringFile {
  readonly #path: string;
  readonly #beside: string;
  #file: number | undefined;

  constructor(path: string) {
    this.#path = keyringFileOf(path);
    this.#beside = `${this.#path}.new`;
    this.#file = this.#reserve();
  }

  /** May be called again. */
  write(keys: readonly StoredKey[]): void {
    const file = this.#file ?? this.#reserve();
    const text = formatKeyring(keys);
    namingFile(this.#path, () => {
      writeAll(file, text);
      ftruncateSync(file, Buffer.byteLength(text));
      fsyncSync(file);
      renameSync(this.#beside, this.#path);
    });
    this.#close(file);
    syncPath(dirname(this.#path));
  }

  /** Removes it, unless it was written. */
  discard(): void {
    if (this.#file === undefined) return;
    this.#close(this.#file);
    rmSync(this.#beside, { force: true });
  }

  #reserve(): number {
    removeLeftover(this.#beside);
    this.#file = openSync(this.#beside, 'wx', 0o600);
    try {
      this.#fill(this.#file);
      return this.#file;
    } catch (error) {
      this.discard();
      throw error;
    }
  }

  #fill(file: number): void {
    const size = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
    namingFile(this.#path, () => {
      keepOwner(file, this.#path);
      writeAll(file, ' '.repeat(size + LONGEST_KEY));
      fsyncSync(file);
    });
  }

  #close(file: number): void {
    closeSync(file);
    this.#file = undefined;
  }
}

/** Of a command that was killed. Not by rmSync, which has its own words for a folder. */
function removeLeftover(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

export function writeKeyringFile(path: string, keys: readonly StoredKey[]): void {
  const next = new NextKeyringFile(path);
  try {
    next.write(keys);
  } finally {
    next.discard();
  }
}
