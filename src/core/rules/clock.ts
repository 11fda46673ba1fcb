// Whether a clock is plausible. With a wrong clock, nothing may be ended, swept or issued.
import { after, between, type EpochSeconds, later, type Seconds, seconds } from '../time.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
/** How far a running node's clock may be ahead of the monotonic clock. */
const LEAP = seconds(HOUR);
/** How long the service may have been stopped: for that time, the wall clock is the only source. */
const LONGEST_STOP = seconds(31 * DAY);
/** How far the clock may be behind the latest time seen: a hardware clock off by a time zone is corrected soon after boot. */
const SET_BACK = seconds(DAY);

/** A known time: it was `at` when the node had been running for `ran` seconds. */
export interface Known {
  readonly at: EpochSeconds;
  readonly ran: number;
  /** How far ahead the clock may be. */
  readonly ahead: Seconds;
}

/** `mark`: the latest time in the store, which is all that a starting service knows. */
export function knownAtStart(mark: EpochSeconds | undefined, now: EpochSeconds, ran: number): Known {
  return { at: mark ?? now, ran, ahead: mark === undefined ? LEAP : LONGEST_STOP };
}

/** After the first plausible time, the monotonic clock is used. The later time wins: a clock may be set back and forth. */
export function knownFrom(known: Known, now: EpochSeconds, ran: number): Known {
  return { at: later(now, expected(known, ran)), ran, ahead: LEAP };
}

/** The range of plausible times when the node has been running for `ran` seconds. */
export function plausible(known: Known, ran: number): { readonly from: EpochSeconds; readonly to: EpochSeconds } {
  const now = expected(known, ran);
  return { from: after(now, seconds(0 - SET_BACK)), to: after(now, known.ahead) };
}

/**
 * How long a node runs before it sweeps. If it starts long after the mark, its clock may be wrong: after a day, an operator
 * will have noticed.
 */
export function sweepingWaits(mark: EpochSeconds | undefined, now: EpochSeconds): Seconds {
  return mark !== undefined && between(mark, now) > LEAP ? seconds(DAY) : seconds(HOUR);
}

function expected({ at, ran: then }: Known, ran: number): EpochSeconds {
  return after(at, seconds(ran - then));
}
