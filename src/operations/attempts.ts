// Counted attempts: limits that hold exactly, across addresses, nodes and restarts. The rule is core/rules/attempts.ts.
import { accept, type Outcome, refused } from '../core/outcome.ts';
import { type AttemptDecision, decideAttempt, forgive, type Limit } from '../core/rules/attempts.ts';
import type { Seconds } from '../core/time.ts';
import { type Decision, writeRow } from '../store/store.ts';
import { type Attempts, attempts } from '../store/tables/attempts.ts';
import type { Ports } from './ports.ts';

export interface Attempt {
  /** The attempt succeeded, so it does not count. */
  forgive(): Promise<unknown>;
}

export interface TooMany {
  /** Whether the limit is reached; otherwise the attempt only comes too soon after the last one. */
  readonly isLocked: boolean;
  readonly retryAfter: Seconds;
}

/** Counts an attempt before it is made, so that any number of parallel ones get no more than the limit between them. */
export async function countAttempt(limit: Limit, { store }: Ports): Promise<Outcome<Attempt, TooMany>> {
  const { about } = limit;
  const decision = await store.change(attempts, about, (found, now): Decision<Attempts, AttemptDecision> => {
    const outcome = decideAttempt(found?.row, limit, now);
    return outcome.allowed ? { outcome, next: { about, ...outcome.next } } : { outcome };
  });
  if (!decision.allowed) return refused(decision);
  const { next: made, before } = decision;
  const takeBack = (row: Attempts | undefined) => {
    const next = forgive(row, made, before);
    return next && { about, ...next };
  };
  return accept({ forgive: () => writeRow(store, attempts, about, takeBack) });
}

/** Counts an attempt under several limits, all or none of them. */
export async function countUnderAll(limits: readonly Limit[], ports: Ports): Promise<Outcome<Attempt, TooMany>> {
  const made: Attempt[] = [];
  const forgiveAll = async () => void (await Promise.all(made.map((attempt) => attempt.forgive())));
  for (const limit of limits) {
    const counted = await countAttempt(limit, ports);
    if (!counted.ok) {
      await forgiveAll(); // an attempt that was not made
      return counted;
    }
    made.push(counted.value);
  }
  return accept({ forgive: forgiveAll });
}
