import type { EpochSeconds } from './time.ts';

/** What the nodes on one store tell each other of a revocation list that certificates name. */
export interface SharedList {
  readonly url: string;
  /** When a caller's certificate last named it, give or take a day. */
  readonly askedAt: EpochSeconds;
  /** When a node last tried to fetch it, and when one shall try again. */
  readonly checkedAt: EpochSeconds;
  readonly renewAt: EpochSeconds;
  /** Why the last try brought no list, where it did not. */
  readonly failure?: string;
  /** SHA-256 of its contents in hex, once there are any. */
  readonly mark?: string;
}
