import type { Hex } from '../core/hex.ts';
import { isSameHash } from './mac.ts';
import { Secret } from './secret.ts';
import { sha256 } from './sha256.ts';

const PREFIX = 'tsc_';
const LENGTH = 32;

export interface DrawnSecret {
  readonly secret: Secret;
  readonly hash: Hex;
}

/** A new secret of a resource server. 32 random bytes cannot be guessed, so a fast hash is enough. */
export function drawResourceServerSecret(random: (length: number) => Buffer): DrawnSecret {
  const text = PREFIX + random(LENGTH).toString('base64url');
  return { secret: new Secret(text), hash: sha256(text) };
}

/** Compared with if there is no secret, so that an unknown id takes as long as a wrong secret. */
const NOBODY = sha256('');

/** Compares in constant time with every hash. */
export function isResourceServerSecret(presented: string, hashes: readonly Hex[]): boolean {
  const hash = sha256(presented);
  const results = (hashes.length > 0 ? hashes : [NOBODY]).map((known) => isSameHash(hash, known));
  return hashes.length > 0 && results.includes(true);
}
