// DER → what a certificate says, as plain data. Nothing is judged here; that is the business of the rules.
import { hash } from 'node:crypto';
import type { CertificateMark, CertificateNames, NameValue } from '../../core/certificate.ts';
import { firstHalf, type Hex } from '../../core/hex.ts';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { contextTag, type Element, Fields, MalformedDer, readElement, TAG, unwrap } from '../der/der.ts';
import { readBits, readCount, readInteger, readTime } from '../der/der-values.ts';
import { attributesOf, COMMON_NAME, type DistinguishedName, readName, sameName } from './distinguished-name.ts';
import { type KnownExtensions, type RawExtension, readExtensionList, readKnownExtensions } from './extensions.ts';
import { USER_PRINCIPAL_NAME } from './general-name.ts';
import { type PublicKeyFacts, readPublicKey } from './public-key.ts';
import { type Frame, isSignedBy, readSigned, type Signed } from './signed.ts';

export interface Certificate extends Signed {
  readonly der: Uint8Array;
  readonly version: 1 | 2 | 3;
  /** The octets of the serial number in two's complement, as encoded. */
  readonly serial: Uint8Array;
  readonly issuer: DistinguishedName;
  readonly subject: DistinguishedName;
  readonly notBefore: EpochSeconds;
  readonly notAfter: EpochSeconds;
  readonly publicKey: PublicKeyFacts;
  readonly extensions: readonly RawExtension[];
  readonly known: Partial<KnownExtensions>;
  readonly malformed: readonly (keyof KnownExtensions)[];
  /** SHA-256 of the DER, in hex. */
  readonly fingerprint: string;
}

// A certificate that names a person and a key fits in a few kilobytes; OpenSSL stops at 100 KiB for a whole chain.
const LARGEST = 64 * 1024;

export function readCertificate(der: Uint8Array): Outcome<Certificate> {
  return readOrRefuse(() => readFields(der, readFrame(der)));
}

/** The same, where the frame has been read. */
export function readFramed(der: Uint8Array, signed: Frame): Outcome<Certificate> {
  return readOrRefuse(() => readFields(der, signed));
}

export function readOrRefuse<T>(read: () => T): Outcome<T> {
  try {
    return accept(read());
  } catch (problem) {
    if (!(problem instanceof MalformedDer)) throw problem;
    return refuse('certificate-unreadable', { rule: problem.message });
  }
}

export function readFrame(der: Uint8Array): Frame {
  if (der.length > LARGEST) throw new MalformedDer(`larger than ${LARGEST} octets`);
  return readSigned(readElement(der));
}

function readFields(der: Uint8Array, signed: Frame): Certificate {
  const fields = new Fields(signed.toBeSigned);
  const version = readVersion(fields.optional(contextTag(0, 'constructed')));
  const serial = readInteger(fields.next());
  const innerAlgorithm = fields.next(TAG.sequence).whole;
  const issuer = readName(fields.next());
  const [notBefore, notAfter] = readValidity(fields.next(TAG.sequence));
  const subject = readName(fields.next());
  const publicKey = readPublicKey(fields.next(TAG.sequence));
  for (const unique of [1, 2]) readUniqueId(fields.optional(contextTag(unique, 'primitive')), version);
  const extensions = readExtensions(fields.optional(contextTag(3, 'constructed')), version);
  fields.end();
  const { known, malformed } = readKnownExtensions(extensions);
  const content = { serial, issuer, subject, notBefore, notAfter, publicKey, extensions, known, malformed };
  return { ...signed, der, version, ...content, innerAlgorithm, fingerprint: hash('sha256', der, 'hex') };
}

function readVersion(element: Element | undefined): 1 | 2 | 3 {
  const version = element ? readCount(unwrap(element)) : 0;
  if (version !== 0 && version !== 1 && version !== 2) throw new MalformedDer('the version is not known');
  return (version + 1) as 1 | 2 | 3;
}

function readValidity(element: Element): [EpochSeconds, EpochSeconds] {
  const fields = new Fields(element);
  const validity: [EpochSeconds, EpochSeconds] = [readDate(fields.next()), readDate(fields.next())];
  fields.end();
  return validity;
}

const YEAR_2050 = Date.UTC(2050, 0, 1) / 1000;

/** RFC 5280 4.1.2.5: dates through the year 2049 are UTCTime. */
function readDate(element: Element): EpochSeconds {
  const date = readTime(element);
  if (element.tag === TAG.generalizedTime && date < YEAR_2050)
    throw new MalformedDer('a date before 2050 is not a UTCTime');
  return date;
}

function readUniqueId(element: Element | undefined, version: number): void {
  if (!element) return;
  if (version === 1) throw new MalformedDer('a version 1 certificate has no unique identifiers');
  readBits(element, element.tag);
}

function readExtensions(element: Element | undefined, version: number): RawExtension[] {
  if (!element) return [];
  if (version !== 3) throw new MalformedDer('only a version 3 certificate has extensions');
  return readExtensionList(unwrap(element));
}

export function isSelfIssued(certificate: Certificate): boolean {
  return sameName(certificate.subject, certificate.issuer);
}

// Asked of approved issuers only, which are read once and judged with every request.
const selfSigned = new WeakMap<Certificate, boolean>();

export function isSelfSigned(certificate: Certificate): boolean {
  const known = selfSigned.get(certificate);
  if (known !== undefined) return known;
  const signed = isSignedBy(certificate, certificate.publicKey);
  selfSigned.set(certificate, signed);
  return signed;
}

/** Every candidate of every identity source. SmtpUTF8Mailbox is an otherName of its own and no e-mail name. */
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
  };
}

/** What a grant keeps: enough to know the certificate, its issuer and its key again. */
export function markOf(leaf: Certificate, issuer: Certificate, approved: Certificate): CertificateMark {
  return {
    certificate: certificateMark(issuer, leaf.serial),
    issuerKey: firstHalf(hash('sha256', approved.publicKey.spki)),
    key: hash('sha256', leaf.publicKey.spki) as Hex,
  };
}

/** Of any certificate of the issuer, known by its serial number alone: all that a CRL tells. */
export function certificateMark(issuer: Certificate, serial: Uint8Array): Hex {
  return firstHalf(hash('sha256', Buffer.concat([issuer.publicKey.spki, serial])));
}
