import { firstHalf } from '../core/hex.ts';
import type { IdentityId } from '../core/identity.ts';
import { OPERATORS, VIEWERS } from '../core/rules/operator.ts';
import { sha256 } from '../tokens/sha256.ts';

export interface GroupPowers {
  readonly label: string;
  /** Its groups whose members are operators, or viewers, of this service. */
  readonly operators?: readonly string[];
  readonly viewers?: readonly string[];
}

/** `LABEL/name`: a group of one directory is never taken for one of another, nor for one of ours unless the settings say so. */
export function groupsHere(names: readonly string[], powers: GroupPowers): readonly string[] {
  const { label, operators = [], viewers = [] } = powers;
  const own = [
    ...(names.some((name) => operators.includes(name)) ? [OPERATORS] : []),
    ...(names.some((name) => viewers.includes(name)) ? [VIEWERS] : []),
  ];
  return [...[...new Set(names)].sort().map((name) => `${label}/${name}`), ...own];
}

/** The identity whose claims at an OpenID provider have these values, whether they come by sign-in or are pushed. */
export function claimedId(label: string, issuer: string, values: readonly string[]): IdentityId {
  return `${label}:${firstHalf(sha256([issuer, ...values].join('\0')))}` as IdentityId;
}
