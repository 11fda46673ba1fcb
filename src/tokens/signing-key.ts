// Signing keys: asymmetric, apart from the MAC keys, in the same keyring.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { SigningKeyLife } from '../core/rules/signing-keys.ts';

/** As RFC 7518 and RFC 8037 name them. */
export const SIGNING_ALGORITHMS = ['ES256', 'EdDSA', 'RS256'] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

export interface StoredSigningKey extends SigningKeyLife {
  readonly kind: 'signing';
  readonly algorithm: SigningAlgorithm;
  /** PKCS#8, DER. */
  readonly privateKey: Buffer;
}

export interface SigningKey extends SigningKeyLife {
  readonly algorithm: SigningAlgorithm;
  readonly privateKey: KeyObject;
}

/** Undefined where the stored bytes are not a private key for the algorithm. */
export function openSigningKey({ id, state, since, algorithm, privateKey }: StoredSigningKey): SigningKey | undefined {
  const key = readPrivateKey(privateKey);
  return key && FITS[algorithm](key) ? { id, state, since, algorithm, privateKey: key } : undefined;
}

const RSA_MIN_BITS = 2048;

const FITS: Readonly<Record<SigningAlgorithm, (key: KeyObject) => boolean>> = {
  ES256: ({ asymmetricKeyDetails }) => asymmetricKeyDetails?.namedCurve === 'prime256v1',
  EdDSA: ({ asymmetricKeyType }) => asymmetricKeyType === 'ed25519',
  RS256: ({ asymmetricKeyType, asymmetricKeyDetails }) =>
    asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= RSA_MIN_BITS,
};

function readPrivateKey(der: Buffer): KeyObject | undefined {
  try {
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  } catch {
    return undefined; // the error may describe the bytes
  }
}
