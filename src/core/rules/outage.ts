// Outages and the retry window: a caller that retries after a 503, as it should, must not be treated as a thief.
import type { Outage, ServiceTimes } from '../service-times.ts';
import { after, between, type EpochSeconds, earlier, later, type Seconds, seconds } from '../time.ts';

/** Of the service, and of single rows. Keeps the row small. */
const MOST_OUTAGES = 20;

/** Shorter trouble with a store that answers is no outage: a caller that got a 503 has time to retry. */
const SHORTEST = seconds(2);

/** `from` or, if an outage began while the window was open, when the service answered again. `id`: of the grant. */
export function windowStart(id: string, from: EpochSeconds, window: Seconds, outages: readonly Outage[]): EpochSeconds {
  return outages
    .filter(({ of }) => of === undefined || of === id)
    .reduce(
      (start, { silentFrom, answeringSince }) =>
        silentFrom > after(start, window) ? start : later(start, answeringSince),
      from,
    );
}

/** The row after an outage has ended. One that follows another at once is the same. */
export function withOutage(times: ServiceTimes | undefined, outage: Outage): ServiceTimes {
  const { silentFrom, answeringSince, of } = outage;
  const seenAt = times ? later(times.seenAt, answeringSince) : answeringSince;
  const known = times?.outages ?? [];
  const same = known.find((each) => each.of === of && between(each.answeringSince, silentFrom) < SHORTEST);
  const isAlike = (each: Outage) => (each.of === undefined) === (of === undefined);
  const oldest = known.filter(isAlike).at(-MOST_OUTAGES);
  const whole = same ? { ...outage, silentFrom: earlier(same.silentFrom, silentFrom) } : outage;
  return { seenAt, outages: [...known.filter((each) => each !== (same ?? oldest)), whole] };
}

export function isOutage({ silentFrom, answeringSince }: Outage): boolean {
  return between(silentFrom, answeringSince) >= SHORTEST;
}

/** `lastSign`: when a node last answered. `isAlone`: no other node ran; otherwise only a long silence is an outage. */
export function withStart(
  times: ServiceTimes | undefined,
  lastSign: EpochSeconds | undefined,
  isAlone: boolean,
  now: EpochSeconds,
): ServiceTimes {
  if (!times) return withOutage(times, { silentFrom: after(now, ASSUMED), answeringSince: now });
  const silentFrom = later(times.seenAt, lastSign ?? times.seenAt);
  const isSilent = between(silentFrom, now) > (isAlone ? 0 : UNSEEN);
  return isSilent
    ? withOutage(times, { silentFrom, answeringSince: now })
    : { ...times, seenAt: later(times.seenAt, now) };
}

/** Assumed for a store without the row: it comes from an older release, or was just moved. */
const ASSUMED = seconds(-3600);
/** Running nodes give a sign more often than this. */
const UNSEEN = seconds(13);
