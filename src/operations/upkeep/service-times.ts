// What nodes write into the row of the service's times: when the service began to answer, and that it is still running.
import { withStart } from '../../core/rules/outage.ts';
import type { ServiceTimes } from '../../core/service-times.ts';
import { between, type EpochSeconds, later, seconds } from '../../core/time.ts';
import { SERVICE, serviceTimes } from '../../store/tables/service-times.ts';
import type { Ports } from '../ports.ts';

/** Nodes share the row: the first that finds it this old writes it. */
const SEEN_EVERY = seconds(10);
/** Enough to find a request among the acts of operators. */
const LAST_EVENTS = 50;

type Write = (found: ServiceTimes | undefined, now: EpochSeconds) => ServiceTimes | undefined;

/** Called before the first request. If no node was running, that was an outage, and it ends now. */
export async function beginAnswering(ports: Pick<Ports, 'store'>, isAlone: () => Promise<boolean>): Promise<void> {
  const events = await ports.store.newestEvents({ count: LAST_EVENTS });
  const lastSign = events.findLast(({ presenter }) => presenter !== undefined)?.at;
  const alone = await isAlone();
  return write(ports, (found, now) => withStart(found, lastSign, alone, now));
}

/** Returns what to call every few seconds: it records that the service answers, then that it is still running. */
export function keeperOfTimes(ports: Pick<Ports, 'store'>, isAlone: () => Promise<boolean>): () => Promise<void> {
  let hasBegun = false;
  return async () => {
    if (hasBegun) return keepSeen(ports);
    await beginAnswering(ports, isAlone);
    hasBegun = true;
  };
}

/** Called every few seconds; writes every SEEN_EVERY seconds. */
export function keepSeen(ports: Pick<Ports, 'store'>): Promise<void> {
  return write(ports, seen);
}

function seen(found: ServiceTimes | undefined, now: EpochSeconds): ServiceTimes | undefined {
  if (!found) return { seenAt: now, outages: [] };
  return between(found.seenAt, now) >= SEEN_EVERY ? { ...found, seenAt: later(found.seenAt, now) } : undefined;
}

function write({ store }: Pick<Ports, 'store'>, decide: Write): Promise<void> {
  return store.change(serviceTimes, SERVICE, (found, now) => {
    const next = decide(found?.row, now);
    return next ? { outcome: undefined, next } : { outcome: undefined };
  });
}
