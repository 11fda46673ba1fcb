import type { Grant } from '../../core/grant.ts';
import type { IdentityId } from '../../core/identity.ts';
import { between, type EpochSeconds, type Seconds } from '../../core/time.ts';
import { mintAccessToken } from '../../tokens/access-token.ts';
import type { Keyring } from '../../tokens/keyring.ts';
import type { MintedRefreshToken } from '../../tokens/opaque/pair.ts';
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

/** From the row that is committed, and the refresh token minted for it. */
export function tokenPair(grant: Grant, minted: MintedRefreshToken, now: EpochSeconds, keyring: Keyring): TokenPair {
  const { id, identityId, refreshUntil, scope, refreshable, pair } = grant;
  return {
    grantId: id,
    identityId,
    accessToken: mintAccessToken(grant, minted.root, keyring),
    ...(refreshable && { refreshToken: minted.refreshToken }),
    expiresIn: between(now, pair.expiresAt),
    expiresAt: pair.expiresAt,
    refreshUntil,
    scope,
  };
}
