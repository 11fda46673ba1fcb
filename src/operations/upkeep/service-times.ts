// What nodes write into the row of the service's times: when the service began to answer, and that it is still running.
import { withOutage } from '../../core/rules/outage.ts';
import type { ServiceTimes } from '../../core/service-times.ts';
import { after, between, type EpochSeconds, later, type Seconds, seconds } from '../../core/time.ts';
import { SERVICE, serviceTimes } from '../../store/tables/service-times.ts';
import type { Ports } from '../ports.ts';

/** Nodes share the row: the first that finds it this old writes it. */
export const SEEN_EVERY = seconds(10);
/** If the row is older than this, no node was running. */
const UNSEEN = seconds(30);

type Write = (found: ServiceTimes | undefined, now: EpochSeconds) => ServiceTimes | undefined;

/** Assumed for a store without the row: it comes from an older release, or was just moved. */
const ASSUMED = seconds(-3600);

/** Called before the first request. If no node has been running, that was an outage, and it ends now. */
export function beginAnswering(ports: Pick<Ports, 'store'>): Promise<void> {
  return write(ports, (found, now) => {
    if (found && !isOlder(found, UNSEEN, now)) return seen(found, now);
    return withOutage(found, { silentFrom: found?.seenAt ?? after(now, ASSUMED), answeringSince: now });
  });
}

/** Returns what to call every SEEN_EVERY seconds: it records that the service answers, then that it is still running. */
export function keeperOfTimes(ports: Pick<Ports, 'store'>): () => Promise<void> {
  let hasBegun = false;
  return async () => {
    if (hasBegun) return keepSeen(ports);
    await beginAnswering(ports);
    hasBegun = true;
  };
}

/** Called every SEEN_EVERY seconds. */
export function keepSeen(ports: Pick<Ports, 'store'>): Promise<void> {
  return write(ports, seen);
}

function seen(found: ServiceTimes | undefined, now: EpochSeconds): ServiceTimes | undefined {
  if (!found) return { seenAt: now, outage: undefined };
  return isOlder(found, seconds(SEEN_EVERY - 1), now) ? { ...found, seenAt: later(found.seenAt, now) } : undefined;
}

function isOlder({ seenAt }: ServiceTimes, length: Seconds, now: EpochSeconds): boolean {
  return between(seenAt, now) > length;
}

function write({ store }: Pick<Ports, 'store'>, decide: Write): Promise<void> {
  return store.change(serviceTimes, SERVICE, (found, now) => {
    const next = decide(found?.row, now);
    return next ? { outcome: undefined, next } : { outcome: undefined };
  });
}
