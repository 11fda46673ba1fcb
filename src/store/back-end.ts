// What a back end implements. `storeOf` (change.ts) turns it into a Store; the other guarantees of a Store are the back end's.
import type { Event } from '../core/event.ts';
import type { Store, StoreCheck, StoreCheckName } from './store.ts';
import type { AnyTable } from './table.ts';

/** The most rows that `find` returns if the caller names no limit. */
export const FIND_LIMIT = 100;

/** One unit: all of it or none of it. */
export interface Commit {
  /** Each row once. All commits have them in the same order (change.ts), so that no two wait for each other's locks. */
  readonly swaps: readonly Swap[];
  readonly events: readonly Event[];
  /** The revision of every row this commit writes. Drawn at random beforehand, so that a commit recognises its own work. */
  readonly revision: number;
}

export interface Swap {
  readonly table: AnyTable;
  readonly row: unknown;
  /** Undefined: the row must not exist yet. */
  readonly expected: number | undefined;
  /** The row at the expected revision, where it is known: columns that stay null need not be written. */
  readonly before?: unknown;
}

export interface BackEnd extends Omit<Store, 'change' | 'changeAll' | 'create'> {
  /** Durable when it resolves. False: a revision had moved or a new key exists, and nothing was written. */
  commit(commit: Commit): Promise<boolean>;
}

/** A failed check. The reason is shown by /readyz, the fault is logged. */
export function failing(name: StoreCheckName, reason: string, fault: unknown): StoreCheck {
  return { name, problem: { reason, detail: fault instanceof Error ? fault.message : String(fault) } };
}

/** Runs a check: whatever it throws is the problem. */
export function check(name: StoreCheckName, reason: string, work: () => unknown): StoreCheck {
  try {
    work();
    return { name };
  } catch (fault) {
    return failing(name, reason, fault);
  }
}
