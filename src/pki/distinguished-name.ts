// Names of subjects and issuers, compared as RFC 5280 7.1 says and printed so that no character can pose as structure.
import type { NameValue } from '../core/certificate.ts';
import { childrenOf, type Element, expectTag, Fields, MalformedDer, TAG } from './der.ts';
import { decodeUtf8, readOid } from './der-values.ts';

export interface Attribute extends NameValue {
  readonly oid: string;
  /** Two attributes are the same when these are: type and folded characters, whatever string type encoded them. */
  readonly comparable: string;
}

export interface DistinguishedName {
  readonly rdns: readonly (readonly Attribute[])[];
  /** One text per relative name, for comparison alone. */
  readonly comparable: readonly string[];
  readonly der: Uint8Array;
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

export function readName(element: Element): DistinguishedName {
  const rdns = childrenOf(expectTag(element, TAG.sequence)).map((rdn) => readRelativeName(rdn));
  return { rdns, comparable: rdns.map(comparableOf), der: element.whole };
}

/** The attributes of a relative name are a set: their order says nothing. */
export function comparableOf(rdn: readonly Attribute[]): string {
  const attributes = rdn.map(({ comparable }) => comparable);
  return attributes.sort().join('\u0001');
}

export function readRelativeName(element: Element, tag: number = TAG.set): Attribute[] {
  const attributes = childrenOf(expectTag(element, tag)).map(readAttribute);
  if (attributes.length === 0) throw new MalformedDer('a relative name is empty');
  return attributes;
}

function readAttribute(element: Element): Attribute {
  const fields = new Fields(expectTag(element, TAG.sequence));
  const oid = readOid(fields.next());
  const encoded = fields.next();
  fields.end();
  const value = readText(encoded);
  // Also the string types that give no identity: an excluded name must not escape by a change of its encoding.
  const isText = STRING_TAGS.includes(encoded.tag);
  const folded = isText ? foldSpacesAndCase(value.value) : `#${Buffer.from(encoded.whole).toString('hex')}`;
  return { ...value, oid, comparable: `${oid}=${folded}` };
}

const STRING_TAGS: readonly number[] = [
  TAG.utf8,
  TAG.printable,
  TAG.ia5,
  TAG.bmp,
  TAG.numeric,
  TAG.teletex,
  TAG.visible,
];

/** RFC 5280 7.1: letter case and the amount of white space do not matter in names. They do in identities (core). */
function foldSpacesAndCase(text: string): string {
  return text.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
}

// A character outside the type's alphabet makes the string malformed, hence of no type a name may be taken from.
const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]*$/;

/** Any string of a name with its ASN.1 type; the ones whose characters cannot be told for certain are `other`. */
export function readText({ tag, content }: Element): NameValue {
  const latin = Buffer.from(content).toString('latin1');
  if (tag === TAG.utf8) {
    const value = decodeUtf8(content);
    return value === undefined ? { type: 'other', value: latin } : { type: 'utf8', value };
  }
  if (tag === TAG.printable) return { type: PRINTABLE.test(latin) ? 'printable' : 'other', value: latin };
  if (tag === TAG.ia5) return { type: content.every((octet) => octet < 0x80) ? 'ia5' : 'other', value: latin };
  if (tag === TAG.bmp) return { type: 'other', value: content.length % 2 ? latin : readBmp(content) };
  return { type: 'other', value: latin };
}

function readBmp(content: Uint8Array): string {
  return Buffer.from(content).swap16().toString('utf16le');
}

export function sameName(a: DistinguishedName, b: DistinguishedName): boolean {
  return a.comparable.length === b.comparable.length && isNameWithin(a, b);
}

/** RFC 5280 4.2.1.10: a name lies within a subtree when its first relative names are those of the subtree. */
export function isNameWithin(name: DistinguishedName, subtree: DistinguishedName): boolean {
  return subtree.comparable.every((rdn, index) => name.comparable[index] === rdn);
}

export function attributesOf(name: DistinguishedName, oid: string): Attribute[] {
  return name.rdns.flat().filter((attribute) => attribute.oid === oid);
}

// Names are printed with every step of a report; one of thousands of attributes would fill the log.
const MOST_PRINTED = 16;

/** For people: as openssl writes names, every structural or unprintable character escaped. */
export function printName({ rdns }: DistinguishedName): string {
  if (rdns.length === 0) return '(empty name)';
  const printed = rdns.slice(0, MOST_PRINTED).map((rdn) => rdn.slice(0, MOST_PRINTED).map(printAttribute).join('+'));
  return [...printed, ...(rdns.length > MOST_PRINTED ? [`and ${rdns.length - MOST_PRINTED} more`] : [])].join(', ');
}

function printAttribute({ oid, value }: Attribute): string {
  return `${SHORT_NAMES[oid] ?? oid}=${escapeText(value)}`;
}

const LONGEST_PRINTED = 256;

/** A hostile name stays on its line of the report or the log, and inside its own field. */
export function escapeText(text: string): string {
  const shown = text.length > LONGEST_PRINTED ? `${text.slice(0, LONGEST_PRINTED)}…` : text;
  return shown
    .replace(/[\\,+="<>;]/g, '\\$&')
    .replace(/[^\P{C}]|[\u2028\u2029]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
