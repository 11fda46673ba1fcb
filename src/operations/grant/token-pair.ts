import type { Grant } from '../../core/grant.ts';
import type { IdentityId } from '../../core/identity.ts';
import { accept, type Outcome } from '../../core/outcome.ts';
import { between, type EpochSeconds, type Seconds } from '../../core/time.ts';
import { mintAccessToken } from '../../tokens/access-token.ts';
import type { MintedRefreshToken } from '../../tokens/opaque/pair.ts';
import type { Secret } from '../../tokens/secret.ts';
import type { Ports } from '../ports.ts';

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

/** What a decision yields: the row that it commits, and the refresh token minted for it. */
export interface DecidedPair {
  readonly grant: Grant;
  readonly minted: MintedRefreshToken;
  readonly now: EpochSeconds;
}

type MintPorts = Pick<Ports, 'keyring' | 'registry' | 'issuer'>;

/** Mints the access token, after the commit: signing takes time, and a retry mints the same one from the row. */
export async function mintPair(decided: Outcome<DecidedPair>, ports: MintPorts): Promise<Outcome<TokenPair>> {
  return decided.ok ? accept(await tokenPair(decided.value, ports)) : decided;
}

export async function tokenPair({ grant, minted, now }: DecidedPair, ports: MintPorts): Promise<TokenPair> {
  const { id, identityId, refreshUntil, scope, refreshable, pair } = grant;
  return {
    grantId: id,
    identityId,
    accessToken: await mintAccessToken(grant, minted.root, ports),
    ...(refreshable && { refreshToken: minted.refreshToken }),
    expiresIn: between(now, pair.expiresAt),
    expiresAt: pair.expiresAt,
    refreshUntil,
    scope,
  };
}
