// Public keys as JSON (RFC 7517): of integrations, and in DPoP proofs.
import { createPublicKey, hash, type JsonWebKey, type KeyObject } from 'node:crypto';

/** The members that make up a key, in the order of RFC 7638 3.2. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
  RSA: ['e', 'kty', 'n'],
};
const CURVES: readonly unknown[] = ['P-256', 'P-384', 'P-521', 'Ed25519'];
const RSA_BITS = { least: 2048, most: 8192 };

export interface PublicJwk {
  /** Only the members that make up the public key. */
  readonly members: Readonly<Record<string, string>>;
  /** RFC 7638, in base64url. */
  readonly thumbprint: string;
  readonly key: KeyObject;
}

/** The public key, or why it cannot be used. A private one is refused: sending it has published it. */
export function readPublicJwk(value: unknown): PublicJwk | string {
  if (typeof value !== 'object' || value === null) return 'it is not a JSON object';
  const given = value as Readonly<Record<string, unknown>>;
  if ('d' in given || 'k' in given) return 'it is a private or symmetric key';
  const { kty } = given;
  const names = typeof kty === 'string' && Object.hasOwn(MEMBERS, kty) ? MEMBERS[kty] : undefined;
  if (!names) return 'its kty is not EC, OKP or RSA';
  if (!names.every((name) => typeof given[name] === 'string')) return `it lacks ${names.join(', ')}`;
  const members = Object.fromEntries(names.map((name) => [name, given[name] as string]));
  if (members['kty'] !== 'RSA' && !CURVES.includes(members['crv'])) return `its curve is not ${CURVES.join(', ')}`;
  const key = open(members);
  if (!key) return 'it is malformed';
  const { modulusLength = RSA_BITS.least, publicExponent = 65_537n } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < RSA_BITS.least || modulusLength > RSA_BITS.most) return 'it does not have 2048 to 8192 bits';
  if (publicExponent < 3n || publicExponent % 2n === 0n || publicExponent > 0xffff_ffff_ffff_ffffn)
    return 'its exponent is not usable';
  return { members, thumbprint: hash('sha256', JSON.stringify(members), 'base64url'), key };
}

function open(jwk: JsonWebKey): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return undefined;
  }
}

/** The public keys of a file: PEM, a key as JSON, or a set of keys. Or why it has none. */
export function readPublicKeys(text: string): readonly Readonly<Record<string, unknown>>[] | string {
  if (text.includes('PRIVATE KEY-----')) return 'it holds a private key. Give the public one: openssl pkey -pubout';
  try {
    if (text.includes('-----BEGIN')) return [{ ...createPublicKey(text).export({ format: 'jwk' }) }];
    const parsed = JSON.parse(text) as { readonly keys?: unknown };
    return [parsed.keys ?? parsed].flat() as Record<string, unknown>[];
  } catch {
    return 'it is neither PEM nor JSON';
  }
}
