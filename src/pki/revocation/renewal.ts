// When fetched data is fetched again, and who waits for it.
import { type EpochSeconds, epochSeconds } from '../../core/time.ts';

export interface Kept {
  /** When to fetch again: before it expires, or soon after a failure. */
  readonly renewAt: EpochSeconds;
  /** How long the old data may be used while the new data is being fetched. */
  readonly endsAt: EpochSeconds;
}

export const RETRY_SECONDS = 60;
/** Upper limit of the delay, which doubles with each failure in a row. */
export const MAX_RETRY_SECONDS = 960;
const MAX_SECONDS = 86_400;
export const NEVER = epochSeconds(0);

/** At four fifths of its lifetime, but not within a minute unless it expires sooner; after a failure, in a minute. */
export function renewalOf(
  from: EpochSeconds | undefined,
  to: EpochSeconds | undefined,
  now: EpochSeconds,
): EpochSeconds {
  if (from === undefined || to === undefined || to <= now) return epochSeconds(now + RETRY_SECONDS);
  const due = from + (to - from) * 0.8;
  return epochSeconds(Math.min(Math.max(due, now + RETRY_SECONDS), now + MAX_SECONDS, to));
}

/** The delay after a failure: twice the delay before it, within limits. */
export function backOff(first: number, before: number | undefined): number {
  return before === undefined ? first : Math.min(Math.max(first, before * 2), Math.max(first, MAX_RETRY_SECONDS));
}

/** One renewal per key at a time, shared by all waiters; none while the data is fresh. */
export function renewals(now: () => EpochSeconds) {
  const underWay = new Map<string, Promise<void>>();
  return async (key: string, kept: Kept | undefined, renew: () => Promise<void>): Promise<void> => {
    if (kept && now() < kept.renewAt) return;
    const running = underWay.get(key) ?? renew().finally(() => underWay.delete(key));
    underWay.set(key, running);
    if (!kept || now() > kept.endsAt) return running;
    // Nobody awaits this promise, so its fault is dropped here. The next waiter gets it.
    running.catch(() => undefined);
  };
}
