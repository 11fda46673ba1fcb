// Whether a clock can be believed. A clock that is wrong must end, sweep and issue nothing.
import { after, between, type EpochSeconds, later, type Seconds, seconds } from '../time.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
/** How far ahead of the time that has really passed a running node's clock may be. */
const LEAP = seconds(HOUR);
/** How long the service may have been stopped: while it is, nothing but the clock says how much time passes. */
const LONGEST_STOP = seconds(31 * DAY);
/** How far behind the latest time seen: hardware clocks that are off by a time zone are put right soon after the start. */
const SET_BACK = seconds(DAY);

/** What is known of the time: it was `at` when the node had been running for `ran` seconds. */
export interface Known {
  readonly at: EpochSeconds;
  readonly ran: number;
  /** How far ahead the clock may be. */
  readonly ahead: Seconds;
}

/** `mark`: the store's high-water mark, of which a service that starts knows no more. */
export function knownAtStart(mark: EpochSeconds | undefined, now: EpochSeconds, ran: number): Known {
  return { at: mark ?? now, ran, ahead: mark === undefined ? LEAP : LONGEST_STOP };
}

/** From the first plausible time on, real time is measured. The latest time counts: a clock may be set back and forth. */
export function knownFrom(known: Known, now: EpochSeconds, ran: number): Known {
  return { at: later(now, expected(known, ran)), ran, ahead: LEAP };
}

/** The times that can be believed when the node has been running for `ran` seconds. */
export function plausible(known: Known, ran: number): { readonly from: EpochSeconds; readonly to: EpochSeconds } {
  const now = expected(known, ran);
  return { from: after(now, seconds(0 - SET_BACK)), to: after(now, known.ahead) };
}

/**
 * How long a node runs before it sweeps. One that started long after the mark has only its clock's word for it: by a day
 * later somebody has noticed.
 */
export function sweepingWaits(mark: EpochSeconds | undefined, now: EpochSeconds): Seconds {
  return mark !== undefined && between(mark, now) > LEAP ? seconds(DAY) : seconds(HOUR);
}

function expected({ at, ran: then }: Known, ran: number): EpochSeconds {
  return after(at, seconds(ran - then));
}
