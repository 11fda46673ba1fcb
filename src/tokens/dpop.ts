// DPoP proofs (RFC 9449 4): JWTs that callers sign with a key of their own, and the nonces for them.
import { verify } from 'node:crypto';
import { type JsonObject, parseObject } from '../core/json.ts';
import { type EpochSeconds, epochSeconds } from '../core/time.ts';
import { readPublicJwk } from './jwk.ts';
import type { Keyring } from './keyring.ts';

export interface DpopProof {
  readonly id: string;
  readonly issuedAt: EpochSeconds;
  readonly method: unknown;
  readonly url: unknown;
  readonly nonce: unknown;
  /** RFC 7638 thumbprint of its key, in base64url. Undefined if the key has not signed it. Takes time: check the rest first. */
  readonly signedBy: () => string | undefined;
}

interface Algorithm {
  readonly fits: (jwk: JsonObject) => boolean;
  readonly digest: string | undefined;
  readonly options?: { readonly dsaEncoding: 'ieee-p1363' } | { readonly padding: number; readonly saltLength: number };
}

/** 4096 bits in base64url. */
const LONGEST_MODULUS = 683;
const PSS = { padding: 6, saltLength: 32 };
const ofP256: Algorithm['fits'] = ({ kty, crv }) => kty === 'EC' && crv === 'P-256';
const ofEdwards: Algorithm['fits'] = ({ kty, crv }) => kty === 'OKP' && crv === 'Ed25519';
// Callers choose the key, so keys that are slow to check are refused.
const ofRsa: Algorithm['fits'] = ({ kty, e, n }) =>
  kty === 'RSA' && e === 'AQAB' && typeof n === 'string' && n.length <= LONGEST_MODULUS;

/** Asymmetric only; each has its own kind of key. */
const ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  ES256: { fits: ofP256, digest: 'sha256', options: { dsaEncoding: 'ieee-p1363' } },
  EdDSA: { fits: ofEdwards, digest: undefined },
  Ed25519: { fits: ofEdwards, digest: undefined },
  RS256: { fits: ofRsa, digest: 'sha256' },
  PS256: { fits: ofRsa, digest: 'sha256', options: PSS },
};
export const DPOP_ALGORITHMS: readonly string[] = Object.keys(ALGORITHMS);

const LONGEST = 8192;
const LONGEST_ID = 256;
const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;

/** RFC 9449 4.3: what a proof says. Nothing of it is checked yet. */
export function readDpopProof(text: string): DpopProof | undefined {
  const [, first = '', second = '', signature = ''] = (text.length <= LONGEST && COMPACT.exec(text)) || [];
  const [header, claims] = [objectIn(first), objectIn(second)];
  const { typ, alg, jwk, crit } = header ?? {};
  const algorithm = typeof alg === 'string' && Object.hasOwn(ALGORITHMS, alg) ? ALGORITHMS[alg] : undefined;
  if (!claims || !algorithm || typ !== 'dpop+jwt' || crit !== undefined) return undefined;
  const { jti, iat, htm: method, htu: url, nonce } = claims;
  if (typeof jti !== 'string' || jti === '' || jti.length > LONGEST_ID || !Number.isFinite(iat)) return undefined;
  const signed = [Buffer.from(`${first}.${second}`), Buffer.from(signature, 'base64url')] as const;
  const signedBy = () => signerOf(signed, jwk, algorithm);
  return { id: jti, issuedAt: epochSeconds(iat as number), method, url, nonce, signedBy };
}

function signerOf(
  [bytes, signature]: readonly [Buffer, Buffer],
  jwk: unknown,
  { fits, digest, options }: Algorithm,
): string | undefined {
  if (typeof jwk !== 'object' || jwk === null || !fits(jwk as JsonObject)) return undefined;
  const read = readPublicJwk(jwk);
  if (typeof read === 'string' || !verify(digest, bytes, { key: read.key, ...options }, signature)) return undefined;
  return read.thumbprint;
}

function objectIn(base64url: string): JsonObject | undefined {
  return parseObject(Buffer.from(base64url, 'base64url').toString('utf8'));
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
