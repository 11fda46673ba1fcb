// Counted attempts: limits that hold exactly, across addresses, nodes and restarts.
import { after, type EpochSeconds, type Seconds } from '../core/time.ts';
import { type Attempts, attempts } from '../store/tables/sign-in.ts';
import type { Ports } from './ports.ts';

export interface Limit {
  /** What is counted, for instance the failed sign-ins of one identity. */
  readonly about: string;
  readonly most: number;
  readonly within: Seconds;
}

export interface Attempt {
  /** The attempt succeeded, so it does not count. */
  forgive(): Promise<void>;
}

/**
 * Counts an attempt before it is made, so that any number of parallel ones get no more than `most` between them.
 * Undefined where there were too many. The window runs from the last counted attempt: so no span of its length, wherever
 * it begins, holds more than `most`; refused attempts do not extend it.
 */
export async function allowedAttempt({ about, most, within }: Limit, { store }: Ports): Promise<Attempt | undefined> {
  const allowed = await store.change(attempts, about, (found, now) => {
    const before = found && isRunning(found.row, now, within) ? found.row : undefined;
    const count = before?.count ?? 0;
    if (count >= most) return { outcome: undefined };
    const next: Attempts = { about, count: count + 1, endsAt: after(now, within) };
    return { outcome: { next, before }, next };
  });
  return allowed && { forgive: () => forgive(allowed.next, allowed.before, store) };
}

/** A window that would end later than one begun now was counted by a clock that has since been set back. */
function isRunning({ endsAt }: Attempts, now: EpochSeconds, within: Seconds): boolean {
  return now < endsAt && endsAt <= after(now, within);
}

/** Takes the attempt back, and the longer window that it began unless others have been counted since. */
function forgive(made: Attempts, before: Attempts | undefined, store: Ports['store']): Promise<void> {
  return store.change(attempts, made.about, (found) => {
    if (!found || found.row.count === 0) return { outcome: undefined };
    const isLast = found.row.endsAt === made.endsAt;
    const endsAt = isLast ? (before?.endsAt ?? made.endsAt) : found.row.endsAt;
    return { outcome: undefined, next: { about: made.about, count: found.row.count - 1, endsAt } };
  });
}
