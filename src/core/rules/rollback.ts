// How the history of a store changes: a node notices a rollback, then an operator accepts it.
import type { LostAct, Rollback, StoreHistory } from '../store-history.ts';

export const NEW_HISTORY: StoreHistory = { epoch: 1, rollback: undefined };

/** Keeps the row small. The newest acts count most. */
const MOST_LOST = 1_000;

/**
 * The history after a node has noticed a rollback. `epoch`: the highest that this node has seen; the row may have been put back
 * too. Nodes notice the same rollback one after the other, and each may remember acts that the others do not.
 */
export function withRollback(history: StoreHistory, noticed: Rollback, epoch: number): StoreHistory {
  const before = history.rollback;
  const lost = before ? union(before.lost, noticed.lost) : noticed.lost;
  return {
    epoch: Math.max(history.epoch, epoch),
    rollback: {
      noticedAt: before?.noticedAt ?? noticed.noticedAt,
      seen: Math.max(before?.seen ?? 0, noticed.seen),
      found: Math.min(before?.found ?? noticed.found, noticed.found),
      lost: lost.slice(-MOST_LOST),
      unlisted: Math.max(before?.unlisted ?? 0, noticed.unlisted, lost.length - MOST_LOST, 0),
    },
  };
}

/** An operator accepted it. Nodes and followers notice by the next epoch. */
export function withoutRollback({ epoch }: StoreHistory): StoreHistory {
  return { epoch: epoch + 1, rollback: undefined };
}

function union(some: readonly LostAct[], others: readonly LostAct[]): readonly LostAct[] {
  const all = new Map([...some, ...others].map((act) => [JSON.stringify(act), act]));
  return [...all.values()].sort((a, b) => a.sequence - b.sequence);
}
