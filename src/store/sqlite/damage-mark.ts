// A note that files of the store were lost while in use: the next start could not tell, and revoked grants would work.
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { StoreUnusable } from '../store.ts';

export interface FileMark {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
}

interface Note {
  readonly why: string;
  /** The files as they were, by the ending of their names. */
  readonly files: Readonly<Record<string, FileMark>>;
}

function damageMark(path: string): string {
  return `${path}.damaged`;
}

/** Where nothing can be written, there is no mark. */
export function markDamage(path: string, note: Note): void {
  try {
    writeFileSync(damageMark(path), JSON.stringify(note), { mode: 0o600 });
  } catch {}
}

export function unmarkDamage(path: string): void {
  try {
    rmSync(damageMark(path), { force: true });
  } catch {}
}

/** Undefined if there is no mark, or if the files are all back in their places: then the mark is removed. */
export function whyMarked(path: string): string | undefined {
  const note = readNote(path);
  if (!note) return undefined;
  if (!Object.entries(note.files).every(([ending, mark]) => isBack(path + ending, mark))) return note.why;
  unmarkDamage(path);
  return undefined;
}

export function refuseMarked(path: string): void {
  const why = whyMarked(path);
  if (why === undefined) return;
  throw new StoreUnusable(
    `the store was damaged while it was in use: ${why}`,
    `Put the file back, or: tessera restore FILE. To go on without what is lost, revocations included, delete ${damageMark(path)}`,
  );
}

function readNote(path: string): Note | undefined {
  let text: string;
  try {
    text = readFileSync(damageMark(path), 'utf8');
  } catch {
    return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return { why: 'nobody knows how', files: { '': NO_FILE } }; // the disk may have been full
  }
}

const NO_FILE: FileMark = { dev: -1, ino: -1, size: 0 };

function isBack(path: string, { dev, ino, size }: FileMark): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.dev === dev && found.ino === ino && found.size >= size;
}
