// Outages and the retry window: a caller that retries after a 503, as it should, must not be treated as a thief.
import type { Outage, ServiceTimes } from '../service-times.ts';
import { after, between, type EpochSeconds, earlier, later, type Seconds, seconds } from '../time.ts';

/** Outages this close together count as one: a window that the first one extended may still be open. */
const ONE_OUTAGE = seconds(600);

/**
 * When the retry window of a commit starts: at the commit or, if an outage began while the window was open, when the
 * service answered again.
 */
export function windowStart(issuedAt: EpochSeconds, window: Seconds, outage: Outage | undefined): EpochSeconds {
  if (!outage || outage.silentFrom > after(issuedAt, window)) return issuedAt;
  return later(issuedAt, outage.answeringSince);
}

/** The row after an outage has ended. */
export function withOutage(times: ServiceTimes | undefined, outage: Outage): ServiceTimes {
  const { silentFrom, answeringSince } = outage;
  const seenAt = times ? later(times.seenAt, answeringSince) : answeringSince;
  const last = times?.outage;
  if (!last || between(last.answeringSince, silentFrom) > ONE_OUTAGE) return { seenAt, outage };
  return {
    seenAt,
    outage: {
      silentFrom: earlier(last.silentFrom, silentFrom),
      answeringSince: later(last.answeringSince, answeringSince),
    },
  };
}
