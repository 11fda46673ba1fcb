// What all files that replace another one, or must be complete, have in common.
import { closeSync, fchownSync, fstatSync, fsyncSync, openSync, statSync, writeSync } from 'node:fs';

/** A failed write does not say which file it was for. */
export function namingFile<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const fault = error as NodeJS.ErrnoException;
    if (fault.code !== undefined) fault.path ??= path;
    throw fault;
  }
}

/** From the beginning of the file. A single write may stop early, for example on a disk that is almost full. */
export function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at);
}

/** Makes a file durable, or the names in a folder: a file whose name is not on the disk is lost, even if its contents were synced. */
export function syncPath(path: string): void {
  const opened = openSync(path, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/**
 * Gives a new file the owner and group of the one that it will replace: root may run a command for a service of another user.
 * Throws if the file would get another owner. A group that cannot be kept is no reason to fail.
 */
export function keepOwner(file: number, replaced: string): void {
  const before = statSync(replaced, { throwIfNoEntry: false });
  const { uid, gid } = fstatSync(file);
  if (!before || (before.uid === uid && before.gid === gid)) return;
  try {
    fchownSync(file, before.uid, before.gid);
  } catch (error) {
    // EINVAL: the namespace of this process does not have the owner.
    if (before.uid !== uid) throw Object.assign(error as Error, { path: replaced, code: 'EPERM' });
  }
}
