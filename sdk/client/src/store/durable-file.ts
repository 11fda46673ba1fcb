// Files that survive a power failure. Synchronous: a few milliseconds, once per refresh.
import { closeSync, constants, fchmodSync, fsyncSync, ftruncateSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Fills the file with blanks up to this size, on the disk: a file system may promise space that it does not have. */
export function reserve(path: string, bytes: number): void {
  writeDurably(path, ' '.repeat(bytes));
}

export function writeDurably(path: string, text: string): void {
  withFile(path, NEW, (file) => {
    writeAll(file, text);
    fsyncSync(file);
  });
}

/** Writes into the reserved space, then renames it over the file. */
export function replaceDurably(path: string, reserved: string, text: string): void {
  withFile(reserved, EXISTING, (file) => {
    writeAll(file, text);
    ftruncateSync(file, Buffer.byteLength(text));
    fsyncSync(file);
  });
  renameSync(reserved, path);
  syncFolder(path);
}

/** Makes new and removed names durable. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return; // folders cannot be opened there
  withFile(dirname(path), constants.O_RDONLY, fsyncSync);
}

/** A link that somebody has put there is not followed. On Windows O_NOFOLLOW is undefined, which counts as 0. */
const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
const EXISTING = O_WRONLY | O_NOFOLLOW;
const NEW = EXISTING | O_CREAT | O_TRUNC;

function withFile(path: string, flags: number, work: (file: number) => void): void {
  const file = openSync(path, flags, 0o600);
  try {
    if (flags !== constants.O_RDONLY) fchmodSync(file, 0o600);
    work(file);
  } finally {
    closeSync(file);
  }
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at);
}
