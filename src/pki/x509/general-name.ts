// Alternative names and the names of distribution points (RFC 5280 4.2.1.6).
import { isIPv4 } from 'node:net';
import type { NameValue } from '../../core/certificate.ts';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import {
  childrenOf,
  contextTag,
  type Element,
  expectTag,
  type Fields,
  MalformedDer,
  readFields,
  TAG,
  unwrap,
} from '../der/der.ts';
import { readAscii, readOid } from '../der/der-values.ts';
import { comparableOf, type DistinguishedName, readName, readRelativeName, readText } from './distinguished-name.ts';

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

/** RFC 9598: a mailbox with characters beyond ASCII, in a UTF8String. */
export const SMTP_UTF8_MAILBOX = '1.3.6.1.5.5.7.8.9';

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

export function readGeneralNames(element: Element, tag: number = TAG.sequence): GeneralName[] {
  const names = childrenOf(expectTag(element, tag), MAX_ITEMS).map(readGeneralName);
  if (names.length === 0) throw new MalformedDer('a list of names is empty');
  return names;
}

function readOtherName(element: Element): GeneralName {
  const read = (fields: Fields) => ({
    oid: readOid(fields.next()),
    value: readText(unwrap(fields.next(contextTag(0, 'constructed')))),
  });
  return { kind: 'other', ...readFields(element, read, element.tag) };
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

const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
// RFC 5321 4.1.2: a dot-string. Quoted local parts are legal, but nobody uses them and parsers disagree about them.
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;

/** RFC 5280 4.2.1.6: the "preferred name syntax" of RFC 1034 3.5; an IP address is not a domain name. */
function isHostName(text: string): boolean {
  return text.length <= 253 && !isIPv4(text) && text.split('.').every((label) => LABEL.test(label));
}

function isMailbox(text: string): boolean {
  const at = text.lastIndexOf('@');
  return at > 0 && LOCAL_PART.test(text.slice(0, at)) && isHostName(text.slice(at + 1));
}

export function hostOf(uri: string): string | undefined {
  return /^[A-Za-z][A-Za-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#:@[\]]+)(?::\d*)?(?:[/?#]|$)/.exec(uri)?.[1];
}

interface Form<Name> {
  /** RFC 5280 4.2.1.6. */
  readonly isWellFormed: (name: Name) => boolean;
  /** Whether it can be compared with constraints: the host in it can be parsed. */
  readonly isComparable: (name: Name) => boolean;
  /** RFC 5280 4.2.1.10: a leading period in e-mail and URI constraints only; in practice CAs write it for DNS too. */
  readonly isConstraint: (name: Name, profile: ApprovedIssuer['profile']) => boolean;
}

const ANY_FORM: Form<GeneralName> = { isWellFormed: () => true, isComparable: () => false, isConstraint: () => true };

const FORMS: { readonly [Kind in GeneralName['kind']]: Form<Extract<GeneralName, { readonly kind: Kind }>> } = {
  dns: {
    isWellFormed: ({ value }) => isHostName(value.replace(/^\*\./, '')),
    isComparable: ({ value }) => isHostLike(value.replace(/^\*\./, '')),
    isConstraint: ({ value }, profile) =>
      value === '' || isHostName(value) || (profile === 'rfc5280' && isDomain(value)),
  },
  email: {
    isWellFormed: ({ value }) => isMailbox(value),
    isComparable: ({ value }) => isMailboxLike(value),
    isConstraint: ({ value }) => (value.includes('@') ? isMailbox(value) : isDomain(value)),
  },
  uri: {
    isWellFormed: ({ value }) => /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+$/.test(value),
    isComparable: ({ value }) => isHostLike(hostOf(value) ?? ''),
    isConstraint: ({ value }) => isDomain(value),
  },
  ip: {
    isWellFormed: ({ octets }) => octets.length === 4 || octets.length === 16,
    isComparable: () => true,
    isConstraint: ({ octets }) => isAddressRange(octets),
  },
  directory: { ...ANY_FORM, isWellFormed: ({ name }) => name.rdns.length > 0, isComparable: () => true },
  other: ANY_FORM,
  registered: ANY_FORM,
  unsupported: ANY_FORM,
};

export function checksOf(name: GeneralName): Form<GeneralName> {
  return FORMS[name.kind] as Form<GeneralName>;
}

/** RFC 5280 4.2.1.6: addresses are iPAddress names. */
export function isAddressAsName(name: GeneralName): boolean {
  return name.kind === 'dns' && isIPv4(name.value.replace(/\.$/, ''));
}

/** The local part may be international (RFC 6531); an rfc822Name is ASCII in any case. */
function isMailboxLike(text: string): boolean {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0)).replace(/[\u0080-\u{10ffff}]/gu, 'x');
  return LOCAL_PART.test(local) && isHostLike(text.slice(at + 1));
}

/** Host names as used in practice: underscores and a trailing dot are allowed. */
function isHostLike(text: string): boolean {
  return text.length <= 254 && /^(?:[A-Za-z0-9_-]{1,63}\.)*[A-Za-z0-9_-]{1,63}\.?$/.test(text);
}

function isDomain(text: string): boolean {
  return isHostName(text.startsWith('.') ? text.slice(1) : text);
}

/** An address followed by a contiguous netmask. */
function isAddressRange(octets: Uint8Array): boolean {
  if (octets.length !== 8 && octets.length !== 32) return false;
  const mask = [...octets.subarray(octets.length / 2)].map((octet) => octet.toString(2).padStart(8, '0')).join('');
  return /^1*0*$/.test(mask);
}
