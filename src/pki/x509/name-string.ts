// The string types used in names: how they are decoded, and which of them may give an identity.
import type { NameValue } from '../../core/certificate.ts';
import { type Element, TAG } from '../der/der.ts';
import { decodeLatin, decodeUtf8 } from '../der/der-values.ts';

type Encoded = Pick<Element, 'tag' | 'content'>;

/**
 * Decodes any string type that a name may have; undefined if the octets are invalid for the type. Most types give no
 * identity, but an excluded name must not escape its constraint by using another encoding.
 */
const CHARACTERS: Readonly<Record<number, (content: Uint8Array) => string | undefined>> = {
  [TAG.utf8]: decodeUtf8,
  [TAG.bmp]: readBmp,
  [TAG.universal]: readUniversal,
  [TAG.printable]: decodeLatin,
  [TAG.ia5]: decodeLatin,
  [TAG.numeric]: decodeLatin,
  [TAG.teletex]: decodeLatin,
  [TAG.videotex]: decodeLatin,
  [TAG.graphic]: decodeLatin,
  [TAG.visible]: decodeLatin,
  [TAG.general]: decodeLatin,
};

export function readCharacters({ tag, content }: Encoded): string | undefined {
  return CHARACTERS[tag]?.(content);
}

// A character outside the type's alphabet makes the string malformed.
const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]*$/;
const ASCII = /^\p{ASCII}*$/u;

// String types that may give an identity, if all characters belong to the type's alphabet.
const NAME_TYPES: Readonly<Record<number, { readonly type: NameValue['type']; readonly alphabet?: RegExp }>> = {
  [TAG.utf8]: { type: 'utf8' },
  [TAG.printable]: { type: 'printable', alphabet: PRINTABLE },
  [TAG.ia5]: { type: 'ia5', alphabet: ASCII },
};

/** A string of a name with its ASN.1 type; types that give no identity are `other`. */
export function readText(encoded: Encoded): NameValue {
  return textOf(encoded, readCharacters(encoded));
}

/** The same, for text that is already decoded. */
export function textOf({ tag, content }: Encoded, value: string | undefined): NameValue {
  const known = NAME_TYPES[tag];
  if (value === undefined || !known) return { type: 'other', value: value ?? decodeLatin(content) };
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
