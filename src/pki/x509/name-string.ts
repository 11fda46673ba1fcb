// The string types of names: which characters they hold, and which of them may give an identity.
import type { NameValue } from '../../core/certificate.ts';
import { type Element, TAG } from '../der/der.ts';
import { decodeUtf8 } from '../der/der-values.ts';

type Encoded = Pick<Element, 'tag' | 'content'>;

const readLatin = (content: Uint8Array): string => Buffer.from(content).toString('latin1');

/**
 * The characters of every string type that a name may have, or nothing where the octets are not of that type. Most give
 * no identity, but an excluded name must not escape by a change of its encoding.
 */
const CHARACTERS: Readonly<Record<number, (content: Uint8Array) => string | undefined>> = {
  [TAG.utf8]: decodeUtf8,
  [TAG.bmp]: readBmp,
  [TAG.universal]: readUniversal,
  [TAG.printable]: readLatin,
  [TAG.ia5]: readLatin,
  [TAG.numeric]: readLatin,
  [TAG.teletex]: readLatin,
  [TAG.videotex]: readLatin,
  [TAG.graphic]: readLatin,
  [TAG.visible]: readLatin,
  [TAG.general]: readLatin,
};

export function readCharacters({ tag, content }: Encoded): string | undefined {
  return CHARACTERS[tag]?.(content);
}

// A character outside the type's alphabet makes the string malformed, hence of no type a name may be taken from.
const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]*$/;
const ASCII = /^\p{ASCII}*$/u;

// The types that an identity may be taken from, where the characters are of the type's alphabet.
const NAME_TYPES: Readonly<Record<number, { readonly type: NameValue['type']; readonly alphabet?: RegExp }>> = {
  [TAG.utf8]: { type: 'utf8' },
  [TAG.printable]: { type: 'printable', alphabet: PRINTABLE },
  [TAG.ia5]: { type: 'ia5', alphabet: ASCII },
};

/** Any string of a name with its ASN.1 type; those that give no identity are `other`. */
export function readText(encoded: Encoded): NameValue {
  return textOf(encoded, readCharacters(encoded));
}

/** The same, where the characters have been read. */
export function textOf({ tag, content }: Encoded, value: string | undefined): NameValue {
  const known = NAME_TYPES[tag];
  if (value === undefined || !known) return { type: 'other', value: value ?? readLatin(content) };
  return { type: known.alphabet?.test(value) === false ? 'other' : known.type, value };
}

function readBmp(content: Uint8Array): string | undefined {
  return content.length % 2 ? undefined : Buffer.from(content).swap16().toString('utf16le');
}

function readUniversal(content: Uint8Array): string | undefined {
  if (content.length % 4) return undefined;
  const octets = Buffer.from(content);
  const points = Array.from({ length: content.length / 4 }, (_, index) => octets.readUInt32BE(index * 4));
  return points.every((point) => point <= 0x10ffff)
    ? points.map((point) => String.fromCodePoint(point)).join('')
    : undefined;
}
