// Subject and issuer names: compared by RFC 5280 7.1, printed so that a value cannot imitate structure.
import type { NameValue } from '../../core/certificate.ts';
import { escapeText } from '../../core/quote.ts';
import { childrenOf, type Element, expectTag, MalformedDer, readFields, TAG } from '../der/der.ts';
import { decodeLatin, decodeUtf8, readOid } from '../der/der-values.ts';

export interface Attribute extends NameValue {
  readonly oid: string;
  /** Absent if the value is not a string, or is malformed for its type. */
  readonly characters: string | undefined;
  readonly der: Uint8Array;
}

export class DistinguishedName {
  readonly rdns: readonly (readonly Attribute[])[];
  readonly der: Uint8Array;
  #comparable: readonly string[] | undefined;
  #incomparable: readonly boolean[] | undefined;

  constructor(rdns: DistinguishedName['rdns'], der: Uint8Array) {
    this.rdns = rdns;
    this.der = der;
  }

  /** One comparison key per relative name. Computed on first use, because string preparation is expensive. */
  get comparable(): readonly string[] {
    this.#comparable ??= this.rdns.map(comparableOf);
    return this.#comparable;
  }

  /** Which relative names have an attribute without readable text, so that they cannot be compared. */
  get incomparable(): readonly boolean[] {
    this.#incomparable ??= this.rdns.map((rdn) => rdn.some((attribute) => preparedValue(attribute) === undefined));
    return this.#incomparable;
  }
}

export const COMMON_NAME = '2.5.4.3';
export const EMAIL_ADDRESS = '1.2.840.113549.1.9.1';

const SHORT_NAMES: Readonly<Record<string, string>> = {
  [COMMON_NAME]: 'CN',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '0.9.2342.19200300.100.1.25': 'DC',
  '0.9.2342.19200300.100.1.1': 'UID',
  [EMAIL_ADDRESS]: 'emailAddress',
};

// X.520 allows 64 characters for most attributes. Longer names only serve to waste CPU time.
const MAX_NAME_OCTETS = 4096;
const MAX_RDNS = 64;
const MAX_ATTRIBUTES = 16;

export function readName(element: Element): DistinguishedName {
  if (element.whole.length > MAX_NAME_OCTETS) throw new MalformedDer(`a name is longer than ${MAX_NAME_OCTETS} octets`);
  const rdns = childrenOf(expectTag(element, TAG.sequence), MAX_RDNS).map((rdn) => readRelativeName(rdn));
  return new DistinguishedName(rdns, element.whole);
}

/** A set, so the order of attributes does not matter. With lengths, so that no value can imitate a second attribute. */
export function comparableOf(rdn: readonly Attribute[]): string {
  const attributes = rdn.map(comparableAttribute).sort();
  return attributes.map((text) => `${text.length}:${text}`).join('');
}

/** Type and prepared text, independent of the string type; the raw octets if the value is not text. */
function comparableAttribute(attribute: Attribute): string {
  const prepared = preparedValue(attribute);
  return prepared === undefined
    ? `${attribute.oid}#${Buffer.from(attribute.der).toString('hex')}`
    : `${attribute.oid}=${prepared}`;
}

function preparedValue({ characters }: Attribute): string | undefined {
  return characters === undefined ? undefined : prepareText(characters);
}

export function readRelativeName(element: Element, tag: number = TAG.set): Attribute[] {
  const attributes = childrenOf(expectTag(element, tag), MAX_ATTRIBUTES).map(readAttribute);
  if (attributes.length === 0) throw new MalformedDer('a relative name is empty');
  return attributes;
}

/** X.690 11.6: the elements of a SET OF are sorted by encoding. */
export function isInSetOrder(rdn: readonly Attribute[]): boolean {
  return rdn.every(({ der }, index) => index === 0 || Buffer.compare(rdn[index - 1]?.der ?? der, der) <= 0);
}

function readAttribute(element: Element): Attribute {
  const [oid, encoded] = readFields(element, (fields) => [readOid(fields.next()), fields.next()]);
  const characters = readCharacters(encoded);
  const { type, value } = textOf(encoded, characters);
  return { type, value, oid, characters, der: element.whole };
}

/** Whether the names can be equal, by what is cheap to compare: the types of their attributes. */
export function mayBeSame(a: DistinguishedName, b: DistinguishedName): boolean {
  return a.rdns.length === b.rdns.length && a.rdns.every((rdn, index) => haveSameTypes(rdn, b.rdns[index] ?? []));
}

function haveSameTypes(a: readonly Attribute[], b: readonly Attribute[]): boolean {
  return a.length === b.length && a.every(({ oid }) => b.some((other) => other.oid === oid));
}

/** How many characters must be normalised to compare the name. */
export function foldedCharacters({ rdns }: DistinguishedName): number {
  const lengths = rdns.flat().map(({ characters = '' }) => (isPlain(characters) ? 0 : characters.length));
  return lengths.reduce((sum, length) => sum + length, 0);
}

export function sameName(a: DistinguishedName, b: DistinguishedName): boolean {
  if (Buffer.compare(a.der, b.der) === 0) return true;
  return a.rdns.length === b.rdns.length && isNameWithin(a, b);
}

/** RFC 5280 4.2.1.10: a name is within a subtree if it starts with the relative names of the subtree. */
export function isNameWithin(name: DistinguishedName, subtree: DistinguishedName): boolean {
  return subtree.comparable.every((rdn, index) => name.comparable[index] === rdn);
}

export function attributesOf(name: DistinguishedName, oid: string): Attribute[] {
  return name.rdns.flat().filter((attribute) => attribute.oid === oid);
}

// Names are printed in every step of a report; one with thousands of attributes would flood the log.
const MAX_PRINTED = 16;

/** For people: in OpenSSL's format, with structural and unprintable characters escaped. */
export function printName({ rdns }: DistinguishedName): string {
  if (rdns.length === 0) return '(empty name)';
  const printed = rdns.slice(0, MAX_PRINTED).map((rdn) => rdn.slice(0, MAX_PRINTED).map(printAttribute).join('+'));
  return [...printed, ...(rdns.length > MAX_PRINTED ? [`and ${rdns.length - MAX_PRINTED} more`] : [])].join(', ');
}

function printAttribute({ oid, value }: Attribute): string {
  return `${SHORT_NAMES[oid] ?? oid}=${escapeText(value)}`;
}

// RFC 4518 2.2: mapped to nothing, with soft hyphens, joiners, fillers, variation selectors and tags.
const IGNORED = /[\p{Default_Ignorable_Code_Point}\p{Cf}\ufffc]|[^\P{Cc}\t-\r\u0085]/gu;
// RFC 4518 2.2: mapped to SPACE; 2.6.1: runs of spaces collapse to one, leading and trailing spaces are removed.
const SPACES = /[\t-\r\u0085\p{Z}]+/gu;
// Fast path for most names: ASCII without spaces to collapse needs case folding only.
const PLAIN = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;
// UAX #15: no language has 30 combining marks in a row, and sorting longer runs takes quadratic time.
const UNSAFE_RUN = /\p{M}{31}/u;

/** Whether preparing the text is cheap. */
function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** RFC 4518, for names only: identities compare character by character. The prepared string; undefined if preparing it would take more than linear time. */
export function prepareText(text: string): string | undefined {
  if (isPlain(text)) return text.toUpperCase();
  const mapped = text.replace(IGNORED, '');
  if (UNSAFE_RUN.test(mapped)) return undefined;
  const folded = foldCase(mapped.normalize('NFKC')).normalize('NFKC');
  return folded.replace(IGNORED, '').replace(SPACES, ' ').trim();
}

/** RFC 3454 B.2, full case folding: ß becomes ss, ς becomes σ. Only ı has a capital that it does not fold to. */
function foldCase(text: string): string {
  return text.replace(/[^ı]+/g, (part) => part.toLowerCase().toUpperCase());
}

type Encoded = Pick<Element, 'tag' | 'content'>;

/** Any string type, though most give no identity: another encoding must not escape a constraint. Undefined: invalid. */
const CHARACTERS: Readonly<Record<number, (content: Uint8Array) => string | undefined>> = {
  [TAG.utf8]: decodeUtf8,
  [TAG.bmp]: (content) => (content.length % 2 ? undefined : Buffer.from(content).swap16().toString('utf16le')),
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

function readCharacters({ tag, content }: Encoded): string | undefined {
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

function textOf({ tag, content }: Encoded, value: string | undefined): NameValue {
  const known = NAME_TYPES[tag];
  if (value === undefined || !known) return { type: 'other', value: value ?? decodeLatin(content) };
  return { type: known.alphabet?.test(value) === false ? 'other' : known.type, value };
}

function readUniversal(content: Uint8Array): string | undefined {
  if (content.length % 4) return undefined;
  const octets = Buffer.from(content);
  const points = Array.from({ length: content.length / 4 }, (_, index) => octets.readUInt32BE(index * 4));
  return points.every((point) => point <= 0x10ffff)
    ? points.map((point) => String.fromCodePoint(point)).join('')
    : undefined;
}
