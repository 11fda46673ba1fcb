import {
  type Known,
  knownAtStart,
  knownFrom,
  plausible,
  sweepingWaits,
  whyImplausible,
} from '../../core/rules/clock.ts';
import { withStart } from '../../core/rules/outage.ts';
import type { ServiceTimes } from '../../core/service-times.ts';
import { between, type EpochSeconds, isoTime, later, type Seconds, seconds } from '../../core/time.ts';
import { ClockImplausible, type Problem, type StorePort, writeRow } from '../../store/store.ts';
import { SERVICE, serviceTimes } from '../../store/tables/service-times.ts';
import type { Ports } from '../ports.ts';

/** Compares the store's clock, once a second, with the store's high-water mark and with the time that this node has really been running. */
export class Timekeeper {
  readonly #running: () => number;
  readonly #startedAt: number;
  readonly #waits: Seconds;
  #known: Known;
  #from: EpochSeconds;
  #to: EpochSeconds;

  /** A node begins with what the store knows. */
  static async begin({ store, clock }: Pick<Ports, 'store' | 'clock'>): Promise<Timekeeper> {
    const { found, now } = await store.load(serviceTimes, SERVICE);
    return new Timekeeper(clock.running, found?.row.seenAt, now);
  }

  constructor(running: () => number, mark: EpochSeconds | undefined, now: EpochSeconds) {
    this.#running = running;
    this.#startedAt = running();
    this.#waits = sweepingWaits(mark, now);
    this.#known = knownAtStart(mark, now, this.#startedAt);
    ({ from: this.#from, to: this.#to } = plausible(this.#known, this.#startedAt));
    this.check(now);
  }

  /** Takes the store's clock, once a second. Returns what is wrong with it. */
  check(now: EpochSeconds): Problem | undefined {
    const fault = this.faultAt(now);
    return fault && { reason: fault.reason, detail: `${fault.message}. ${fault.todo}` };
  }

  faultAt(now: EpochSeconds): ImplausibleClock | undefined {
    const ran = this.#look();
    const why = this.#whyNot(now);
    if (why !== undefined) return new ImplausibleClock(why, now, this.#known.at);
    this.#known = knownFrom(this.#known, now, ran);
    this.#to = plausible(this.#known, ran).to;
    return undefined;
  }

  /** Throws if this cannot be the time: nothing is decided by such a clock. */
  readonly admit = (now: EpochSeconds): void => {
    if (now <= this.#to && now >= this.#from) return;
    const fault = this.faultAt(now); // much time may have passed since the last check
    if (fault) throw fault;
  };

  /** The same for this node's own clock, by which certificates are judged. What is plausible is learned from the store alone. */
  readonly admitOwn = (now: EpochSeconds): void => {
    if (now <= this.#to && now >= this.#from) return;
    this.#look();
    const why = this.#whyNot(now);
    if (why !== undefined) throw new ClockImplausible(`${why} (this node's clock)`);
  };

  /** Only after a while of real running time, so that a clock that is wrong at the start has been noticed. */
  get maySweep(): boolean {
    return this.#running() - this.#startedAt >= this.#waits;
  }

  /** Computes what is plausible now. Returns how long the node has been running. */
  #look(): number {
    const ran = this.#running();
    ({ from: this.#from, to: this.#to } = plausible(this.#known, ran));
    return ran;
  }

  #whyNot(now: EpochSeconds): string | undefined {
    return whyImplausible(now, { from: this.#from, to: this.#to });
  }
}

const WHAT_TO_DO =
  'Set the clock and keep it by NTP. If it is right and the latest time in the store is wrong, or the service was stopped ' +
  'for more than a month, let the service accept it';

export class ImplausibleClock extends ClockImplausible {
  override readonly name = 'ImplausibleClock';
  readonly reason: string;
  readonly todo = WHAT_TO_DO;

  constructor(reason: string, now: EpochSeconds, known: EpochSeconds) {
    super(`${reason}: it shows ${isoTime(now)}, and the latest known time is ${isoTime(known)}`);
    this.reason = reason;
  }
}

// What nodes write into the row of the service's times: when the service began to answer, and that it is still running.

/** Nodes share the row: the first that finds it this old writes it. */
const SEEN_EVERY = seconds(10);
/** Enough to find a request among the acts of operators. */
const LAST_EVENTS = 50;

/** Called before the first request. If no node was running, that was an outage, and it ends now. */
export async function beginAnswering({ store }: StorePort, isAlone: () => Promise<boolean>): Promise<void> {
  const events = await store.newestEvents({ count: LAST_EVENTS });
  const lastSign = events.findLast(({ presenter }) => presenter !== undefined)?.at;
  const alone = await isAlone();
  await writeRow(store, serviceTimes, SERVICE, (found, now) => withStart(found, lastSign, alone, now));
}

/** Returns what to call every few seconds: it records that the service answers, then that it is still running. */
export function keeperOfTimes(ports: StorePort, isAlone: () => Promise<boolean>): () => Promise<void> {
  let hasBegun = false;
  return async () => {
    if (hasBegun) return keepSeen(ports);
    await beginAnswering(ports, isAlone);
    hasBegun = true;
  };
}

/** Called every few seconds; writes every SEEN_EVERY seconds. */
export async function keepSeen({ store }: StorePort): Promise<void> {
  await writeRow(store, serviceTimes, SERVICE, seen);
}

function seen(found: ServiceTimes | undefined, now: EpochSeconds): ServiceTimes | undefined {
  if (!found) return { seenAt: now, outages: [] };
  return between(found.seenAt, now) >= SEEN_EVERY ? { ...found, seenAt: later(found.seenAt, now) } : undefined;
}
