// When what was fetched is fetched again, and who waits for it.
import { type EpochSeconds, epochSeconds } from '../../core/time.ts';

export interface Kept {
  /** When it is asked for again: before it ends, or soon after a failure. */
  readonly renewAt: EpochSeconds;
  /** Until when it serves while its successor is on the way. */
  readonly endsAt: EpochSeconds;
}

export const RETRY_SECONDS = 60;
/** Who fails again and again is tried again after twice the time, up to this. */
export const LONGEST_RETRY_SECONDS = 960;
const LONGEST_SECONDS = 86_400;
export const NEVER = epochSeconds(0);

/** At four fifths of its life, after a minute at the soonest unless it ends before; what failed, after a minute. */
export function renewalOf(
  from: EpochSeconds | undefined,
  to: EpochSeconds | undefined,
  now: EpochSeconds,
): EpochSeconds {
  if (from === undefined || to === undefined || to <= now) return epochSeconds(now + RETRY_SECONDS);
  const due = from + (to - from) * 0.8;
  return epochSeconds(Math.min(Math.max(due, now + RETRY_SECONDS), now + LONGEST_SECONDS, to));
}

/** How long to wait after a failure that came so long after the failure before it. */
export function backOff(first: number, before: number | undefined): number {
  return before === undefined ? first : Math.min(Math.max(first, before * 2), Math.max(first, LONGEST_RETRY_SECONDS));
}

export class Renewals {
  readonly #now: () => EpochSeconds;
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(now: () => EpochSeconds) {
    this.#now = now;
  }

  /** One renewal at a time per key, whoever waits for it, and none while what is kept is fresh. */
  async once(key: string, kept: Kept | undefined, renew: () => Promise<void>): Promise<void> {
    if (kept && this.#now() < kept.renewAt) return;
    const running = this.#underWay.get(key) ?? renew().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, running);
    if (!kept || this.#now() > kept.endsAt) return running;
    // Nobody waits for it, so that nobody would hear of its fault: the next one who waits will.
    running.catch(() => undefined);
  }
}
