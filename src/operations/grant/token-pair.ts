import type { Grant } from '../../core/grant.ts';
import type { IdentityId } from '../../core/identity.ts';
import { between, type EpochSeconds, type Seconds } from '../../core/time.ts';
import type { MintedPair } from '../../tokens/pair.ts';
import type { Secret } from '../../tokens/secret.ts';

/** The token grant of contract 2.1, before a dialect words it. */
export interface TokenPair {
  readonly grantId: string;
  readonly identityId: IdentityId;
  readonly accessToken: Secret;
  /** Absent if the integration offers no refresh. */
  readonly refreshToken?: Secret;
  readonly expiresIn: Seconds;
  readonly expiresAt: EpochSeconds;
  readonly refreshUntil: EpochSeconds;
  readonly scope: string;
}

export function tokenPair(grant: Grant, minted: MintedPair, now: EpochSeconds): TokenPair {
  const { id, identityId, refreshUntil, scope, refreshable, pair } = grant;
  return {
    grantId: id,
    identityId,
    accessToken: minted.accessToken,
    ...(refreshable && { refreshToken: minted.refreshToken }),
    expiresIn: between(now, pair.expiresAt),
    expiresAt: pair.expiresAt,
    refreshUntil,
    scope,
  };
}
