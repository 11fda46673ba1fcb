// A JSON Web Key Set (RFC 7517 5). `jose` checks signatures; it is loaded when the first assertion arrives.
import type { CompactVerifyGetKey, CryptoKey, JWK } from 'jose';
import type { Claims } from '../core/claims.ts';
import { objectOf, parseObject } from '../core/json.ts';
import { accept, type Outcome, refused } from '../core/outcome.ts';
import type { ReadAssertion } from './assertion-text.ts';

export interface KeySet {
  readonly text: string;
  /** Whether it has no public key for signatures. */
  readonly isEmpty: boolean;
  /** Its `alg` was checked. */
  readonly verify: (assertion: ReadAssertion) => Promise<Signature>;
}

/**
 * - `key-unknown`: no key of the set has this `kid`, if there is one, and fits the algorithm
 * - `key-ambiguous`: too many do
 * - `key-unusable`: the key is too short, private or malformed
 */
export type Signature = 'authentic' | 'forged' | 'key-unknown' | 'key-ambiguous' | 'key-unusable';

const MOST_KEYS = 100;
/** Unauthenticated callers can leave `kid` out: they must not cause a check with every key. */
const MOST_TRIED = 8;
const KEY_TYPES: readonly unknown[] = ['RSA', 'EC', 'OKP'];

/** Keys for other purposes are left out. A token issuer that has withdrawn all its keys publishes an empty set. */
export function readKeySet(text: string): Outcome<KeySet, string> {
  const keys = parseObject(text)?.['keys'];
  if (!Array.isArray(keys) || (keys.length > 0 && !keys.some((key) => typeof objectOf(key)?.['kty'] === 'string')))
    return refused('it is not a JSON Web Key Set: {"keys": [...]}');
  if (keys.length > MOST_KEYS) return refused(`it has more than ${MOST_KEYS} keys`);
  const usable = keys.flatMap(usableKey);
  let checking: ReturnType<typeof checkerOf> | undefined;
  return accept({
    text,
    isEmpty: usable.length === 0,
    verify: async (assertion) => {
      checking ??= checkerOf(usable);
      return (await checking)(assertion);
    },
  });
}

function usableKey(value: unknown): Claims[] {
  const found = objectOf(value);
  if (!found || !KEY_TYPES.includes(found['kty'])) return [];
  // Some platforms write null for a member that they leave out.
  const members = Object.entries(found).filter(([name, member]) => MEMBERS.has(name) && member !== null);
  const key: Claims = Object.fromEntries(members);
  if (!Object.values(key).every(isPlain) || (key['kty'] === 'RSA' && !isExponent(key['e']))) return [];
  const { use, ...rest } = key;
  // SPIFFE bundles name the purpose of a key in their own words.
  if (use === 'jwt-svid') return [rest];
  return use === undefined || use === 'sig' ? [key] : [];
}

/** RFC 7517 4: others are ignored; deep ones would make copies fail. Private ones are known, so as to be refused. */
const MEMBERS: ReadonlySet<string> = new Set([
  ...['kty', 'use', 'key_ops', 'alg', 'kid', 'crv', 'x', 'y', 'n', 'e'],
  ...['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'],
]);

/** A text, or a list of texts (`key_ops`). */
function isPlain(value: unknown): boolean {
  return [value].flat().every((text) => typeof text === 'string');
}

/** Odd, more than 1 and of at most 64 bits: with 1, everybody can sign; a long one makes every check slow. */
function isExponent(base64url: unknown): boolean {
  const bytes = Buffer.from(typeof base64url === 'string' ? base64url : '', 'base64url');
  const exponent = bytes.length <= 8 ? BigInt(`0x0${bytes.toString('hex')}`) : 0n;
  return exponent > 1n && exponent % 2n === 1n;
}

async function checkerOf(keys: readonly Claims[]) {
  const [{ createLocalJWKSet }, { compactVerify }, { JWKSMultipleMatchingKeys }] = await Promise.all([
    import('jose/jwks/local'),
    import('jose/jws/compact/verify'),
    import('jose/errors'),
  ]);
  const keyFor = createLocalJWKSet({ keys: keys.map(withoutEdwardsName) as unknown as JWK[] });
  return async ({ text, header }: ReadAssertion): Promise<Signature> => {
    const algorithms = [header['alg'] as string];
    const check = (key: CryptoKey | CompactVerifyGetKey) => compactVerify(text, key as CryptoKey, { algorithms });
    try {
      await check(keyFor);
      return 'authentic';
    } catch (problem) {
      if (problem instanceof JWKSMultipleMatchingKeys) return byAny(problem, check);
      return FAILURES[(problem as { code?: string }).code ?? ''] ?? 'key-unusable';
    }
  };
}

/** The same key listed twice, or several and no `kid` to choose one: all are keys of the token issuer. */
async function byAny(keys: AsyncIterable<CryptoKey>, check: (key: CryptoKey) => Promise<unknown>): Promise<Signature> {
  let tried = 0;
  for await (const key of keys) {
    if (++tried > MOST_TRIED) return 'key-ambiguous';
    if (await check(key).catch(() => undefined)) return 'authentic';
  }
  return tried > 0 ? 'forged' : 'key-unusable';
}

/** Its `alg` may be EdDSA or Ed25519: one algorithm with two names. The curve says which keys fit. */
function withoutEdwardsName(key: Claims): Claims {
  const { alg, ...rest } = key;
  return alg === 'EdDSA' || alg === 'Ed25519' ? rest : key;
}

const FAILURES: Readonly<Record<string, Signature>> = {
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'forged',
  ERR_JWS_INVALID: 'forged',
  ERR_JOSE_ALG_NOT_ALLOWED: 'forged',
  ERR_JWKS_NO_MATCHING_KEY: 'key-unknown',
};
