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

/** A command is too short to notice a wrong clock: it ends things only by a time that the service has seen. */
export function knownToCommand(mark: EpochSeconds | undefined, now: EpochSeconds): Known {
  return { at: mark ?? now, ran: 0, ahead: LEAP };
}

/** After the first plausible time, the monotonic clock is used. The later time wins: a clock may be set back and forth. */
export function knownFrom(known: Known, now: EpochSeconds, ran: number): Known {
  return { at: later(now, expected(known, ran)), ran, ahead: LEAP };
}

export interface PlausibleTimes {
  readonly from: EpochSeconds;
  readonly to: EpochSeconds;
}

/** The range of plausible times when the node has been running for `ran` seconds. */
export function plausible(known: Known, ran: number): PlausibleTimes {
  const now = expected(known, ran);
  return { from: after(now, seconds(0 - SET_BACK)), to: after(now, known.ahead) };
}

/** Undefined if it is plausible. */
export function whyImplausible(now: EpochSeconds, { from, to }: PlausibleTimes): string | undefined {
  if (now > to) return `the clock is ${saidAs(now - to)} beyond what is plausible`;
  return now < from ? `the clock is ${saidAs(from - now)} behind what is plausible` : undefined;
}

function saidAs(length: number): string {
  return length < 2 * HOUR ? `${length} seconds` : `${Math.floor(length / HOUR)} hours`;
}

/** If a node starts long after the mark, its clock may be wrong: after a day, an operator will have noticed. */
export function sweepingWaits(mark: EpochSeconds | undefined, now: EpochSeconds): Seconds {
  return mark !== undefined && between(mark, now) > LEAP ? seconds(DAY) : seconds(HOUR);
}

function expected({ at, ran: then }: Known, ran: number): EpochSeconds {
  return after(at, seconds(ran - then));
}
