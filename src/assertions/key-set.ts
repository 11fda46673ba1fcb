// A JSON Web Key Set (RFC 7517 5), and the check of a signature with one of its keys. `jose` does the cryptography; it is
// loaded when the first assertion arrives.
import type { JWK } from 'jose';
import type { Claims } from '../core/claims.ts';
import { accept, type Outcome, refused } from '../core/outcome.ts';
import type { AssertionAlgorithm } from '../core/token-issuer.ts';
import { objectOf } from './assertion-text.ts';

export interface KeySet {
  /** As published. */
  readonly text: string;
  verify(assertion: string, algorithm: AssertionAlgorithm): Promise<Signature>;
}

/**
 * - `key-unknown`: no key of the set has this `kid` and fits the algorithm
 * - `key-ambiguous`: several do
 * - `key-unusable`: the key is too short, private or malformed
 */
export type Signature = 'authentic' | 'forged' | 'key-unknown' | 'key-ambiguous' | 'key-unusable';

const MOST_KEYS = 100;
const KEY_TYPES: readonly unknown[] = ['RSA', 'EC', 'OKP'];

/** Keys for other purposes are left out. A set without a usable key is refused. */
export function readKeySet(text: string): Outcome<KeySet, string> {
  const keys = keysIn(text);
  if (!keys) return refused('it is not a JSON Web Key Set: {"keys": [...]}');
  if (keys.length > MOST_KEYS) return refused(`it has more than ${MOST_KEYS} keys`);
  const usable = keys.flatMap(usableKey);
  if (usable.length === 0) return refused('it has no public key for signatures');
  let checking: ReturnType<typeof checkerOf> | undefined;
  return accept({
    text,
    verify: async (assertion, algorithm) => {
      checking ??= checkerOf(usable);
      return (await checking)(assertion, algorithm);
    },
  });
}

function keysIn(text: string): readonly unknown[] | undefined {
  try {
    const keys = objectOf(JSON.parse(text))?.['keys'];
    return Array.isArray(keys) ? keys : undefined;
  } catch {
    return undefined;
  }
}

function usableKey(value: unknown): Claims[] {
  const found = objectOf(value);
  if (!found || !KEY_TYPES.includes(found['kty'])) return [];
  const key = Object.fromEntries(Object.entries(found).filter(([name]) => MEMBERS.has(name)));
  if (!Object.values(key).every(isPlain)) return [];
  const { use, ...rest } = key;
  // SPIFFE bundles name the purpose of a key in their own words.
  if (use === 'jwt-svid') return [rest];
  return use === undefined || use === 'sig' ? [key] : [];
}

/**
 * RFC 7517 4: others are ignored. One that is nested thousands deep would make every copy of the key fail. Those of private keys are known,
 * so that such a key is refused.
 */
const MEMBERS: ReadonlySet<string> = new Set([
  ...['kty', 'use', 'key_ops', 'alg', 'kid', 'crv', 'x', 'y', 'n', 'e'],
  ...['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'],
]);

/** A text, or a list of texts (`key_ops`). */
function isPlain(value: unknown): boolean {
  return [value].flat().every((text) => typeof text === 'string');
}

async function checkerOf(keys: readonly Claims[]) {
  const [{ createLocalJWKSet }, { compactVerify }] = await Promise.all([
    import('jose/jwks/local'),
    import('jose/jws/compact/verify'),
  ]);
  const keyFor = createLocalJWKSet({ keys: keys as unknown as JWK[] });
  return async (assertion: string, algorithm: AssertionAlgorithm): Promise<Signature> => {
    try {
      await compactVerify(assertion, keyFor, { algorithms: [algorithm] });
      return 'authentic';
    } catch (problem) {
      return FAILURES[(problem as { code?: string }).code ?? ''] ?? 'key-unusable';
    }
  };
}

const FAILURES: Readonly<Record<string, Signature>> = {
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'forged',
  ERR_JWS_INVALID: 'forged',
  ERR_JOSE_ALG_NOT_ALLOWED: 'forged',
  ERR_JWKS_NO_MATCHING_KEY: 'key-unknown',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'key-ambiguous',
};
