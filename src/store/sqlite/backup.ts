// Backups of a SQLite store: taken while the service writes, restored while it is stopped.
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { openCopy, openForReading } from './connection.ts';

/** Pages copied in one step; the service can write between two steps. */
const STEP_PAGES = 500;

/** What `backUp` writes until the copy is complete. */
export function unfinishedFiles(to: string): readonly string[] {
  return [`${to}.unfinished`, `${to}.unfinished-journal`];
}

/** What `restore` writes until the copy is in place. */
export function unfinishedRestore(to: string): readonly string[] {
  return [`${to}.restored`, ...unfinishedFiles(`${to}.restored`)];
}

/** A complete copy as of one moment, mode 0600. It gets its name when it is complete. */
export async function backUp(from: string, to: string, onProgress: (part: number) => void): Promise<void> {
  await copyAs(openForReading(from), to, onProgress);
}

async function copyAs(source: DatabaseSync, to: string, onProgress: (part: number) => void): Promise<void> {
  const unfinished = `${to}.unfinished`;
  try {
    closeSync(openSync(unfinished, 'w', 0o600));
    await copyPages(source, unfinished, onProgress);
    sync(unfinished);
    renameSync(unfinished, to);
  } finally {
    source.close();
    rmSync(unfinished, { force: true });
  }
}

async function copyPages(source: DatabaseSync, to: string, onProgress: (part: number) => void): Promise<void> {
  const progress = ({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }) =>
    onProgress(totalPages > 0 ? 1 - remainingPages / totalPages : 1);
  await backup(source, to, { rate: STEP_PAGES, progress });
}

/** Why a file cannot be restored; undefined if it can. */
export function whyNoCopy(path: string): string | undefined {
  if (!existsSync(path)) return 'there is no such file';
  try {
    const database = openCopy(path);
    const found = database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check'];
    database.prepare('SELECT count(*) FROM grants').get();
    database.close();
    return found === 'ok' ? undefined : String(found);
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * Replaces a store that no process has open with a copy. The old store is kept beside it under an unused name, which is
 * returned. The copy is complete before the old store is moved.
 */
export async function restore(copy: string, to: string): Promise<string | undefined> {
  const ready = `${to}.restored`;
  rmSync(ready, { force: true });
  await copyAs(openCopy(copy), ready, () => undefined);
  try {
    const before = existsSync(to) ? unusedName(`${to}.before-restore`) : undefined;
    if (before) takeAside(to, before);
    renameSync(ready, to);
    return before;
  } finally {
    rmSync(ready, { force: true }); // still there if the store is in use
  }
}

function unusedName(path: string): string {
  for (let count = 1; ; count++) if (!existsSync(`${path}-${count}`)) return `${path}-${count}`;
}

/** Writes the WAL into the file first, which fails if another process has it open. */
function takeAside(path: string, aside: string): void {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
  for (const rest of ['-wal', '-shm']) rmSync(path + rest, { force: true });
  renameSync(path, aside);
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}
