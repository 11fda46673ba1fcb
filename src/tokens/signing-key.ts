// Signing keys: asymmetric, apart from the MAC keys, in the same keyring. When each of them signs is in the store
// (core/rules/signing-keys.ts), so that all nodes agree; the keyring has what must not be in the store.
import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto';
import type { PublishedKey, SigningAlgorithm } from '../core/signing-key.ts';

export interface StoredSigningKey {
  readonly kind: 'signing';
  readonly id: string;
  readonly algorithm: SigningAlgorithm;
  /** PKCS#8, DER. */
  readonly privateKey: Buffer;
}

export interface SigningKey {
  readonly id: string;
  readonly algorithm: SigningAlgorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The first part of every JWT that it signs. */
  readonly header: string;
}

/** Undefined where the stored bytes are not a private key for the algorithm. */
export function openSigningKey({ id, algorithm, privateKey: der }: StoredSigningKey): SigningKey | undefined {
  const privateKey = readPrivateKey(der);
  if (!privateKey || !FITS[algorithm](privateKey)) return undefined;
  const header = JSON.stringify({ alg: algorithm, typ: 'at+jwt', kid: id }); // RFC 9068 2.1
  const publicKey = createPublicKey(privateKey);
  return { id, algorithm, privateKey, publicKey, header: Buffer.from(header).toString('base64url') };
}

export function makeSigningKey(algorithm: SigningAlgorithm): StoredSigningKey {
  const { privateKey } = GENERATE[algorithm]();
  const id = keyIdOf(algorithm, publicMembers(createPublicKey(privateKey)));
  return { kind: 'signing', id, algorithm, privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }) };
}

/** The members of a public key as JWK, in alphabetical order (RFC 7638 3). */
export function publicMembers(key: KeyObject): PublishedKey['publicKey'] {
  const jwk = key.export({ format: 'jwk' }) as PublishedKey['publicKey'];
  const names = Object.keys(jwk).sort();
  return Object.fromEntries(names.map((name) => [name, jwk[name] as string]));
}

const ID_DIGITS = 16;

/** Begins with the algorithm, for people; then the thumbprint of RFC 7638, shortened. */
function keyIdOf(algorithm: SigningAlgorithm, members: PublishedKey['publicKey']): string {
  return `${algorithm.toLowerCase()}-${hash('sha256', JSON.stringify(members)).slice(0, ID_DIGITS)}`;
}

const RSA_BITS = 2048;

const GENERATE: Readonly<Record<SigningAlgorithm, () => { readonly privateKey: KeyObject }>> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: RSA_BITS }),
};

const FITS: Readonly<Record<SigningAlgorithm, (key: KeyObject) => boolean>> = {
  ES256: ({ asymmetricKeyDetails }) => asymmetricKeyDetails?.namedCurve === 'prime256v1',
  EdDSA: ({ asymmetricKeyType }) => asymmetricKeyType === 'ed25519',
  RS256: ({ asymmetricKeyType, asymmetricKeyDetails }) =>
    asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= RSA_BITS,
};

function readPrivateKey(der: Buffer): KeyObject | undefined {
  try {
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  } catch {
    return undefined; // the error may describe the bytes
  }
}
