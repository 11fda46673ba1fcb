import { closeSync, fchmodSync, openSync, rmSync } from 'node:fs';
import { namingFile, writeAll } from '../../written-file.ts';

export const FOR_OWNER = 0o600;
export const FOR_READERS = 0o644;

/** Writes a new file with exactly this mode, regardless of the umask. Fails if the file exists. Leaves no part of it. */
export function writeNewFile(path: string, text: string, mode: number): void {
  const file = openSync(path, 'wx', FOR_OWNER);
  try {
    fchmodSync(file, mode);
    namingFile(path, () => writeAll(file, text));
  } catch (error) {
    rmSync(path);
    throw error;
  } finally {
    closeSync(file);
  }
}
