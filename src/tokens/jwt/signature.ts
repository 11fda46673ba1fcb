// Signatures of JWTs (RFC 7515, compact).
import { sign, verify } from 'node:crypto';
import type { SigningAlgorithm } from '../../core/signing-key.ts';
import type { SigningKey } from '../signing-key.ts';

interface Signer {
  readonly digest: 'sha256' | undefined;
  /** RFC 7518 3.4: the two numbers of an ECDSA signature side by side. */
  readonly encoding?: { readonly dsaEncoding: 'ieee-p1363' };
  /** So slow that it would hold up other requests: goes to a thread. */
  readonly isSlow: boolean;
}

const SIGNERS: Readonly<Record<SigningAlgorithm, Signer>> = {
  ES256: { digest: 'sha256', encoding: { dsaEncoding: 'ieee-p1363' }, isSlow: false },
  EdDSA: { digest: undefined, isSlow: false },
  RS256: { digest: 'sha256', isSlow: true },
};

/** Signs a text, which `signed` then gets with its signature. */
export function signText(text: string, { algorithm, privateKey }: SigningKey): Promise<string> | string {
  const { digest, encoding, isSlow } = SIGNERS[algorithm];
  const [data, key] = [Buffer.from(text), { key: privateKey, ...encoding }];
  const join = (signature: Buffer) => `${text}.${signature.toString('base64url')}`;
  if (!isSlow) return join(sign(digest, data, key));
  return new Promise((resolve, reject) => {
    sign(digest, data, key, (error, signature) => (error ? reject(error) : resolve(join(signature))));
  });
}

/** Whether the signature, in base64url, is one of this key over the text. */
export function isSignedBy({ algorithm, publicKey }: SigningKey, text: string, signature: string): boolean {
  const bytes = Buffer.from(signature, 'base64url');
  if (bytes.toString('base64url') !== signature) return false; // Node decodes leniently
  const { digest, encoding } = SIGNERS[algorithm];
  return verify(digest, Buffer.from(text), { key: publicKey, ...encoding }, bytes);
}
