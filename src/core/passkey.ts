import type { Hex } from './hex.ts';
import type { IdentityId } from './identity.ts';
import type { EpochSeconds } from './time.ts';

/** The passkeys of one identity. There are few: rules/passkey.ts. */
export interface Passkeys {
  readonly identityId: IdentityId;
  readonly keys: readonly Passkey[];
}

/** A WebAuthn credential that its authenticator can find without a user name. */
export interface Passkey {
  /** The first half of SHA-256 over the credential id: names it in forms, commands and events. */
  readonly id: Hex;
  /** In base64url. */
  readonly credentialId: string;
  /** COSE, in base64url. */
  readonly publicKey: string;
  /** How often it was used, as its authenticator counts; 0 if it does not count. */
  readonly counter: number;
  /** Chosen by the person. */
  readonly name: string;
  readonly createdAt: EpochSeconds;
  readonly usedAt?: EpochSeconds;
  /** Whether it is a strong proof: added by invitation, or by somebody who had signed in with such a passkey. */
  readonly isStrong?: true;
}
