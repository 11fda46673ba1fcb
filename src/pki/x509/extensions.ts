// Parses extensions. The path rules decide what a malformed one means under each profile.
import {
  childrenOf,
  contextTag,
  type Element,
  expectTag,
  type Fields,
  MalformedDer,
  readElement,
  readFields,
  TAG,
  tryRead,
} from '../der/der.ts';
import { readBoolean, readCount, readInteger, readNamedBits, readOid } from '../der/der-values.ts';
import {
  type GeneralName,
  MAX_ITEMS,
  type PointName,
  readGeneralName,
  readGeneralNames,
  readPointName,
} from './general-name.ts';

export const EXTENSION = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  crlNumber: '2.5.29.20',
  deltaCrlIndicator: '2.5.29.27',
  issuingDistributionPoint: '2.5.29.28',
  nameConstraints: '2.5.29.30',
  crlDistributionPoints: '2.5.29.31',
  certificatePolicies: '2.5.29.32',
  policyMappings: '2.5.29.33',
  authorityKeyIdentifier: '2.5.29.35',
  policyConstraints: '2.5.29.36',
  extendedKeyUsage: '2.5.29.37',
  inhibitAnyPolicy: '2.5.29.54',
  authorityInfoAccess: '1.3.6.1.5.5.7.1.1',
} as const;

export const KEY_USAGE = { digitalSignature: 0, keyAgreement: 4, keyCertSign: 5, crlSign: 6 } as const;

const LAST_KEY_USAGE = 8;

export interface RawExtension {
  readonly oid: string;
  readonly critical: boolean;
  readonly value: Uint8Array;
}

export interface DistributionPoint {
  readonly names: readonly PointName[];
  readonly reasons?: ReadonlySet<number>;
  /** Who publishes the list, if not the certificate's issuer; the list is then an indirect CRL. */
  readonly crlIssuers?: readonly GeneralName[];
}

const READERS = {
  subjectKeyIdentifier: (element: Element) => expectTag(element, TAG.octetString).content,
  keyUsage: readKeyUsage,
  subjectAltName: (element: Element) => readGeneralNames(element),
  basicConstraints: fieldsBy(readBasicConstraints),
  nameConstraints: fieldsBy(readNameConstraints),
  crlDistributionPoints: listBy(fieldsBy(readDistributionPoint)),
  certificatePolicies: readPolicies,
  policyMappings: listBy(fieldsBy((fields) => ({ issuer: readOid(fields.next()), subject: readOid(fields.next()) }))),
  authorityKeyIdentifier: fieldsBy(readAuthorityKeyIdentifier),
  policyConstraints: fieldsBy(readPolicyConstraints),
  extendedKeyUsage: listBy((usage) => readOid(usage)),
  inhibitAnyPolicy: (element: Element) => readCount(element),
  authorityInfoAccess: listBy(
    fieldsBy((fields) => ({ method: readOid(fields.next()), location: readGeneralName(fields.next()) })),
  ),
} as const;

export type KnownExtensions = { readonly [Name in keyof typeof READERS]: ReturnType<(typeof READERS)[Name]> };

/** A reader of a SEQUENCE with these fields. */
function fieldsBy<T>(read: (fields: Fields) => T) {
  return (element: Element): T => readFields(element, read);
}

/** A reader of a SEQUENCE OF these, which must not be empty. */
function listBy<T>(read: (child: Element) => T, tag: number = TAG.sequence) {
  return (element: Element): readonly T[] => {
    const items = childrenOf(expectTag(element, tag), MAX_ITEMS).map((child) => read(child));
    if (items.length === 0) throw new MalformedDer(EMPTY_LIST);
    return items;
  };
}

const NAMES = Object.keys(READERS) as (keyof KnownExtensions)[];
const NAME_OF = new Map<string, keyof KnownExtensions>(NAMES.map((name) => [EXTENSION[name], name]));

export function readKnownExtensions(extensions: readonly RawExtension[]) {
  const known: Record<string, unknown> = {};
  const malformed: (keyof KnownExtensions)[] = [];
  for (const { oid, value } of extensions) {
    const name = NAME_OF.get(oid);
    if (!name) continue;
    const read = tryRead(() => READERS[name](readElement(value)));
    if (read.ok) known[name] = read.value;
    else malformed.push(name);
  }
  return { known: known as Partial<KnownExtensions>, malformed };
}

/** The extensions of a certificate, a CRL or an OCSP response. RFC 5280 4.2: no extension appears twice. */
export function readExtensionList(element: Element): RawExtension[] {
  return readExtensionElements(childrenOf(expectTag(element, TAG.sequence), MAX_ITEMS));
}

export function readExtensionElements(elements: readonly Element[]): RawExtension[] {
  if (elements.length === 0) throw new MalformedDer(EMPTY_LIST);
  const extensions = elements.map(fieldsBy(readExtension));
  if (new Set(extensions.map(({ oid }) => oid)).size !== extensions.length) {
    throw new MalformedDer('an extension appears twice');
  }
  return extensions;
}

function readExtension(fields: Fields): RawExtension {
  const oid = readOid(fields.next());
  return { oid, critical: readFlag(fields), value: fields.next(TAG.octetString).content };
}

/** BOOLEAN DEFAULT FALSE. */
function readFlag(fields: Fields): boolean {
  const flag = fields.optional(TAG.boolean);
  return flag !== undefined && readBoolean(flag);
}

const EMPTY_LIST = 'a list that must not be empty is empty';

function readKeyUsage(element: Element): ReadonlySet<number> {
  const bits = readNamedBits(element);
  const unused = element.content[0] as number;
  // X.690 11.2.1: unused bits are zero.
  if (((element.content.at(-1) as number) & ((1 << unused) - 1)) !== 0) throw new MalformedDer('padding bits are set');
  // RFC 5280 4.2.1.3: if present, at least one of nine bits is set.
  if (bits.size === 0) throw new MalformedDer('no key usage is set');
  if (Math.max(...bits) > LAST_KEY_USAGE) throw new MalformedDer('an unknown key usage is set');
  return bits;
}

function readBasicConstraints(fields: Fields) {
  const ca = readFlag(fields);
  const length = fields.optional(TAG.integer);
  return { ca, ...(length && { pathLength: readCount(length) }) };
}

/** RFC 5280 4.2.1.10: neither the extension nor a list in it may be empty. */
function readNameConstraints(fields: Fields) {
  const permitted = fields.optional(contextTag(0, 'constructed'));
  const excluded = fields.optional(contextTag(1, 'constructed'));
  if (!permitted && !excluded) throw new MalformedDer('name constraints are empty');
  return { permitted: readSubtrees(permitted), excluded: readSubtrees(excluded) };
}

function readSubtrees(list: Element | undefined): readonly GeneralName[] {
  return list ? listBy(fieldsBy(readSubtree), list.tag)(list) : [];
}

function readSubtree(fields: Fields): GeneralName {
  const base = readGeneralName(fields.next());
  const minimum = fields.optional(contextTag(0, 'primitive'));
  if (minimum && readCount(minimum, minimum.tag) !== 0) throw new MalformedDer('a subtree has a minimum');
  return base;
}

function readDistributionPoint(fields: Fields): DistributionPoint {
  const name = fields.optional(contextTag(0, 'constructed'));
  const reasons = fields.optional(contextTag(1, 'primitive'));
  const issuer = fields.optional(contextTag(2, 'constructed'));
  return {
    names: name ? readPointName(name) : [],
    ...(reasons && { reasons: readNamedBits(reasons, reasons.tag) }),
    ...(issuer && { crlIssuers: readGeneralNames(issuer, issuer.tag) }),
  };
}

function readPolicies(element: Element) {
  const policies = listBy(fieldsBy(readPolicy))(element);
  // RFC 5280 4.2.1.4
  if (new Set(policies.map(({ policy }) => policy)).size !== policies.length) {
    throw new MalformedDer('a policy appears twice');
  }
  return policies;
}

function readPolicy(fields: Fields) {
  const policy = readOid(fields.next());
  const qualifiers = fields.optional(TAG.sequence);
  return { policy, qualifiers: qualifiers ? listBy(fieldsBy(readQualifier))(qualifiers) : [] };
}

function readQualifier(fields: Fields): string {
  const oid = readOid(fields.next());
  fields.next();
  return oid;
}

function readAuthorityKeyIdentifier(fields: Fields) {
  const key = fields.optional(contextTag(0, 'primitive'))?.content;
  const issuer = fields.optional(contextTag(1, 'constructed'));
  const serial = fields.optional(contextTag(2, 'primitive'));
  if (serial) readInteger(serial, serial.tag);
  return { ...(key && { key }), issuer: issuer !== undefined, serial: serial !== undefined };
}

function readPolicyConstraints(fields: Fields) {
  const explicit = fields.optional(contextTag(0, 'primitive'));
  const mapping = fields.optional(contextTag(1, 'primitive'));
  if (!explicit && !mapping) throw new MalformedDer('policy constraints are empty');
  return {
    ...(explicit && { requireExplicit: readCount(explicit, explicit.tag) }),
    ...(mapping && { inhibitMapping: readCount(mapping, mapping.tag) }),
  };
}
