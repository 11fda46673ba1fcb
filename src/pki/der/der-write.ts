// The small part of DER that an OCSP client must write.
import { contextTag, TAG } from './der.ts';

export function write(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts);
  return Buffer.concat([Uint8Array.of(tag), lengthOctets(content.length), content]);
}

export function writeSequence(...parts: readonly Uint8Array[]): Uint8Array {
  return write(TAG.sequence, ...parts);
}

/** Wraps the elements in an EXPLICIT `[n]` tag. */
export function writeContext(number: number, ...parts: readonly Uint8Array[]): Uint8Array {
  return write(contextTag(number, 'constructed'), ...parts);
}

export function writeOid(oid: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = oid.split('.').map(Number);
  return write(TAG.oid, Uint8Array.from([first * 40 + second, ...rest].flatMap(base128)));
}

function base128(arc: number): number[] {
  return digitsOf(arc, 128).map((digit, place, { length }) => (place < length - 1 ? digit | 0x80 : digit));
}

function lengthOctets(length: number): Uint8Array {
  if (length < 0x80) return Uint8Array.of(length);
  const octets = digitsOf(length, 256);
  return Uint8Array.of(0x80 | octets.length, ...octets);
}

function digitsOf(number: number, base: number): number[] {
  return number < base ? [number] : [...digitsOf(Math.floor(number / base), base), number % base];
}
