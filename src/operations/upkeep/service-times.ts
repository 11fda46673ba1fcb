// What nodes write into the row of the service's times: when it began to answer, and that it still runs.
import { withOutage } from '../../core/rules/outage.ts';
import type { ServiceTimes } from '../../core/service-times.ts';
import { after, between, type EpochSeconds, later, type Seconds, seconds } from '../../core/time.ts';
import { SERVICE, serviceTimes } from '../../store/tables/service-times.ts';
import type { Ports } from '../ports.ts';

/** Nodes share the row: it is written when it is this old, by whoever comes first. */
export const SEEN_EVERY = seconds(10);
/** A row older than this: no node was running. */
const UNSEEN = seconds(30);

type Write = (found: ServiceTimes | undefined, now: EpochSeconds) => ServiceTimes | undefined;

/** What is assumed of a store without the row: an older release left it, or it was just moved here. */
const ASSUMED = seconds(-3600);

/** Before the first request: where no node has been running, that was an outage, and it ends now. */
export function beginAnswering(ports: Pick<Ports, 'store'>): Promise<void> {
  return write(ports, (found, now) => {
    if (found && !isOlder(found, UNSEEN, now)) return seen(found, now);
    return withOutage(found, { silentFrom: found?.seenAt ?? after(now, ASSUMED), answeringSince: now });
  });
}

/** Begins answering, as soon as that works, and keeps the service seen from then on: to be called every SEEN_EVERY seconds. */
export function keeperOfTimes(ports: Pick<Ports, 'store'>): () => Promise<void> {
  let hasBegun = false;
  return async () => {
    if (hasBegun) return keepSeen(ports);
    await beginAnswering(ports);
    hasBegun = true;
  };
}

/** Every SEEN_EVERY seconds. */
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
