// DPoP proofs (RFC 9449 4): JWTs that callers sign with a key of their own, and the nonces for them.
import { verify } from 'node:crypto';
import { type EpochSeconds, epochSeconds } from '../core/time.ts';
import { readPublicJwk } from './jwk.ts';
import type { Keyring } from './keyring.ts';

export interface DpopProof {
  /** RFC 7638 thumbprint of its key, in base64url. */
  readonly jkt: string;
  readonly id: string;
  readonly issuedAt: EpochSeconds;
  readonly method: unknown;
  readonly url: unknown;
  readonly nonce: unknown;
}

interface Algorithm {
  readonly fits: (members: Readonly<Record<string, string>>) => boolean;
  readonly digest: string | undefined;
  readonly options?: { readonly dsaEncoding: 'ieee-p1363' } | { readonly padding: number; readonly saltLength: number };
}

const PSS = { padding: 6, saltLength: 32 };
const ofCurve =
  (curve: string): Algorithm['fits'] =>
  (members) =>
    members['crv'] === curve;
const ofRsa: Algorithm['fits'] = (members) => members['kty'] === 'RSA';
const P1363 = { dsaEncoding: 'ieee-p1363' } as const;

/** Asymmetric only; each has its own kind of key. */
const ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  ES256: { fits: ofCurve('P-256'), digest: 'sha256', options: P1363 },
  ES384: { fits: ofCurve('P-384'), digest: 'sha384', options: P1363 },
  ES512: { fits: ofCurve('P-521'), digest: 'sha512', options: P1363 },
  EdDSA: { fits: ofCurve('Ed25519'), digest: undefined },
  Ed25519: { fits: ofCurve('Ed25519'), digest: undefined },
  RS256: { fits: ofRsa, digest: 'sha256' },
  PS256: { fits: ofRsa, digest: 'sha256', options: PSS },
};
export const DPOP_ALGORITHMS: readonly string[] = Object.keys(ALGORITHMS);

const LONGEST = 8192;
const LONGEST_ID = 256;
const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;

/** RFC 9449 4.3: a proof with a good signature. What it says about the request is not checked yet. */
export function readDpopProof(text: string): DpopProof | undefined {
  const [, first = '', second = '', signature = ''] = (text.length <= LONGEST && COMPACT.exec(text)) || [];
  const [header, claims] = [objectIn(first), objectIn(second)];
  const { typ, alg, jwk, crit } = header ?? {};
  const algorithm = typeof alg === 'string' && Object.hasOwn(ALGORITHMS, alg) ? ALGORITHMS[alg] : undefined;
  if (!claims || !algorithm || typ !== 'dpop+jwt' || crit !== undefined) return undefined;
  const key = readPublicJwk(jwk);
  if (typeof key === 'string' || !algorithm.fits(key.members)) return undefined;
  const bytes = Buffer.from(signature, 'base64url');
  if (!verify(algorithm.digest, Buffer.from(`${first}.${second}`), { key: key.key, ...algorithm.options }, bytes))
    return undefined;
  const { jti, iat, htm: method, htu: url, nonce } = claims;
  if (typeof jti !== 'string' || jti === '' || jti.length > LONGEST_ID || !Number.isFinite(iat)) return undefined;
  return { jkt: key.thumbprint, id: jti, issuedAt: epochSeconds(iat as number), method, url, nonce };
}

function objectIn(base64url: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(base64url, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const TAG_AT = 5;
const NONCE_LENGTH = 21;

/** A nonce that every node with the same keyring knows as its own: the id of the key, the time, a MAC. */
export function mintNonce(now: EpochSeconds, { minting }: Keyring): string {
  const bytes = Buffer.alloc(NONCE_LENGTH);
  bytes[0] = minting.id;
  bytes.writeUInt32BE(now, 1);
  minting.mac['dpop-nonce'].sign(bytes, TAG_AT, NONCE_LENGTH - TAG_AT);
  return bytes.toString('base64url');
}

/** When it was minted. Undefined if it was not minted here. */
export function nonceTime(text: unknown, keyring: Keyring): EpochSeconds | undefined {
  const bytes = Buffer.from(typeof text === 'string' ? text : '', 'base64url');
  if (bytes.length !== NONCE_LENGTH || bytes.toString('base64url') !== text) return undefined;
  const isOurs = keyring.key(bytes[0] as number)?.mac['dpop-nonce'].isSigned(bytes, TAG_AT);
  return isOurs ? epochSeconds(bytes.readUInt32BE(1)) : undefined;
}
