// Parses DER into the contents of a certificate, as plain data. Nothing is validated here; the path rules do that.
import { hash } from 'node:crypto';
import type { CertificateMark, CertificateNames, NameValue } from '../../core/certificate.ts';
import { firstHalf, type Hex } from '../../core/hex.ts';
import { oncePer } from '../../core/once-per.ts';
import { type Outcome, refuse } from '../../core/outcome.ts';
import type { EpochSeconds } from '../../core/time.ts';
import {
  childrenOf,
  contextTag,
  type Element,
  MalformedDer,
  readElement,
  readFields,
  TAG,
  tryRead,
  unwrap,
} from '../der/der.ts';
import { readBits, readCount, readInteger, readTime } from '../der/der-values.ts';
import { attributesOf, COMMON_NAME, type DistinguishedName, readName, sameName } from './distinguished-name.ts';
import { type KnownExtensions, type RawExtension, readExtensionElements, readKnownExtensions } from './extensions.ts';
import { USER_PRINCIPAL_NAME } from './general-name.ts';
import { type PublicKeyFacts, readPublicKey } from './public-key.ts';
import { isSignedBy, readSigned, type Signed } from './signed.ts';

export interface Certificate extends Signed {
  readonly der: Uint8Array;
  readonly version: 1 | 2 | 3;
  /** The serial number in two's complement, as encoded. */
  readonly serial: Uint8Array;
  readonly issuer: DistinguishedName;
  readonly subject: DistinguishedName;
  readonly notBefore: EpochSeconds;
  readonly notAfter: EpochSeconds;
  /** Whether a date before 2050 is a GeneralizedTime (RFC 5280 4.1.2.5: a UTCTime). */
  readonly hasLongDates: boolean;
  readonly publicKey: PublicKeyFacts;
  readonly extensions: readonly RawExtension[];
  readonly known: Partial<KnownExtensions>;
  readonly malformed: readonly (keyof KnownExtensions)[];
  /** SHA-256 of the DER, in hex. */
  readonly fingerprint: string;
}

export function readCertificate(der: Uint8Array): Outcome<Certificate> {
  return readOrRefuse(() => readContents(der, readOutline(der)));
}

type Parts = { readonly [Name in 'issuer' | 'subject' | 'publicKey']?: Certificate[Name] | undefined } & {
  readonly validity?: Validity | undefined;
};

export type Validity = Pick<Certificate, 'notBefore' | 'notAfter' | 'hasLongDates'>;

export function readOutlined(der: Uint8Array, outline: Outline, parts: Parts): Outcome<Certificate> {
  return readOrRefuse(() => readContents(der, outline, parts));
}

export function readOrRefuse<T>(read: () => T): Outcome<T> {
  const tried = tryRead(read);
  return tried.ok ? tried : refuse('certificate-unreadable', { rule: tried.refusal });
}

function readContents(der: Uint8Array, outline: Outline, parts: Parts = {}): Certificate {
  const { signed } = outline;
  const version = readVersion(outline.version);
  const serial = readInteger(outline.serial);
  const issuer = parts.issuer ?? readName(outline.issuer);
  const { notBefore, notAfter, hasLongDates } = parts.validity ?? readValidity(outline.validity);
  const subject = parts.subject ?? readName(outline.subject);
  const publicKey = parts.publicKey ?? readPublicKey(outline.publicKey);
  for (const unique of outline.uniqueIds) readUniqueId(unique, version);
  const extensions = readExtensions(outline.extensions, version);
  const { known, malformed } = readKnownExtensions(extensions);
  return {
    toBeSigned: signed.toBeSigned,
    algorithm: signed.algorithm,
    innerAlgorithm: outline.algorithm.whole,
    outerAlgorithm: signed.outerAlgorithm,
    signature: signed.signature,
    der,
    version,
    serial,
    issuer,
    subject,
    notBefore,
    notAfter,
    hasLongDates,
    publicKey,
    extensions,
    known,
    malformed,
    fingerprint: hash('sha256', der, 'hex'),
  };
}

function readVersion(element: Element | undefined): 1 | 2 | 3 {
  const version = element ? readCount(unwrap(element)) : 0;
  if (version !== 0 && version !== 1 && version !== 2) throw new MalformedDer('unknown version');
  return (version + 1) as 1 | 2 | 3;
}

export function readValidity(element: Element): Validity {
  const [begin, end] = readFields(element, (fields) => [fields.next(), fields.next()]);
  const [notBefore, notAfter] = [readTime(begin), readTime(end)];
  return { notBefore, notAfter, hasLongDates: isLong(begin, notBefore) || isLong(end, notAfter) };
}

const YEAR_2050 = Date.UTC(2050, 0, 1) / 1000;

function isLong({ tag }: Element, date: EpochSeconds): boolean {
  return tag === TAG.generalizedTime && date < YEAR_2050;
}

function readUniqueId(element: Element | undefined, version: number): void {
  if (!element) return;
  if (version === 1) throw new MalformedDer('a version 1 certificate must not have unique identifiers');
  readBits(element, element.tag);
}

function readExtensions(elements: readonly Element[] | undefined, version: number): RawExtension[] {
  if (!elements) return [];
  if (version !== 3) throw new MalformedDer('only a version 3 certificate may have extensions');
  return readExtensionElements(elements);
}

export function isSelfIssued(certificate: Certificate): boolean {
  return sameName(certificate.subject, certificate.issuer);
}

/** Used only for approved issuers, which are parsed once and needed for every request. */
export const isSelfSigned = oncePer((certificate: Certificate) => isSignedBy(certificate, certificate.publicKey));

/** All candidates for every identity source. SmtpUTF8Mailbox is a separate otherName and does not count as e-mail. */
export function namesOf({ subject, known }: Certificate): CertificateNames {
  const alternatives = known.subjectAltName ?? [];
  return {
    'common-name': attributesOf(subject, COMMON_NAME).map(({ type, value }): NameValue => ({ type, value })),
    'email-san': alternatives.flatMap((name): NameValue[] =>
      name.kind === 'email' ? [{ type: 'ia5', value: name.value }] : [],
    ),
    'upn-san': alternatives.flatMap((name) =>
      name.kind === 'other' && name.oid === USER_PRINCIPAL_NAME ? [name.value] : [],
    ),
    'spiffe-id': spiffeUris(known).map((value): NameValue => ({ type: 'ia5', value })),
  };
}

/** X.509-SVID 2: a certificate with a SPIFFE ID has no other URI, so all count. */
export function spiffeUris({ subjectAltName = [] }: Certificate['known']): readonly string[] {
  const uris = subjectAltName.flatMap((name) => (name.kind === 'uri' ? [name.value] : []));
  return uris.some((uri) => /^spiffe:/i.test(uri)) ? uris : [];
}

const issuerKeyOf = oncePer(({ publicKey }: Certificate): Hex => firstHalf(hash('sha256', publicKey.spki)));

/** What a grant stores: enough to recognise the certificate, its issuer and its key later. */
export function markOf(leaf: Certificate, issuer: Certificate, approved: Certificate): CertificateMark {
  return {
    certificate: certificateMark(issuer, leaf.serial),
    issuerKey: issuerKeyOf(approved),
    key: hash('sha256', leaf.publicKey.spki) as Hex,
  };
}

/** Identifies a certificate by its issuer and serial number, which is all that a CRL contains. */
export function certificateMark(issuer: Certificate, serial: Uint8Array): Hex {
  return firstHalf(hash('sha256', Buffer.concat([issuer.publicKey.spki, serial])));
}

export type Outline = ReturnType<typeof readOutline>;

// Honest certificates have a few kilobytes; OpenSSL allows 100 KiB for a whole chain.
const MAX_OCTETS = 64 * 1024;
// RFC 5280 defines 17 extensions; real certificates never have twice as many.
const MAX_EXTENSIONS = 64;

/** Takes time linear in the size of the certificate. */
export function readOutline(der: Uint8Array) {
  if (der.length > MAX_OCTETS) throw new MalformedDer(`larger than ${MAX_OCTETS} octets`);
  const signed = readSigned(readElement(der));
  return readFields(signed.toBeSigned, (fields) => ({
    signed,
    version: fields.optional(contextTag(0, 'constructed')),
    serial: fields.next(),
    algorithm: fields.next(TAG.sequence),
    issuer: fields.next(TAG.sequence),
    validity: fields.next(TAG.sequence),
    subject: fields.next(TAG.sequence),
    publicKey: fields.next(TAG.sequence),
    uniqueIds: [fields.optional(contextTag(1, 'primitive')), fields.optional(contextTag(2, 'primitive'))],
    extensions: cutExtensions(fields.optional(contextTag(3, 'constructed'))),
  }));
}

function cutExtensions(wrapped: Element | undefined): Element[] | undefined {
  return wrapped && childrenOf(unwrap(wrapped, TAG.sequence), MAX_EXTENSIONS);
}
