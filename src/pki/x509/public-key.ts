// Parses the public key of a certificate. The path rules decide whether it is good enough.
import {
  contextTag,
  type Element,
  type Fields,
  MalformedDer,
  readElement,
  readFields,
  TAG,
  unwrap,
} from '../der/der.ts';
import { readCount, readInteger, readNull, readOctetBits, readOid } from '../der/der-values.ts';

export interface PssParameters {
  readonly digest: string;
  readonly saltLength: number;
}

const MGF1 = '1.2.840.113549.1.1.8';

export const DIGESTS: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.4': 'sha224',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/** The mask must use the same digest: all software does so, and node:crypto assumes it. */
export function readPssParameters(parameters: Element): PssParameters {
  const [named, mask, salt, trailer] = readFields(parameters, (fields) =>
    [0, 1, 2, 3].map((number) => fields.optional(contextTag(number, 'constructed'))),
  );
  if (trailer && readCount(unwrap(trailer)) !== 1)
    throw new MalformedDer('the trailer of an RSA-PSS signature is not 1');
  const digest = named ? digestNamed(unwrap(named, TAG.sequence)) : 'sha1';
  if (readMaskDigest(mask) !== digest) throw new MalformedDer('digest and mask of an RSA-PSS signature differ');
  return { digest, saltLength: salt ? readCount(unwrap(salt)) : 20 };
}

function readMaskDigest(wrapped: Element | undefined): string {
  if (!wrapped) return 'sha1';
  return readFields(unwrap(wrapped), (fields) => {
    if (readOid(fields.next()) !== MGF1) throw new MalformedDer('the mask of an RSA-PSS signature is not MGF1');
    return digestNamed(fields.next());
  });
}

/** RFC 4055 2.1: NULL or absent. */
function digestNamed(algorithm: Element): string {
  const digest = readFields(algorithm, (fields) => {
    const oid = readOid(fields.next());
    const parameters = fields.optional(TAG.null);
    if (parameters) readNull(parameters);
    return DIGESTS[oid];
  });
  if (!digest) throw new MalformedDer('unknown digest in an RSA-PSS signature');
  return digest;
}

export type KeyFamily = 'rsa' | 'rsa-pss' | 'ec' | 'ed25519' | 'ed448' | MlDsa | 'unknown';
export type MlDsa = 'ml-dsa-44' | 'ml-dsa-65' | 'ml-dsa-87';

export interface PublicKeyFacts {
  /** SubjectPublicKeyInfo; approved issuers are pinned by it. */
  readonly spki: Uint8Array;
  readonly family: KeyFamily;
  /** Size of the modulus in bits, for RSA. */
  readonly bits?: number;
  /** Size of the public exponent in bits, for RSA. */
  readonly exponentBits?: number;
  /** Named curve, or `explicit` if the parameters are spelled out. */
  readonly curve?: string;
  /** For an RSA-PSS key with parameters: the only signatures it may make (RFC 4055 3.3). */
  readonly pss?: PssParameters;
  /** Why the key is invalid, such as an even modulus. Whether a point is on its curve is left to OpenSSL. */
  readonly flaw?: string;
}

const FAMILIES: Readonly<Record<string, KeyFamily>> = {
  '1.2.840.113549.1.1.1': 'rsa',
  '1.2.840.113549.1.1.10': 'rsa-pss',
  '1.2.840.10045.2.1': 'ec',
  '1.3.101.112': 'ed25519',
  '1.3.101.113': 'ed448',
  '2.16.840.1.101.3.4.3.17': 'ml-dsa-44',
  '2.16.840.1.101.3.4.3.18': 'ml-dsa-65',
  '2.16.840.1.101.3.4.3.19': 'ml-dsa-87',
};

/** All curves that can be allowed (OPTIONAL_CURVES), with the size of a coordinate in octets. */
const CURVES: Readonly<Record<string, { readonly name: string; readonly size: number }>> = {
  '1.2.840.10045.3.1.7': { name: 'P-256', size: 32 },
  '1.3.132.0.34': { name: 'P-384', size: 48 },
  '1.3.132.0.35': { name: 'P-521', size: 66 },
  '1.3.36.3.3.2.8.1.1.7': { name: 'brainpoolP256r1', size: 32 },
  '1.3.36.3.3.2.8.1.1.11': { name: 'brainpoolP384r1', size: 48 },
  '1.3.36.3.3.2.8.1.1.13': { name: 'brainpoolP512r1', size: 64 },
};

type Details = Omit<PublicKeyFacts, 'spki' | 'family'>;

const READERS: Readonly<Record<KeyFamily, (parameters: Fields, key: Uint8Array) => Details>> = {
  rsa: (parameters, key) => {
    readNull(parameters.next()); // RFC 3279 2.3.1
    return readRsa(key);
  },
  'rsa-pss': (parameters, key) => {
    const limits = parameters.optional(TAG.sequence); // RFC 4055 1.2: absent, or the restrictions of the key
    return { ...readRsa(key), ...(limits && { pss: readPssParameters(limits) }) };
  },
  ec: (parameters, key) => readPoint(parameters.next(), key),
  ed25519: (_, key) => readEdwards('ed25519', key),
  ed448: (_, key) => readEdwards('ed448', key),
  // FIPS 204, table 2: the size of a key.
  'ml-dsa-44': (_, key) => readMlDsa(1312, key),
  'ml-dsa-65': (_, key) => readMlDsa(1952, key),
  'ml-dsa-87': (_, key) => readMlDsa(2592, key),
  unknown: (parameters) => {
    parameters.skip();
    return { flaw: 'it is of an unknown kind' };
  },
};

/** Rejects parameters that do not belong to the algorithm: another program might use them and see a different key. */
export function readPublicKey(element: Element): PublicKeyFacts {
  const [algorithm, key] = readFields(element, (fields) => [fields.next(), readOctetBits(fields.next())]);
  return readFields(algorithm, (fields) => {
    const family = FAMILIES[readOid(fields.next())] ?? 'unknown';
    return { spki: element.whole, family, ...READERS[family](fields, key) };
  });
}

const MAX_RSA_BITS = 16_384;
/** Nobody uses larger ones than 33 bits. The time of a check grows with it. */
const MAX_EXPONENT_BITS = 64;

function readRsa(key: Uint8Array): Details {
  const [modulus, exponent] = readFields(readElement(key), (fields) => [
    readInteger(fields.next()),
    readInteger(fields.next()),
  ]);
  const sizes = { bits: bitLength(modulus), exponentBits: bitLength(exponent) };
  const flaw = flawOfModulus(modulus, sizes.bits) ?? flawOfExponent(exponent, sizes);
  return { ...sizes, ...(flaw && { flaw }) };
}

function flawOfModulus(modulus: Uint8Array, bits: number): string | undefined {
  if (isNegative(modulus)) return 'the modulus is negative';
  if (!isOdd(modulus)) return 'the modulus is even';
  return bits > MAX_RSA_BITS ? `the modulus has more than ${MAX_RSA_BITS} bits` : undefined;
}

/** With exponent 1 a signature is just the padded digest, which anyone can forge. */
function flawOfExponent(exponent: Uint8Array, sizes: { bits: number; exponentBits: number }): string | undefined {
  if (isNegative(exponent) || !isOdd(exponent) || sizes.exponentBits < 2) return 'the exponent is even or less than 3';
  if (sizes.exponentBits >= sizes.bits) return 'the exponent is as large as the modulus';
  return sizes.exponentBits > MAX_EXPONENT_BITS ? `the exponent has more than ${MAX_EXPONENT_BITS} bits` : undefined;
}

function isNegative(integer: Uint8Array): boolean {
  return (integer[0] as number) >= 0x80;
}

function isOdd(integer: Uint8Array): boolean {
  return ((integer.at(-1) as number) & 1) === 1;
}

/** RFC 5480 2.2: a compressed or uncompressed point on a named curve. OpenSSL never loads a curve that is spelled out: it may be slow. */
function readPoint(parameters: Element, point: Uint8Array): Details {
  if (parameters.tag !== TAG.oid) return { curve: 'explicit', flaw: 'the curve is not named' };
  const oid = readOid(parameters);
  const known = CURVES[oid];
  if (!known) return { curve: oid };
  const isFormed = isPointForm(point, known.size);
  return { curve: known.name, ...(!isFormed && { flaw: 'the point is not encoded as in RFC 5480 2.2' }) };
}

function isPointForm({ 0: form, length }: Uint8Array, size: number): boolean {
  if (form === 4) return length === 1 + 2 * size;
  return (form === 2 || form === 3) && length === 1 + size;
}

const P25519 = 2n ** 255n - 19n;
const P448 = 2n ** 448n - 2n ** 224n - 1n;
const ORDER_8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;

/** For each curve its prime, and the y coordinates of the points whose order divides the cofactor. */
const EDWARDS = {
  ed25519: { octets: 32, prime: P25519, smallOrder: [0n, 1n, P25519 - 1n, ORDER_8, P25519 - ORDER_8] },
  ed448: { octets: 57, prime: P448, smallOrder: [0n, 1n, P448 - 1n] },
} as const;

/** OpenSSL loads any octets. With a point of small order anyone can sign; with one off the curve nobody can. */
function readEdwards(name: keyof typeof EDWARDS, key: Uint8Array): Details {
  const { octets, prime, smallOrder } = EDWARDS[name];
  const littleEndian = BigInt(`0x0${Buffer.from(key).reverse().toString('hex')}`);
  const y = littleEndian & ~(1n << BigInt(8 * octets - 1)); // the top bit is the sign of x
  const isSound = key.length === octets && y < prime && !smallOrder.some((small) => small === y);
  return isSound ? {} : { flaw: 'the key has the wrong form, or is a point of small order' };
}

function readMlDsa(size: number, key: Uint8Array): Details {
  return key.length === size ? {} : { flaw: 'the key has the wrong size' };
}

function bitLength(integer: Uint8Array): number {
  const first = integer[0] === 0 ? integer.subarray(1) : integer;
  return first.length * 8 - Math.clz32(first[0] as number) + 24;
}

export function printKey({ family, bits, curve }: PublicKeyFacts): string {
  if (bits) return `${family.toUpperCase()} ${bits} bits`;
  return curve ? `EC ${curve}` : family;
}
