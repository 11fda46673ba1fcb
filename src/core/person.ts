import type { Identity } from './identity.ts';
import type { EpochSeconds } from './time.ts';

export interface Person {
  readonly identity: Identity;
  /** The id of the browser session; see BrowserSession. */
  readonly session: string;
  readonly proof: Proof;
}

/** How a person has proved who they are, and when. `weak-passkey`: whoever knew the password may have added it. */
export interface Proof {
  readonly by: 'password' | 'provider' | 'weak-passkey' | StrongProof;
  readonly at: EpochSeconds;
}

/** Proofs that nobody can be talked into giving to another site. `strong-provider`: by a claim of the provider that a directory names. */
export const STRONG_PROOFS = ['passkey', 'certificate', 'strong-provider'] as const;
export type StrongProof = (typeof STRONG_PROOFS)[number];
