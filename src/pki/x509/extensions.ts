// Parses extensions. The path rules decide what a malformed one means under each profile.
import {
  childrenOf,
  contextTag,
  type Element,
  expectTag,
  Fields,
  MalformedDer,
  readElement,
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

interface NameConstraints {
  readonly permitted: readonly GeneralName[];
  readonly excluded: readonly GeneralName[];
}

export interface DistributionPoint {
  readonly names: readonly PointName[];
  readonly reasons?: ReadonlySet<number>;
  /** Who publishes the list, if not the certificate's issuer; the list is then an indirect CRL. */
  readonly crlIssuers?: readonly GeneralName[];
}

export interface KnownExtensions {
  readonly subjectKeyIdentifier: Uint8Array;
  readonly keyUsage: ReadonlySet<number>;
  readonly subjectAltName: readonly GeneralName[];
  readonly basicConstraints: { readonly ca: boolean; readonly pathLength?: number };
  readonly nameConstraints: NameConstraints;
  readonly crlDistributionPoints: readonly DistributionPoint[];
  readonly certificatePolicies: readonly { readonly policy: string; readonly qualifiers: readonly string[] }[];
  readonly policyMappings: readonly { readonly issuer: string; readonly subject: string }[];
  readonly authorityKeyIdentifier: { readonly key?: Uint8Array; readonly issuer: boolean; readonly serial: boolean };
  readonly policyConstraints: { readonly requireExplicit?: number; readonly inhibitMapping?: number };
  readonly extendedKeyUsage: readonly string[];
  readonly inhibitAnyPolicy: number;
  readonly authorityInfoAccess: readonly { readonly method: string; readonly location: GeneralName }[];
}

type Readers = { readonly [Name in keyof KnownExtensions]: (element: Element) => KnownExtensions[Name] };

const READERS: Readers = {
  subjectKeyIdentifier: (element) => expectTag(element, TAG.octetString).content,
  keyUsage: readKeyUsage,
  subjectAltName: (element) => readGeneralNames(element),
  basicConstraints: readBasicConstraints,
  nameConstraints: readNameConstraints,
  crlDistributionPoints: (element) => sequenceOf(element, readDistributionPoint),
  certificatePolicies: readPolicies,
  policyMappings: (element) => sequenceOf(element, readMapping),
  authorityKeyIdentifier: readAuthorityKeyIdentifier,
  policyConstraints: readPolicyConstraints,
  extendedKeyUsage: (element) => sequenceOf(element, (usage) => readOid(usage)),
  inhibitAnyPolicy: (element) => readCount(element),
  authorityInfoAccess: (element) => sequenceOf(element, readAccessDescription),
};

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
  const extensions = elements.map(readExtension);
  if (new Set(extensions.map(({ oid }) => oid)).size !== extensions.length) {
    throw new MalformedDer('an extension appears twice');
  }
  return extensions;
}

function readExtension(element: Element): RawExtension {
  const fields = new Fields(expectTag(element, TAG.sequence));
  const oid = readOid(fields.next());
  const critical = fields.optional(TAG.boolean);
  const value = fields.next(TAG.octetString).content;
  fields.end();
  return { oid, critical: critical !== undefined && readBoolean(critical), value };
}

const EMPTY_LIST = 'a list that must not be empty is empty';

function sequenceOf<T>(element: Element, read: (child: Element) => T): T[] {
  const items = childrenOf(expectTag(element, TAG.sequence), MAX_ITEMS).map((child) => read(child));
  if (items.length === 0) throw new MalformedDer(EMPTY_LIST);
  return items;
}

function readKeyUsage(element: Element): ReadonlySet<number> {
  const bits = readNamedBits(element);
  const [unused = 0] = element.content;
  // X.690 11.2.1: unused bits are zero.
  if (((element.content.at(-1) ?? 0) & ((1 << unused) - 1)) !== 0) throw new MalformedDer('padding bits are set');
  // RFC 5280 4.2.1.3: if present, at least one of nine bits is set.
  if (bits.size === 0) throw new MalformedDer('no key usage is set');
  if (Math.max(...bits) > LAST_KEY_USAGE) throw new MalformedDer('an unknown key usage is set');
  return bits;
}

function readBasicConstraints(element: Element): KnownExtensions['basicConstraints'] {
  const fields = new Fields(expectTag(element, TAG.sequence));
  const flag = fields.optional(TAG.boolean);
  const length = fields.optional(TAG.integer);
  fields.end();
  const ca = flag !== undefined && readBoolean(flag);
  return length ? { ca, pathLength: readCount(length) } : { ca };
}

function readNameConstraints(element: Element): NameConstraints {
  const fields = new Fields(expectTag(element, TAG.sequence));
  const permitted = fields.optional(contextTag(0, 'constructed'));
  const excluded = fields.optional(contextTag(1, 'constructed'));
  fields.end();
  // RFC 5280 4.2.1.10: neither the extension nor a list in it may be empty.
  if (!permitted && !excluded) throw new MalformedDer('name constraints are empty');
  return { permitted: readSubtrees(permitted), excluded: readSubtrees(excluded) };
}

function readSubtrees(list: Element | undefined): GeneralName[] {
  if (!list) return [];
  const bases = childrenOf(list, MAX_ITEMS).map((subtree) => {
    const fields = new Fields(expectTag(subtree, TAG.sequence));
    const base = readGeneralName(fields.next());
    const minimum = fields.optional(contextTag(0, 'primitive'));
    fields.end();
    if (minimum && readCount(minimum, minimum.tag) !== 0) throw new MalformedDer('a subtree has a minimum');
    return base;
  });
  if (bases.length === 0) throw new MalformedDer('a list of subtrees is empty');
  return bases;
}

function readDistributionPoint(element: Element): DistributionPoint {
  const fields = new Fields(expectTag(element, TAG.sequence));
  const name = fields.optional(contextTag(0, 'constructed'));
  const reasons = fields.optional(contextTag(1, 'primitive'));
  const issuer = fields.optional(contextTag(2, 'constructed'));
  fields.end();
  const crlIssuers = issuer && readGeneralNames(issuer, issuer.tag);
  const point = { names: name ? readPointName(name) : [], ...(crlIssuers && { crlIssuers }) };
  return reasons ? { ...point, reasons: readNamedBits(reasons, reasons.tag) } : point;
}

function readPolicies(element: Element): KnownExtensions['certificatePolicies'] {
  const policies = sequenceOf(element, readPolicy);
  // RFC 5280 4.2.1.4
  if (new Set(policies.map(({ policy }) => policy)).size !== policies.length) {
    throw new MalformedDer('a policy appears twice');
  }
  return policies;
}

function readPolicy(element: Element): KnownExtensions['certificatePolicies'][number] {
  const fields = new Fields(expectTag(element, TAG.sequence));
  const policy = readOid(fields.next());
  const qualifiers = fields.optional(TAG.sequence);
  fields.end();
  return { policy, qualifiers: qualifiers ? sequenceOf(qualifiers, readQualifier) : [] };
}

function readQualifier(element: Element): string {
  const fields = new Fields(expectTag(element, TAG.sequence));
  const oid = readOid(fields.next());
  fields.next();
  fields.end();
  return oid;
}

function readMapping(element: Element): KnownExtensions['policyMappings'][number] {
  const fields = new Fields(expectTag(element, TAG.sequence));
  const mapping = { issuer: readOid(fields.next()), subject: readOid(fields.next()) };
  fields.end();
  return mapping;
}

function readAuthorityKeyIdentifier(element: Element): KnownExtensions['authorityKeyIdentifier'] {
  const fields = new Fields(expectTag(element, TAG.sequence));
  const key = fields.optional(contextTag(0, 'primitive'))?.content;
  const issuer = fields.optional(contextTag(1, 'constructed'));
  const serial = fields.optional(contextTag(2, 'primitive'));
  fields.end();
  if (serial) readInteger(serial, serial.tag);
  return { ...(key && { key }), issuer: issuer !== undefined, serial: serial !== undefined };
}

function readPolicyConstraints(element: Element): KnownExtensions['policyConstraints'] {
  const fields = new Fields(expectTag(element, TAG.sequence));
  const explicit = fields.optional(contextTag(0, 'primitive'));
  const mapping = fields.optional(contextTag(1, 'primitive'));
  fields.end();
  if (!explicit && !mapping) throw new MalformedDer('policy constraints are empty');
  return {
    ...(explicit && { requireExplicit: readCount(explicit, explicit.tag) }),
    ...(mapping && { inhibitMapping: readCount(mapping, mapping.tag) }),
  };
}

function readAccessDescription(element: Element): KnownExtensions['authorityInfoAccess'][number] {
  const fields = new Fields(expectTag(element, TAG.sequence));
  const description = { method: readOid(fields.next()), location: readGeneralName(fields.next()) };
  fields.end();
  return description;
}
