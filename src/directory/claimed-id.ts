import { firstHalf } from '../core/hex.ts';
import type { IdentityId } from '../core/identity.ts';
import { sha256 } from '../tokens/sha256.ts';

/** The identity whose claims at an OpenID provider have these values, whether they come by sign-in or are pushed. */
export function claimedId(label: string, issuer: string, values: readonly string[]): IdentityId {
  return `${label}:${firstHalf(sha256([issuer, ...values].join('\0')))}` as IdentityId;
}
