// What the store records about its own past, in one row.
import type { Event } from './event.ts';
import type { EpochSeconds } from './time.ts';

export interface StoreHistory {
  /** Begins at 1. Grows when an operator accepts that the store was put back, so that everybody learns of it. */
  readonly epoch: number;
  /** Noticed by a node, and not accepted yet. */
  readonly rollback: Rollback | undefined;
}

/** The store was put back to an older state: by a restored backup, or by a failover that lost commits. */
export interface Rollback {
  readonly noticedAt: EpochSeconds;
  /** The newest event that a node had seen. */
  readonly seen: number;
  /** The newest that the store had when it was noticed. */
  readonly found: number;
  /** Revocations and acts of operators that a node remembered and the store has lost, oldest first. */
  readonly lost: readonly LostAct[];
  /** How many more there were, at least. */
  readonly unlisted: number;
  /** Nodes that ran before and have not written what they remember, or do not remember all. Absent if an older release wrote this. */
  readonly awaited?: readonly string[];
}

export type LostAct = Event & { readonly sequence: number };
