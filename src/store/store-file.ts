// What can be wrong with the path of a store in a file.
import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { StoreUnusable } from './store.ts';

export const MISSING_STORE =
  'For a new installation: tessera init. Otherwise check --config and the path, or: tessera restore FILE.';

export function unreachable(path: string, code: string | undefined): StoreUnusable {
  return new StoreUnusable(`${path} cannot be reached (${code})`, REACH_TODOS[code ?? ''] ?? CHECK_PATH);
}

const CHECK_PATH = 'Check the path, and where its links lead.';
const REACH_TODOS: Readonly<Record<string, string>> = {
  EACCES: 'Run this as the user that runs the service.',
  ENOTDIR: 'Part of the path is a file, not a folder: check dataFolder.',
};

export function onReadOnlyDisk(path: string): StoreUnusable {
  return new StoreUnusable(
    `${path} is on a read-only file system (EROFS)`,
    'Mount it writable: the service and its commands write there. If nobody made it read-only, the disk has errors: see the log of the system.',
  );
}

/** SQLite keeps the WAL beside the file that a link leads to; moving either would part them. A link to the folder is fine. */
export function refuseLink(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  const target = resolve(dirname(path), readlinkSync(path));
  throw new StoreUnusable(
    `${path} is a symbolic link, which a store cannot be`,
    `Name the file itself in the configuration: store: sqlite:${target}. Or let its folder be the link.`,
  );
}
