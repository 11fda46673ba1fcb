// Alternative names and the names of distribution points (RFC 5280 4.2.1.6).
import type { NameValue } from '../../core/certificate.ts';
import { childrenOf, contextTag, type Element, expectTag, Fields, MalformedDer, TAG, unwrap } from '../der/der.ts';
import { readAscii, readOid } from '../der/der-values.ts';
import { comparableOf, type DistinguishedName, readName, readRelativeName } from './distinguished-name.ts';
import { readText } from './name-string.ts';

export type GeneralName =
  | { readonly kind: 'other'; readonly oid: string; readonly value: NameValue }
  | { readonly kind: 'email'; readonly value: string }
  | { readonly kind: 'dns'; readonly value: string }
  | { readonly kind: 'uri'; readonly value: string }
  | { readonly kind: 'directory'; readonly name: DistinguishedName }
  | { readonly kind: 'ip'; readonly octets: Uint8Array }
  | { readonly kind: 'registered'; readonly oid: string }
  | { readonly kind: 'unsupported'; readonly tag: number };

/** Microsoft's user principal name: an otherName with a UTF8String value. */
export const USER_PRINCIPAL_NAME = '1.3.6.1.4.1.311.20.2.3';

const READERS: Readonly<Record<number, (element: Element) => GeneralName>> = {
  [contextTag(0, 'constructed')]: readOtherName,
  [contextTag(1, 'primitive')]: ({ content }) => ({ kind: 'email', value: readAscii(content) }),
  [contextTag(2, 'primitive')]: ({ content }) => ({ kind: 'dns', value: readAscii(content) }),
  [contextTag(4, 'constructed')]: (element) => ({ kind: 'directory', name: readName(unwrap(element)) }),
  [contextTag(6, 'primitive')]: ({ content }) => ({ kind: 'uri', value: readAscii(content) }),
  [contextTag(7, 'primitive')]: ({ content }) => ({ kind: 'ip', octets: content }),
  [contextTag(8, 'primitive')]: (element) => ({ kind: 'registered', oid: readOid(element, element.tag) }),
};

// x400Address and ediPartyName are recognised but not parsed.
const UNREAD = [contextTag(3, 'constructed'), contextTag(5, 'constructed')];

export function readGeneralName(element: Element): GeneralName {
  const read = READERS[element.tag];
  if (read) return read(element);
  if (UNREAD.includes(element.tag)) return { kind: 'unsupported', tag: element.tag };
  throw new MalformedDer('not a general name');
}

/** Limit for names, policies and constraints; honest certificates have far fewer. */
export const MAX_ITEMS = 1024;

/** A non-empty GeneralNames under the tag of its field. */
export function readGeneralNames(element: Element, tag: number = TAG.sequence): GeneralName[] {
  const names = childrenOf(expectTag(element, tag), MAX_ITEMS).map(readGeneralName);
  if (names.length === 0) throw new MalformedDer('a list of names is empty');
  return names;
}

function readOtherName(element: Element): GeneralName {
  const fields = new Fields(element);
  const oid = readOid(fields.next());
  const value = readText(unwrap(fields.next(contextTag(0, 'constructed'))));
  fields.end();
  return { kind: 'other', oid, value };
}

/** A certificate says where its CRL is, and the CRL repeats it. */
export type PointName = GeneralName | { readonly kind: 'relative'; readonly comparable: string };

/** DistributionPointName (RFC 5280 4.2.1.13): full names, or a suffix to the issuer's name. */
export function readPointName(element: Element): PointName[] {
  const [full, relative] = [contextTag(0, 'constructed'), contextTag(1, 'constructed')];
  const choice = unwrap(element);
  if (choice.tag !== relative) return readGeneralNames(expectTag(choice, full), full);
  return [{ kind: 'relative', comparable: comparableOf(readRelativeName(choice, relative)) }];
}

/** Equal texts mean equal places. URIs compare exactly, directory names as names do. Other kinds cannot locate a CRL. */
export function placesOf(names: readonly PointName[], issuer: DistinguishedName): string[] {
  return names.flatMap((name) => placeOf(name, issuer) ?? []);
}

function placeOf(name: PointName, issuer: DistinguishedName): string | undefined {
  if (name.kind === 'uri') return `uri ${name.value}`;
  if (name.kind === 'directory') return `name ${name.name.comparable.join('\u0002')}`;
  return name.kind === 'relative' ? `name ${[...issuer.comparable, name.comparable].join('\u0002')}` : undefined;
}
