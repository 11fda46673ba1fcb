// Limits on attempts: whether one more is allowed, given the count so far.
import { after, between, type EpochSeconds, type Seconds, seconds } from '../time.ts';

export interface Limit {
  /** What is counted, for instance the failed sign-ins of one identity. */
  readonly about: string;
  readonly most: number;
  readonly within: Seconds;
  /** After the first few attempts, each further one must wait, longer each time. */
  readonly delays?: true;
}

export interface Counted {
  readonly count: number;
  /** When the window ends: `within` after the last counted attempt. */
  readonly endsAt: EpochSeconds;
}

export type AttemptDecision =
  /** `before`: the previous count, if its window is still running. */
  | { readonly allowed: true; readonly next: Counted; readonly before: Counted | undefined }
  | { readonly allowed: false; readonly isLocked: boolean; readonly retryAfter: Seconds };

/** The window restarts with every counted attempt, so any span of its length has at most `most`. */
export function decideAttempt(counted: Counted | undefined, limit: Limit, now: EpochSeconds): AttemptDecision {
  const { most, within } = limit;
  const before = counted && isRunning(counted, now, within) ? counted : undefined;
  const count = before?.count ?? 0;
  if (before && count >= most) return { allowed: false, isLocked: true, retryAfter: between(now, before.endsAt) };
  const wait = before && limit.delays ? between(now, nextTry(before, within)) : 0;
  if (wait > 0) return { allowed: false, isLocked: false, retryAfter: seconds(wait) };
  return { allowed: true, before, next: { count: count + 1, endsAt: after(now, within) } };
}

/** A window that ends later than one started now comes from a clock that was set back since. */
function isRunning({ endsAt }: Counted, now: EpochSeconds, within: Seconds): boolean {
  return now < endsAt && endsAt <= after(now, within);
}

const WITHOUT_DELAY = 3;
const LONGEST_DELAY = 30;

/** The first few typos cost nothing. Then the wait doubles: 1, 2, 4, 8, 16, 30, 30 seconds. */
export function delayAfter(count: number): Seconds {
  return count < WITHOUT_DELAY ? seconds(0) : seconds(Math.min(LONGEST_DELAY, 2 ** (count - WITHOUT_DELAY)));
}

function nextTry({ count, endsAt }: Counted, within: Seconds): EpochSeconds {
  const lastAt = after(endsAt, seconds(0 - within));
  return after(lastAt, delayAfter(count));
}

/** Uncounts an attempt that succeeded, and restores the window before it unless others have been counted since. */
export function forgive(counted: Counted | undefined, made: Counted, before: Counted | undefined): Counted | undefined {
  if (!counted || counted.count === 0) return undefined;
  const isLast = counted.endsAt === made.endsAt;
  const endsAt = isLast ? (before?.endsAt ?? made.endsAt) : counted.endsAt;
  return { count: counted.count - 1, endsAt };
}
