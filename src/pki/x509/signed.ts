// The outer structure that certificates, CRLs and OCSP responses share: signed content, algorithm and signature.
import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { oncePer } from '../../core/once-per.ts';
import { type Element, type Fields, MalformedDer, readFields, TAG } from '../der/der.ts';
import { readNull, readOctetBits, readOid } from '../der/der-values.ts';
import { writeKeyPem } from '../der/pem.ts';
import {
  type KeyFamily,
  type MlDsa,
  type PssParameters,
  type PublicKeyFacts,
  readPssParameters,
} from './public-key.ts';

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
  return readFields(element, (fields) => {
    const toBeSigned = fields.next(TAG.sequence);
    const named = fields.next();
    const algorithm = readFields(named, readSignatureAlgorithm);
    return { toBeSigned, algorithm, outerAlgorithm: named.whole, signature: readOctetBits(fields.next()) };
  });
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

export interface SignatureAlgorithm {
  readonly name: string;
  readonly family: 'rsa' | 'rsa-pss' | 'ecdsa' | 'eddsa' | 'ml-dsa' | 'unknown';
  readonly keys: readonly KeyFamily[];
  readonly digest?: string;
  readonly saltLength?: number;
  /** MD5 and SHA-1: with a collision, one signature fits two certificates. */
  readonly weak: boolean;
}

const RSA_PSS = '1.2.840.113549.1.1.10';

const ALGORITHMS: Readonly<Record<string, SignatureAlgorithm>> = {
  '1.2.840.113549.1.1.4': rsa('md5'),
  '1.2.840.113549.1.1.5': rsa('sha1'),
  '1.2.840.113549.1.1.14': rsa('sha224'),
  '1.2.840.113549.1.1.11': rsa('sha256'),
  '1.2.840.113549.1.1.12': rsa('sha384'),
  '1.2.840.113549.1.1.13': rsa('sha512'),
  '1.2.840.10045.4.1': ecdsa('sha1'),
  '1.2.840.10045.4.3.1': ecdsa('sha224'),
  '1.2.840.10045.4.3.2': ecdsa('sha256'),
  '1.2.840.10045.4.3.3': ecdsa('sha384'),
  '1.2.840.10045.4.3.4': ecdsa('sha512'),
  '1.3.101.112': { name: 'Ed25519', family: 'eddsa', keys: ['ed25519'], weak: false },
  '1.3.101.113': { name: 'Ed448', family: 'eddsa', keys: ['ed448'], weak: false },
  '2.16.840.1.101.3.4.3.17': mlDsa('ml-dsa-44'),
  '2.16.840.1.101.3.4.3.18': mlDsa('ml-dsa-65'),
  '2.16.840.1.101.3.4.3.19': mlDsa('ml-dsa-87'),
};

function rsa(digest: string): SignatureAlgorithm {
  return { name: `RSA with ${digest}`, family: 'rsa', keys: ['rsa'], digest, weak: isWeak(digest) };
}

function ecdsa(digest: string): SignatureAlgorithm {
  return { name: `ECDSA with ${digest}`, family: 'ecdsa', keys: ['ec'], digest, weak: isWeak(digest) };
}

/** RFC 9881: the same identifiers as for keys, without parameters, over the message itself. */
function mlDsa(key: MlDsa): SignatureAlgorithm {
  return { name: key.toUpperCase(), family: 'ml-dsa', keys: [key], weak: false };
}

function isWeak(digest: string): boolean {
  return digest === 'md5' || digest === 'sha1';
}

function readSignatureAlgorithm(fields: Fields): SignatureAlgorithm {
  const oid = readOid(fields.next());
  if (oid === RSA_PSS) return pss(readPssParameters(fields.next()));
  const algorithm = ALGORITHMS[oid];
  if (!algorithm) {
    fields.skip();
    return { name: oid, family: 'unknown', keys: [], weak: false };
  }
  // RFC 3279, 5758, 8410: NULL for RSA (some CAs omit it), no parameters for the others.
  const parameters = fields.optional(TAG.null);
  if (parameters) readNull(parameters);
  if (parameters && algorithm.family !== 'rsa')
    throw new MalformedDer('this signature algorithm must not have parameters');
  return algorithm;
}

function pss({ digest, saltLength }: PssParameters): SignatureAlgorithm {
  const name = `RSA-PSS with ${digest}`;
  return { name, family: 'rsa-pss', keys: ['rsa', 'rsa-pss'], digest, saltLength, weak: isWeak(digest) };
}
