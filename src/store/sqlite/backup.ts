// Backups of a SQLite store: taken while the service writes, restored while it is stopped.
import { closeSync, copyFileSync, existsSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { keepOwner, syncPath } from '../../written-file.ts';
import { StoreUnusable } from '../store.ts';
import { openCopy, openForReading, openUnchanged, pin } from './connection.ts';
import { isBusy } from './faults.ts';
import { unmarkDamage, whyMarked } from './files.ts';

/** Pages copied in one step; the service can write between two steps. */
const STEP_PAGES = 500;

/** What `backUp` writes until the copy is complete. */
export function unfinishedFiles(to: string): readonly string[] {
  return [`${to}.unfinished`, `${to}.unfinished-journal`];
}

/** What `restore` writes until the copy is in place. */
export function unfinishedRestore(to: string): readonly string[] {
  const { ready, former } = workFiles(to);
  return [
    ...unfinishedFiles(ready),
    ...[ready, former].flatMap((path) => ['', '-wal', '-shm'].map((rest) => path + rest)),
  ];
}

function workFiles(to: string): { readonly ready: string; readonly former: string } {
  return { ready: `${to}.restored`, former: `${to}.former` };
}

/** A complete copy as of one moment, mode 0600. It gets its name when it is complete and was found sound. */
export async function backUp(from: string, to: string, onProgress: (part: number) => void): Promise<void> {
  await copyAs(openForReading(from), to, onProgress, (copy) => {
    const why = whyNoCopy(copy);
    if (why !== undefined) throw new StoreUnusable(`the store ${from} is damaged: ${why}`, DAMAGED);
  });
}

const DAMAGED =
  'Nothing was copied. Stop the service, and restore the store from an earlier copy: tessera restore FILE';

async function copyAs(
  source: DatabaseSync,
  to: string,
  onProgress: (part: number) => void,
  check: (copy: string) => void = () => undefined,
): Promise<void> {
  const unfinished = `${to}.unfinished`;
  try {
    closeSync(openSync(unfinished, 'w', 0o600));
    await copyPages(source, unfinished, onProgress);
    syncPath(unfinished);
    check(unfinished);
    renameSync(unfinished, to);
  } finally {
    source.close();
    rmSync(unfinished, { force: true });
  }
}

async function copyPages(source: DatabaseSync, to: string, onProgress: (part: number) => void): Promise<void> {
  const progress = ({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }) =>
    onProgress(totalPages > 0 ? 1 - remainingPages / totalPages : 1);
  pin(source); // otherwise the copy would begin again with every commit of the service, and never end
  await backup(source, to, { rate: STEP_PAGES, progress });
}

export function whyNoCopy(path: string): string | undefined {
  if (!existsSync(path)) return 'there is no such file';
  try {
    return whyUnsound(openCopy(path));
  } catch (error) {
    return (error as Error).message;
  }
}

/** Closes it, too. */
function whyUnsound(database: DatabaseSync): string | undefined {
  try {
    const found = database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check'];
    database.prepare('SELECT count(*) FROM grants').get();
    return found === 'ok' ? undefined : String(found);
  } finally {
    database.close();
  }
}

export interface Replaced {
  /** Where it is now; undefined if there was nothing. */
  readonly before: string | undefined;
  /** Why it could not be used; undefined if it could. */
  readonly damage: string | undefined;
}

/**
 * Replaces a store that no process has open with a copy, and keeps the old one beside it under an unused name. `prepare` gets the copy, and
 * the old store or, if that is damaged, a copy of what is left of it. Up to the end, the old store is in its place: whoever is
 * interrupted can begin anew.
 */
export async function restore(
  copy: string,
  to: string,
  prepare: (restored: string, former: string | undefined) => Promise<void>,
): Promise<Replaced> {
  const { ready, former } = workFiles(to);
  for (const path of unfinishedRestore(to)) rmSync(path, { force: true, recursive: true });
  await copyAs(openCopy(copy), ready, () => undefined);
  try {
    keepOwnerOf(ready, to);
    const damage = whyDamaged(to);
    const isSound = damage === undefined && existsSync(to);
    if (isSound) settle(to);
    await prepare(ready, isSound ? to : copyOfFiles(to, former));
    settle(ready);
    syncPath(ready);
    const before = takeAside(to, damage);
    renameSync(ready, to);
    unmarkDamage(to);
    syncPath(dirname(to));
    return { before, damage };
  } finally {
    for (const path of unfinishedRestore(to)) rmSync(path, { force: true, recursive: true });
  }
}

/** Undefined if the store is sound, or if there is none. Changes nothing: a WAL that belongs to a damaged database is evidence. */
export function whyDamaged(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return existsSync(`${path}-wal`) ? 'the database is gone, only its WAL is there' : undefined;
  if (!found.isFile()) return 'it is not a file';
  const marked = whyMarked(path);
  if (marked !== undefined) return marked;
  if (found.size === 0) return 'it is empty'; // SQLite would delete its WAL
  try {
    return whyUnsound(openUnchanged(path));
  } catch (error) {
    if (isBusy(error)) throw error;
    return (error as Error).message;
  }
}

/** What is left of a damaged store, to be opened without changing it. Undefined if there is no database. */
function copyOfFiles(path: string, to: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size === 0) return undefined;
  for (const rest of ['', '-wal']) if (existsSync(path + rest)) copyFileSync(path + rest, to + rest);
  return to;
}

function takeAside(path: string, damage: string | undefined): string | undefined {
  if (damage === undefined && !existsSync(path)) return undefined;
  const aside = unusedName(`${path}.before-restore`);
  if (damage === undefined) settle(path);
  else if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${aside}-wal`);
  // SQLite would apply whatever it finds under these names to the restored database.
  for (const rest of ['-wal', '-shm']) rmSync(path + rest, { force: true });
  if (existsSync(path)) keepAs(path, aside);
  return aside;
}

/** A second name, so that there is no moment without a store; where that is not possible, another name. */
function keepAs(path: string, aside: string): void {
  try {
    linkSync(path, aside);
  } catch {
    renameSync(path, aside);
  }
}

function unusedName(path: string): string {
  for (let count = 1; ; count++)
    if (['', '-wal'].every((rest) => !existsSync(`${path}-${count}${rest}`))) return `${path}-${count}`;
}

/** Writes the WAL into the file, which throws busy if another process has it open. */
export function settle(path: string): void {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
}

function keepOwnerOf(path: string, replaced: string): void {
  const file = openSync(path, 'r');
  try {
    keepOwner(file, replaced);
  } finally {
    closeSync(file);
  }
}
