import { acted } from '../../core/event.ts';
import { accept } from '../../core/outcome.ts';
import { knownAtStart, knownToCommand, plausible, whyImplausible } from '../../core/rules/clock.ts';
import { epochSeconds } from '../../core/time.ts';
import type { Store } from '../../store/store.ts';
import { SERVICE, serviceTimes } from '../../store/tables/service-times.ts';
import type { Ports } from '../ports.ts';
import { type ImplausibleClock, Timekeeper } from '../upkeep/timekeeper.ts';
import { type Acted, type AdminPorts, decline } from './admin.ts';

/** As the service does. `counts`: the act is due because time has passed. `notes`: it records the time, or acts on what is live. */
export async function checkClock(store: Store, act: 'counts' | 'notes'): Acted<undefined> {
  const { found, now } = await store.load(serviceTimes, SERVICE);
  const mark = found?.row.seenAt;
  const known = act === 'counts' ? knownToCommand(mark, now) : knownAtStart(mark, now, 0);
  const why = whyImplausible(now, plausible(known, 0));
  return why === undefined ? accept(undefined) : decline('clock-implausible', why);
}

/** Why a service would not start now: the store's clock cannot be right. Undefined if it can. */
export async function clockFault(ports: Pick<Ports, 'store' | 'clock'>): Promise<ImplausibleClock | undefined> {
  const timekeeper = await Timekeeper.begin(ports);
  return timekeeper.faultAt(await ports.store.now());
}

/** The operator vouches for the clock: the current time becomes the latest time that the store knows, even if it is earlier. */
export function acceptClock({ store, by }: AdminPorts): Promise<void> {
  return store.change(serviceTimes, SERVICE, (found, now) => ({
    outcome: undefined,
    next: { outages: found?.row.outages ?? [], seenAt: epochSeconds(now) },
    events: [acted({ kind: 'store', id: '', did: 'clock-accepted' }, { at: epochSeconds(now), by })],
  }));
}
