// Files that survive a power failure. Synchronous: a few milliseconds, once per refresh.
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/**
 * Fills the file with blanks, on the disk: a file system may promise space that it does not have. Space that a killed process has
 * left is kept, so it is there for the next one even if the disk is full by then.
 */
export function reserve(path: string, bytes: number): void {
  withFile(path, EXISTING | O_CREAT, (file) => {
    writeAll(file, ' '.repeat(bytes));
    fsyncSync(file);
  });
}

/** Writes into reserved space, without a need for more. */
export function overwriteDurably(path: string, text: string): void {
  withFile(path, EXISTING, (file) => {
    writeAll(file, text);
    fsyncSync(file);
  });
}

/** Writes into the reserved space, then renames it over the file. */
export function replaceDurably(path: string, reserved: string, text: string): void {
  withFile(reserved, EXISTING, (file) => {
    writeAll(file, text);
    fsyncSync(file);
    renameSync(reserved, path);
    syncFolder(path);
    // The rest is blanks. They go last: until the rename, the whole space may be needed again.
    ftruncateSync(file, Buffer.byteLength(text));
  });
}

/** Makes new and removed names durable. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return; // folders cannot be opened there
  withFile(dirname(path), constants.O_RDONLY, fsyncSync);
}

/** A link that somebody has put there is not followed. On Windows O_NOFOLLOW is undefined, which counts as 0. */
const { O_WRONLY, O_CREAT, O_NOFOLLOW } = constants;
const EXISTING = O_WRONLY | O_NOFOLLOW;

function withFile(path: string, flags: number, work: (file: number) => void): void {
  const file = openSync(path, flags, 0o600);
  try {
    if (flags !== constants.O_RDONLY) refuseForeign(file, path);
    if (flags !== constants.O_RDONLY) fchmodSync(file, 0o600);
    work(file);
  } finally {
    closeSync(file);
  }
}

/** In a folder that others may write to, somebody may have made the file first and have it open: they would read the tokens. */
function refuseForeign(file: number, path: string): void {
  const { uid } = fstatSync(file);
  if (process.getuid && uid !== process.getuid()) throw new Error(`${path} belongs to another user (uid ${uid})`);
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at);
}
