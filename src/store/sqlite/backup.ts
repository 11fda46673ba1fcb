// Backups of a SQLite store: taken while the service writes, restored while it is stopped.
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { openForReading } from './connection.ts';

/** Pages copied in one step; the service can write between two steps. */
const STEP_PAGES = 500;

/** A complete copy as of one moment, mode 0600. It gets its name when it is complete. */
export async function backUp(from: string, to: string, onProgress: (part: number) => void): Promise<void> {
  const unfinished = `${to}.unfinished`;
  closeSync(openSync(unfinished, 'w', 0o600));
  try {
    await copyPages(from, unfinished, onProgress);
    sync(unfinished);
    renameSync(unfinished, to);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

async function copyPages(from: string, to: string, onProgress: (part: number) => void): Promise<void> {
  const source = openForReading(from);
  try {
    const progress = ({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }) =>
      onProgress(totalPages > 0 ? 1 - remainingPages / totalPages : 1);
    await backup(source, to, { rate: STEP_PAGES, progress });
  } finally {
    source.close();
  }
}

/** Why a file cannot be restored; undefined if it can. */
export function whyNoCopy(path: string): string | undefined {
  if (!existsSync(path)) return 'there is no such file';
  try {
    const database = new DatabaseSync(path, { readOnly: true });
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
  await backUp(copy, ready, () => undefined);
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
