// What the store records about the service as a whole, in one row.
import type { EpochSeconds } from './time.ts';

export interface ServiceTimes {
  /** The latest time at which a node was seen running: the store's high-water mark. */
  readonly seenAt: EpochSeconds;
  /** The last time that the service, or one of its nodes, could not respond. */
  readonly outage: Outage | undefined;
}

export interface Outage {
  /** The last time before the outage at which the store is known to have worked. */
  readonly silentFrom: EpochSeconds;
  /** When the service began responding again. */
  readonly answeringSince: EpochSeconds;
}
