// What the store records about the service as a whole, in one row.
import type { EpochSeconds } from './time.ts';

export interface ServiceTimes {
  /** The latest time at which a node was seen running: the store's high-water mark. */
  readonly seenAt: EpochSeconds;
  /** The last times that the service could not respond, oldest first. */
  readonly outages: readonly Outage[];
}

export interface Outage {
  /** The last time before the outage at which the store is known to have worked. */
  readonly silentFrom: EpochSeconds;
  /** When the service began responding again. */
  readonly answeringSince: EpochSeconds;
  /** The key of the one row that could not be changed. Absent: the whole service. */
  readonly of?: string;
}
