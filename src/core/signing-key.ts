import type { EpochSeconds } from './time.ts';

/** As RFC 7518 and RFC 8037 name them. */
export const SIGNING_ALGORITHMS = ['ES256', 'EdDSA', 'RS256'] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

/** The public part of a signing key, as the store has it. All nodes read it there, so they publish the same keys. */
export interface PublishedKey {
  /** The `kid` of the tokens that it signs. */
  readonly id: string;
  readonly algorithm: SigningAlgorithm;
  /** The members of the public key as a JWK (RFC 7517). */
  readonly publicKey: Readonly<Record<string, string>>;
  readonly publishedAt: EpochSeconds;
  /** When it began to sign. The key with the latest time signs. */
  readonly signsFrom?: EpochSeconds;
  /** It is no longer published and its tokens are no longer accepted. The row stays: a keyring may still have the key. */
  readonly removedAt?: EpochSeconds;
}

/** A MAC key that some node has minted with. `retired` ones may be missing from a keyring; all others must be there. */
export interface KeyMark {
  readonly id: number;
  readonly fingerprint: string;
  readonly retired: boolean;
}
