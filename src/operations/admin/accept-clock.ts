import { acted } from '../../core/event.ts';
import { epochSeconds } from '../../core/time.ts';
import { SERVICE, serviceTimes } from '../../store/tables/service-times.ts';
import type { AdminPorts } from './admin.ts';

/** The operator vouches for the clock: the current time becomes the latest time that the store knows, even if it is earlier. */
export function acceptClock({ store, by }: AdminPorts): Promise<void> {
  return store.change(serviceTimes, SERVICE, (found, now) => ({
    outcome: undefined,
    next: { outage: found?.row.outage, seenAt: epochSeconds(now) },
    events: [acted({ kind: 'store', id: '', did: 'clock-accepted' }, { at: epochSeconds(now), by })],
  }));
}
