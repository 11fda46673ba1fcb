import type { EpochSeconds } from './time.ts';

/** What the nodes on one store share about a revocation list that certificates name. */
export interface SharedList {
  readonly url: string;
  /** When a caller's certificate last named it, accurate to a day. */
  readonly askedAt: EpochSeconds;
  /** When a node last tried to fetch it, and when the next attempt is due. */
  readonly checkedAt: EpochSeconds;
  readonly renewAt: EpochSeconds;
  /** Why the last attempt failed, if it did. */
  readonly failure?: string;
  /** SHA-256 of its contents in hex, if there are any. */
  readonly mark?: string;
}

/** What the nodes on one store share about the keys of a token issuer. */
export interface SharedKeySet {
  /** The token issuer, and where its keys come from: other settings are another name. */
  readonly name: string;
  /** When a node last tried to fetch it. */
  readonly checkedAt: EpochSeconds;
  /** Why the last attempt failed, if it did. */
  readonly failure?: string;
  /** The newest keys, as published, and when they were fetched. */
  readonly fetched?: { readonly at: EpochSeconds; readonly text: string };
}
