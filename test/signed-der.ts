// Keys, signatures and pieces of DER from which test authorities write certificates, CRLs and OCSP responses.
import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { childrenOf, readElement, TAG } from '../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../src/pki/der/der-write.ts';

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export function ecKeys(namedCurve = 'P-256'): KeyPair {
  return generateKeyPairSync('ec', { namedCurve });
}

export function rsaKeys(modulusLength = 2048): KeyPair {
  return generateKeyPairSync('rsa', { modulusLength });
}

export function signed(
  body: Uint8Array,
  algorithm: Uint8Array,
  keys: KeyPair,
  digest = 'sha256',
  sent: readonly Uint8Array[] = [],
): Uint8Array {
  const hasOwnDigest = /^(?:ed|ml-dsa)/.test(keys.privateKey.asymmetricKeyType ?? '');
  const signature = sign(hasOwnDigest ? null : digest, body, keys.privateKey);
  return writeSequence(body, algorithm, write(TAG.bitString, Uint8Array.of(0), signature), ...sent);
}

export function signedByPss(
  body: Uint8Array,
  algorithm: Uint8Array,
  { privateKey }: KeyPair,
  { digest, saltLength }: { readonly digest: string; readonly saltLength: number },
): Uint8Array {
  const signature = sign(digest, body, { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength });
  return writeSequence(body, algorithm, write(TAG.bitString, Uint8Array.of(0), signature));
}

const ALGORITHMS: Readonly<Record<string, Uint8Array>> = {
  'ec sha256': writeSequence(writeOid('1.2.840.10045.4.3.2')),
  'ec sha1': writeSequence(writeOid('1.2.840.10045.4.1')),
  'rsa sha256': writeSequence(writeOid('1.2.840.113549.1.1.11'), write(TAG.null)),
  'rsa sha1': writeSequence(writeOid('1.2.840.113549.1.1.5'), write(TAG.null)),
  'rsa md5': writeSequence(writeOid('1.2.840.113549.1.1.4'), write(TAG.null)),
  'ed25519 sha256': writeSequence(writeOid('1.3.101.112')),
  'ed448 sha256': writeSequence(writeOid('1.3.101.113')),
  'ml-dsa-44 sha256': writeSequence(writeOid('2.16.840.1.101.3.4.3.17')),
  'ml-dsa-65 sha256': writeSequence(writeOid('2.16.840.1.101.3.4.3.18')),
  'ml-dsa-87 sha256': writeSequence(writeOid('2.16.840.1.101.3.4.3.19')),
};

export function algorithmOf({ publicKey }: KeyPair, digest = 'sha256'): Uint8Array {
  const algorithm = ALGORITHMS[`${publicKey.asymmetricKeyType} ${digest}`];
  if (!algorithm) throw new Error(`the test authority does not sign with ${publicKey.asymmetricKeyType} and ${digest}`);
  return algorithm;
}

export function extension(oid: string, value: Uint8Array, critical = false): Uint8Array {
  const flag = critical ? [write(TAG.boolean, Uint8Array.of(0xff))] : [];
  return writeSequence(writeOid(oid), ...flag, write(TAG.octetString, value));
}

export function otherName(oid: string, value: Uint8Array): Uint8Array {
  return writeContext(0, writeOid(oid), writeContext(0, value));
}

export function utf8(text: string): Uint8Array {
  return write(TAG.utf8, octets(text));
}

/** A name of common names: text becomes a UTF8String, DER is taken as it is. */
export function nameOf(names: string | Uint8Array | readonly (string | Uint8Array)[]): Uint8Array {
  const list = typeof names === 'string' || names instanceof Uint8Array ? [names] : names;
  return writeSequence(...list.map((name) => write(TAG.set, attribute('2.5.4.3', name))));
}

export function attribute(oid: string, value: string | Uint8Array): Uint8Array {
  return writeSequence(writeOid(oid), typeof value === 'string' ? utf8(value) : value);
}

export function integer(bytes: Uint8Array): Uint8Array {
  return write(TAG.integer, bytes);
}

export function octets(text: string | Uint8Array): Uint8Array {
  return typeof text === 'string' ? Buffer.from(text, 'utf8') : text;
}

export function time(date: string): Uint8Array {
  const digits = new Date(date).toISOString().replace(/[-:T]|\.000/g, '');
  return Number(digits.slice(0, 4)) < 2050
    ? write(TAG.utcTime, octets(digits.slice(2)))
    : write(TAG.generalizedTime, octets(digits));
}

export function generalizedTime(date: string): Uint8Array {
  return write(TAG.generalizedTime, octets(new Date(date).toISOString().replace(/[-:T]|\.000/g, '')));
}

/** The bits of the key alone: RFC 6960 4.1.1 hashes these. */
export function keyBits(keys: KeyPair): Uint8Array {
  const [, bits] = childrenOf(readElement(spki(keys)));
  return bits?.content.subarray(1) ?? new Uint8Array();
}

export function spki({ publicKey }: KeyPair): Uint8Array {
  return publicKey.export({ type: 'spki', format: 'der' });
}

export function keyIdentifier(keys: KeyPair): Uint8Array {
  return spki(keys).subarray(-20);
}
