// What kind of key a certificate carries. Whether it is good enough is for the rules to say.
import { type Element, Fields, MalformedDer, readElement, TAG } from './der.ts';
import { readInteger, readOctetBits, readOid } from './der-values.ts';

export type KeyFamily = 'rsa' | 'rsa-pss' | 'ec' | 'dsa' | 'ed25519' | 'ed448' | 'unknown';

export interface PublicKeyFacts {
  /** SubjectPublicKeyInfo: what an approved issuer is pinned by. */
  readonly spki: Uint8Array;
  readonly family: KeyFamily;
  /** Size of the modulus, for RSA and DSA. */
  readonly bits?: number;
  /** Size of the public exponent, for RSA. */
  readonly exponentBits?: number;
  /** Named curve, or `explicit` where the parameters are spelt out. */
  readonly curve?: string;
}

const FAMILIES: Readonly<Record<string, KeyFamily>> = {
  '1.2.840.113549.1.1.1': 'rsa',
  '1.2.840.113549.1.1.10': 'rsa-pss',
  '1.2.840.10045.2.1': 'ec',
  '1.2.840.10040.4.1': 'dsa',
  '1.3.101.112': 'ed25519',
  '1.3.101.113': 'ed448',
};

const CURVES: Readonly<Record<string, string>> = {
  '1.2.840.10045.3.1.1': 'P-192',
  '1.3.132.0.33': 'P-224',
  '1.2.840.10045.3.1.7': 'P-256',
  '1.3.132.0.34': 'P-384',
  '1.3.132.0.35': 'P-521',
};

export function readPublicKey(element: Element): PublicKeyFacts {
  const fields = new Fields(element);
  const algorithm = new Fields(fields.next(TAG.sequence));
  const family = FAMILIES[readOid(algorithm.next())] ?? 'unknown';
  const key = readOctetBits(fields.next());
  fields.end();
  const facts = { spki: element.whole, family };
  if (family === 'rsa' || family === 'rsa-pss') return { ...facts, ...rsaSizes(key) };
  if (family === 'dsa') return { ...facts, bits: primeBits(algorithm.optional(TAG.sequence)) };
  if (family === 'ec') return { ...facts, curve: curveOf(algorithm.next()) };
  return facts;
}

function rsaSizes(key: Uint8Array): { bits: number; exponentBits: number } {
  const fields = new Fields(readElement(key, TAG.sequence));
  const bits = bitLength(readInteger(fields.next()));
  const exponentBits = bitLength(readInteger(fields.next()));
  fields.end();
  return { bits, exponentBits };
}

function primeBits(parameters: Element | undefined): number {
  if (!parameters) throw new MalformedDer('a DSA key without its parameters');
  return bitLength(readInteger(new Fields(parameters).next()));
}

function curveOf(parameters: Element): string {
  if (parameters.tag !== TAG.oid) return 'explicit';
  const oid = readOid(parameters);
  return CURVES[oid] ?? oid;
}

function bitLength(integer: Uint8Array): number {
  const first = integer[0] === 0 ? integer.subarray(1) : integer;
  return first.length * 8 - Math.clz32(first[0] ?? 0) + 24;
}

export function printKey({ family, bits, curve }: PublicKeyFacts): string {
  if (bits) return `${family.toUpperCase()} ${bits} bits`;
  return curve ? `EC ${curve}` : family;
}
