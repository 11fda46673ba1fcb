// A lock between processes that ends with its holder, also by kill -9. Node has no flock, so this uses only link, rename and
// unlink, which are atomic:
//
//   PATH               exists while the lock is held; names its owner
//   PATH.ID            the record of a process that tries, complete before it is linked to PATH
//   PATH.claim.ID      the right to replace the dead owner ID; names the claimant
//
// A free lock is taken by linking one's record to PATH, which fails if PATH exists. The lock of a dead owner is replaced by its
// claimant alone: linking the claim fails if there is one. A claimant that dies is replaced in the same way, by a claim on
// it. Whoever gets a claim checks again that PATH still leads to it: if not, somebody else was faster. Owner ids never
// repeat, so a claim on an owner that is gone is void for ever.
import {
  closeSync,
  fstatSync,
  futimesSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDead, newOwner, type Owner, parseOwner, TOUCH_MS } from './process-life.ts';

export interface HeldLock {
  release(): void;
}

/** Takes the lock, or returns undefined at once if a living process has it. */
export function takeLock(path: string): HeldLock | undefined {
  const before = readRecord(path);
  if (before && !before.isDead) return undefined;
  const own = newOwner();
  const record = `${path}.${own.id}`;
  try {
    writeFileSync(record, JSON.stringify(own), { flag: 'wx', mode: 0o600 });
    return link(record, path) || takeOver(path, record) ? hold(path) : undefined;
  } finally {
    rmSync(record, { force: true });
  }
}

function takeOver(path: string, record: string): boolean {
  const dead = deadChain(path);
  return dead !== undefined && replaceDead(path, record, dead);
}

/** `dead`: what `deadChain` found. Much may have happened since then. */
export function replaceDead(path: string, record: string, dead: readonly string[]): boolean {
  const claim = claimOn(path, dead.at(-1));
  if (!link(record, claim)) return false;
  const isStill = chainIds(path, dead.length).join() === dead.join();
  if (!isStill) {
    rmSync(claim, { force: true });
    return false;
  }
  renameSync(record, path);
  removeLeftovers(path);
  return true;
}

/** The dead owner, its dead claimant, and so on; undefined if one of them lives or the lock is free. */
function deadChain(path: string): string[] | undefined {
  const ids: string[] = [];
  for (let next = readRecord(path); next; next = readRecord(claimOn(path, next.owner.id))) {
    if (!next.isDead) return undefined;
    ids.push(next.owner.id);
  }
  return ids.length > 0 ? ids : undefined;
}

function chainIds(path: string, length: number): string[] {
  const ids: string[] = [];
  for (let next = readRecord(path); next && ids.length < length; next = readRecord(claimOn(path, next.owner.id)))
    ids.push(next.owner.id);
  return ids;
}

function claimOn(path: string, id: string | undefined): string {
  return `${path}.claim.${id}`;
}

/** Only the holder calls this. While it lives, no claim is valid; records of dead processes are of no use. */
function removeLeftovers(path: string): void {
  const folder = dirname(path);
  for (const name of readdirSync(folder).filter((each) => each.startsWith(`${basename(path)}.`))) {
    const file = join(folder, name);
    if (name.startsWith(`${basename(path)}.claim.`) || readRecord(file)?.isDead) rmSync(file, { force: true });
  }
}

/** Touches the lock from time to time, for processes that cannot see whether this one lives. */
function hold(path: string): HeldLock {
  const file = openSync(path, 'r');
  const { id } = recordOf(file).owner;
  const touch = setInterval(() => touchFile(file), TOUCH_MS);
  touch.unref();
  return {
    release: () => {
      clearInterval(touch);
      closeSync(file);
      if (readRecord(path)?.owner.id === id) rmSync(path, { force: true });
    },
  };
}

/** A disk that fails for a moment must not end the process. */
function touchFile(file: number): void {
  try {
    futimesSync(file, new Date(), new Date());
  } catch {}
}

interface Record {
  readonly owner: Owner;
  readonly isDead: boolean;
}

function readRecord(path: string): Record | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return recordOf(file);
  } finally {
    closeSync(file);
  }
}

function recordOf(file: number): Record {
  const { mtimeMs, ino } = fstatSync(file);
  // A power failure can leave an empty record: its owner is unknown, and counts as dead after a while.
  const owner = parseOwner(readFileSync(file, 'utf8')) ?? { id: `unknown-${ino}`, pid: 0, start: '', world: 'unknown' };
  return { owner, isDead: isDead(owner, mtimeMs) };
}

/** Whether the link was made; false if the name is taken. */
function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
