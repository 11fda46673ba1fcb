// The frame that certificates, CRLs and OCSP answers share: what is signed, by which algorithm, and the signature.
import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { childrenOf, type Element, expectTag, Fields, readElement, TAG } from '../der/der.ts';
import { readOctetBits } from '../der/der-values.ts';
import { isOnEdwardsCurve } from './edwards.ts';
import type { PublicKeyFacts } from './public-key.ts';
import { readSignatureAlgorithm, type SignatureAlgorithm } from './signature-algorithm.ts';

export interface Signed {
  readonly toBeSigned: Element;
  readonly algorithm: SignatureAlgorithm;
  /** The algorithm as the signed part repeats it; the two must be equal octet for octet. */
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

// Keys of approved issuers come back with every request.
const keys = new WeakMap<PublicKeyFacts, KeyObject | 'unusable'>();

function keyObject(facts: PublicKeyFacts): KeyObject | 'unusable' {
  const known = keys.get(facts);
  if (known) return known;
  const made = makeKey(facts);
  keys.set(facts, made);
  return made;
}

/** A key that OpenSSL does not take (a point off its curve, an even modulus) signs nothing; it is no fault of ours. */
function makeKey(facts: PublicKeyFacts): KeyObject | 'unusable' {
  try {
    return createPublicKey({ key: Buffer.from(facts.spki), format: 'der', type: 'spki' });
  } catch {
    return 'unusable';
  }
}

// Keys come from strangers, and the time of a check grows with the key: one of 16384 bits with a long exponent takes 12 ms.
const MOST_RSA_BITS = 8192;
const MOST_EXPONENT_BITS = 32;

/** Why nobody should believe a signature of this key; nothing where it is sound. */
export function whyUnusable(facts: PublicKeyFacts): string | undefined {
  if (facts.flaw) return facts.flaw;
  if (!facts.isSound && keyObject(facts) === 'unusable') return 'it cannot be loaded';
  return isOffCurve(facts) ? 'the point is not on its curve' : undefined;
}

const offCurve = new WeakMap<PublicKeyFacts, boolean>();

/** OpenSSL checks points of other curves when it loads them. */
function isOffCurve(facts: PublicKeyFacts): boolean {
  if (facts.family !== 'ed25519' && facts.family !== 'ed448') return false;
  const known = offCurve.get(facts) ?? !isOnEdwardsCurve(facts.family, keyOctets(facts));
  offCurve.set(facts, known);
  return known;
}

function keyOctets({ spki }: PublicKeyFacts): Uint8Array {
  const [, key] = childrenOf(readElement(spki));
  return readOctetBits(expectTag(key, TAG.bitString));
}

function isCostly({ bits = 0, exponentBits = 0 }: PublicKeyFacts): boolean {
  return bits > MOST_RSA_BITS || exponentBits > MOST_EXPONENT_BITS;
}

/** RFC 4055 3.3: a key that names its parameters makes signatures with that digest, and a salt no shorter. */
function isWithinLimits({ family, digest, saltLength = 0 }: SignatureAlgorithm, { pss }: PublicKeyFacts): boolean {
  return !pss || (family === 'rsa-pss' && digest === pss.digest && saltLength >= pss.saltLength);
}

export function isSignedBy({ algorithm, toBeSigned, signature }: Frame, facts: PublicKeyFacts): boolean {
  if (algorithm.family === 'unknown' || !algorithm.keys.includes(facts.family)) return false;
  if (isCostly(facts) || facts.flaw || !isWithinLimits(algorithm, facts)) return false;
  const key = keyObject(facts);
  if (key === 'unusable') return false;
  const padding =
    algorithm.family === 'rsa-pss'
      ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: algorithm.saltLength }
      : {};
  try {
    return verify(algorithm.digest ?? null, toBeSigned.whole, { key, ...padding }, signature);
  } catch {
    return false;
  }
}
