// How the history of a store changes: a node notices a rollback, then an operator accepts it, or nodes do.
import type { Grant } from '../grant.ts';
import type { LostAct, Rollback, StoreHistory } from '../store-history.ts';
import { between, type EpochSeconds, earlier, isoTime, seconds } from '../time.ts';

export const NEW_HISTORY: StoreHistory = { epoch: 1, rollback: undefined };

/** Keeps the row small. The newest acts count most. */
const MOST_LOST = 10_000;

/**
 * The history after a node has noticed a rollback. `epoch`: the highest that this node has seen; the row may have been put back
 * too. Nodes notice the same rollback one after the other, and each may remember acts that the others do not.
 */
export function withRollback(
  history: StoreHistory,
  noticed: Rollback,
  { epoch, node }: { readonly epoch: number; readonly node: string },
): StoreHistory {
  const before = history.rollback;
  const lost = before ? union(before.lost, noticed.lost) : noticed.lost;
  const { since, awaited } = before ?? noticed;
  return {
    epoch: Math.max(history.epoch, epoch),
    rollback: {
      noticedAt: before?.noticedAt ?? noticed.noticedAt,
      seen: Math.max(before?.seen ?? 0, noticed.seen),
      found: Math.min(before?.found ?? noticed.found, noticed.found),
      lost: lost.slice(-MOST_LOST),
      unlisted: Math.max(before?.unlisted ?? 0, noticed.unlisted, lost.length - MOST_LOST, 0),
      ...(since && { since: earlier(since, noticed.since ?? since) }),
      ...(awaited && { awaited: awaited.filter((name) => name !== node) }),
    },
  };
}

export function signWords({ seen, found, noticedAt }: Rollback): string {
  const at = `at ${isoTime(noticedAt)}`;
  return seen > found
    ? `nodes had seen event ${seen}, and ${at} the store ended at ${found}`
    : `${at} a token or an act was newer than the store`;
}

/** An operator accepted it. Nodes and followers notice by the next epoch. */
export function withoutRollback({ epoch }: StoreHistory): StoreHistory {
  return { epoch: epoch + 1, rollback: undefined };
}

/** Nodes remember at least this long what they have done. */
const REMEMBERED = seconds(300);

/**
 * Whether nodes may accept the rollback themselves: all that ran have written what they remember, that covers the loss, and only
 * revocations were lost, which are made again. An act of an operator needs an operator: a changed scope or password is not in the log.
 */
export function isCovered({ noticedAt, since, awaited, lost, unlisted }: Rollback): boolean {
  if (since === undefined || awaited === undefined) return false;
  const isComplete = awaited.length === 0 && unlisted === 0 && between(since, noticedAt) <= REMEMBERED;
  return isComplete && lost.every(({ type }) => type === 'revoked');
}

/**
 * Whether the last accepted rollback explains a token that the grant's row does not know. No grant is refreshed before a rollback is
 * accepted, so a row that is younger has lost nothing by it; but whoever had the older token may have refreshed since.
 */
export function explainsLoss(acceptedAt: EpochSeconds, { createdAt, pair }: Grant, generation: number): boolean {
  return pair.issuedAt <= acceptedAt || (createdAt <= acceptedAt && generation === pair.generation);
}

/** The same act has another number where its node did not read it from the log. */
function union(some: readonly LostAct[], others: readonly LostAct[]): readonly LostAct[] {
  const all = new Map([...others, ...some].map((act) => [JSON.stringify({ ...act, sequence: 0 }), act]));
  return [...all.values()].sort((a, b) => a.sequence - b.sequence);
}
