// What the store remembers of the service as a whole, in one row.
import type { EpochSeconds } from './time.ts';

export interface ServiceTimes {
  /** The latest time at which a node was seen running: the store's high-water mark of time. */
  readonly seenAt: EpochSeconds;
  /** The last time that the service, or one of its nodes, could not answer. */
  readonly outage: Outage | undefined;
}

export interface Outage {
  /** The last moment before it at which the store is known to have answered. */
  readonly silentFrom: EpochSeconds;
  /** The moment at which the service began answering again. */
  readonly answeringSince: EpochSeconds;
}
