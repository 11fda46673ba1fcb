// JWTs that this program signs: client assertions and DPoP proofs.
import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { TokenFailure } from './failure.ts';

interface Algorithm {
  readonly alg: string;
  readonly digest: string | undefined;
}

const CURVES: Readonly<Record<string, Algorithm>> = {
  prime256v1: { alg: 'ES256', digest: 'sha256' },
  secp384r1: { alg: 'ES384', digest: 'sha384' },
  secp521r1: { alg: 'ES512', digest: 'sha512' },
};

export function signJwt(header: object, claims: object, key: KeyObject): string {
  const { alg, digest } = algorithmOf(key);
  const input = [{ alg, ...header }, claims].map(encode).join('.');
  const signature = sign(digest, Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

/** The public part, for the header of a DPoP proof. */
export function publicJwk(key: KeyObject): object {
  return createPublicKey(key).export({ format: 'jwk' });
}

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): Algorithm {
  if (type === 'rsa') return { alg: 'RS256', digest: 'sha256' };
  if (type === 'ed25519') return { alg: 'EdDSA', digest: undefined };
  const found = CURVES[details?.namedCurve ?? ''];
  if (found) return found;
  throw new TokenFailure('usage', `The key cannot sign: it is ${type}`, 'Use P-256, P-384, P-521, Ed25519 or RSA.');
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
