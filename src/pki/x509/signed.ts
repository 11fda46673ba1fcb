// The outer structure that certificates, CRLs and OCSP responses share: signed content, algorithm and signature.
import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { oncePer } from '../../core/once-per.ts';
import { type Element, expectTag, Fields, TAG } from '../der/der.ts';
import { readOctetBits } from '../der/der-values.ts';
import { writeKeyPem } from '../der/pem.ts';
import type { PublicKeyFacts } from './public-key.ts';
import { readSignatureAlgorithm, type SignatureAlgorithm } from './signature-algorithm.ts';

export interface Signed {
  readonly toBeSigned: Element;
  readonly algorithm: SignatureAlgorithm;
  /** The algorithm as repeated inside the signed part; the two must be identical octet for octet. */
  readonly innerAlgorithm: Uint8Array;
  readonly outerAlgorithm: Uint8Array;
  readonly signature: Uint8Array;
}

export type Frame = Omit<Signed, 'innerAlgorithm'>;

export function readSigned(element: Element): Frame {
  const fields = new Fields(expectTag(element, TAG.sequence));
  const toBeSigned = fields.next(TAG.sequence);
  const algorithm = fields.next(TAG.sequence);
  const signature = readOctetBits(fields.next());
  fields.end();
  return { toBeSigned, algorithm: readSignatureAlgorithm(algorithm), outerAlgorithm: algorithm.whole, signature };
}

/** A key that OpenSSL rejects (a point off its curve) verifies no signature; that is not a fault of the service. */
const keyObject = oncePer(({ spki }: PublicKeyFacts): KeyObject | 'unusable' => {
  try {
    return createPublicKey(writeKeyPem(spki)); // Node loads PEM in half the time that it needs for DER
  } catch {
    return 'unusable';
  }
});

// Bounds the cost of keys from untrusted certificates: verifying with 16384 bits and a long exponent takes 12 ms.
const MAX_RSA_BITS = 8192;
const MAX_EXPONENT_BITS = 32;

/** Why signatures of this key must not be trusted; undefined if the key is sound. */
export function whyUnusable(facts: PublicKeyFacts): string | undefined {
  return facts.flaw ?? (keyObject(facts) === 'unusable' ? 'it cannot be loaded, or is not on its curve' : undefined);
}

/** RFC 4055 3.3: a key with parameters makes signatures with that digest and at least that salt length. */
function isWithinLimits({ family, digest, saltLength = 0 }: SignatureAlgorithm, { pss }: PublicKeyFacts): boolean {
  return !pss || (family === 'rsa-pss' && digest === pss.digest && saltLength >= pss.saltLength);
}

/** Whether this key can have made the signature, by what is cheap to check. */
export function couldBeSignedBy({ algorithm, signature }: Frame, facts: PublicKeyFacts): boolean {
  if (algorithm.family === 'unknown' || !algorithm.keys.includes(facts.family)) return false;
  const { bits = 0, exponentBits = 0 } = facts;
  if (bits > MAX_RSA_BITS || exponentBits > MAX_EXPONENT_BITS || facts.flaw || !isWithinLimits(algorithm, facts))
    return false;
  // RFC 8017 8.1.2 and 8.2.2: the signature is as long as the modulus.
  return !facts.family.startsWith('rsa') || signature.length === Math.ceil(bits / 8);
}

export function isSignedBy(frame: Frame, facts: PublicKeyFacts): boolean {
  if (!couldBeSignedBy(frame, facts)) return false;
  const { algorithm, toBeSigned, signature } = frame;
  const key = keyObject(facts);
  if (key === 'unusable') return false;
  const { family, saltLength = 20 } = algorithm;
  const how = family === 'rsa-pss' ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength } : key;
  try {
    return verify(algorithm.digest ?? null, toBeSigned.whole, how, signature);
  } catch {
    return false;
  }
}
