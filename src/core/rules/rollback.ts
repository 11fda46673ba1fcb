// How the history of a store changes: a node notices a rollback, then an operator accepts it, or nodes do.
import type { Grant } from '../grant.ts';
import type { LostAct, Rollback, StoreHistory } from '../store-history.ts';
import { type EpochSeconds, isoTime } from '../time.ts';

export const NEW_HISTORY: StoreHistory = { epoch: 1, rollback: undefined };

/** Keeps the row small. The newest acts count most. */
const MOST_LOST = 10_000;

/** Who noticed it. `epoch`: the highest that this node has seen; the row may have been put back too. */
export interface Witness {
  readonly node: string;
  readonly epoch: number;
  /** Whether it remembers all acts that the store may have lost. */
  readonly remembersAll: boolean;
}

/** Nodes notice the same rollback one after the other, and each may remember acts that the others do not. */
export function withRollback(history: StoreHistory, noticed: Rollback, by: Witness): StoreHistory {
  const before = history.rollback;
  const lost = before ? union(before.lost, noticed.lost) : noticed.lost;
  const awaited = (before ?? noticed).awaited?.filter((name) => name !== by.node || !by.remembersAll);
  return {
    epoch: Math.max(history.epoch, by.epoch),
    rollback: {
      noticedAt: before?.noticedAt ?? noticed.noticedAt,
      seen: Math.max(before?.seen ?? 0, noticed.seen),
      found: Math.min(before?.found ?? noticed.found, noticed.found),
      lost: lost.slice(-MOST_LOST),
      unlisted: Math.max(before?.unlisted ?? 0, noticed.unlisted, lost.length - MOST_LOST, 0),
      ...(awaited && { awaited }),
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

/**
 * Whether nodes may accept the rollback themselves: all that ran remember what was lost and have written it, and it is made again: grants
 * are revoked again, and derived identities are derived again. Other acts need an operator: a changed scope or password is not in the log.
 */
export function isCovered({ awaited, lost, unlisted }: Rollback): boolean {
  if (awaited === undefined) return false; // an older release wrote it
  return awaited.length === 0 && unlisted === 0 && lost.every(isMadeAgain);
}

function isMadeAgain({ type, detail }: LostAct): boolean {
  return type === 'revoked' || (type === 'administered' && detail.did === 'derived');
}

/**
 * Whether the last accepted rollback explains a token that the grant's row does not know. Whoever had the older token may have refreshed
 * since, any number of times: without this, one program of such a login would put the service in doubt. So a later loss is noticed by
 * the log, and by the tokens of younger grants.
 */
export function explainsLoss(acceptedAt: EpochSeconds, { createdAt }: Pick<Grant, 'createdAt'>): boolean {
  return createdAt <= acceptedAt;
}

/** Equal for the same act. Its number may differ if a node did not read it from the log; a grant is revoked once. */
export function actKey(act: LostAct): string {
  const { type, subjectId } = act;
  return type === 'revoked' && subjectId ? `revoked ${subjectId}` : JSON.stringify({ ...act, sequence: 0 });
}

function union(some: readonly LostAct[], others: readonly LostAct[]): readonly LostAct[] {
  const all = new Map([...others, ...some].map((act) => [actKey(act), act]));
  return [...all.values()].sort((a, b) => a.sequence - b.sequence);
}
