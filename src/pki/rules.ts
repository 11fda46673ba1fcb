// What is demanded of each certificate of a path by itself: one table, evaluated in its order for the dry run, the
// handshake's chain and a proxy's header alike. What binds certificates to each other is in path.ts.
import type { RefusalReason } from '../core/refusal.ts';
import type { EpochSeconds } from '../core/time.ts';
import { type Certificate, isSelfSigned } from './certificate.ts';
import { EXTENSION, KEY_USAGE } from './extensions.ts';
import { isAlternativeName } from './name-form.ts';
import { printKey } from './public-key.ts';

/** A revocation signer signs CRLs or OCSP answers with a key of its own, and ends a path as a leaf does. */
export type Role = 'approved issuer' | 'intermediate' | 'leaf' | 'revocation signer';

export interface Position {
  readonly certificate: Certificate;
  readonly role: Role;
  /** The certificate that this one signed, further down the path. */
  readonly issued: Certificate | undefined;
  readonly now: EpochSeconds;
}

export interface Rule {
  readonly rule: string;
  readonly clause: string;
  readonly words: string;
  /** `strict` rules apply to issuers of that profile only. */
  readonly profile?: 'strict';
  readonly roles: readonly Role[];
  readonly holds: (position: Position) => boolean;
  readonly found?: (certificate: Certificate) => string;
  readonly reason?: RefusalReason;
}

const ALL: readonly Role[] = ['approved issuer', 'intermediate', 'leaf', 'revocation signer'];
const AUTHORITIES: readonly Role[] = ['approved issuer', 'intermediate'];
const BELOW_ISSUER: readonly Role[] = ['intermediate', 'leaf', 'revocation signer'];

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';
const STRICT_CURVES: readonly unknown[] = ['P-256', 'P-384', 'P-521'];
const STRICT_FAMILIES: readonly string[] = ['rsa', 'rsa-pss', 'ec', 'ed25519', 'ed448'];

// RFC 5280 6.1 processes these. The other extensions we read (information access, distribution points, key identifiers)
// can be processed too, and are refused as critical where the RFC demands that they are not.
const PROCESSED: ReadonlySet<string> = new Set(
  Object.entries(EXTENSION)
    .filter(([name]) => !['crlNumber', 'deltaCrlIndicator', 'issuingDistributionPoint'].includes(name))
    .map(([, oid]) => oid),
);

const MUST_BE_CRITICAL = [EXTENSION.nameConstraints, EXTENSION.policyConstraints, EXTENSION.inhibitAnyPolicy];
const MUST_NOT_BE_CRITICAL = [
  EXTENSION.authorityKeyIdentifier,
  EXTENSION.subjectKeyIdentifier,
  EXTENSION.authorityInfoAccess,
];

export const RULES: readonly Rule[] = [
  {
    rule: 'extensions-well-formed',
    clause: 'RFC 5280 4.2',
    words: 'every extension that decides about a path can be read',
    roles: ALL,
    holds: ({ certificate }) => certificate.malformed.every((name) => name === 'authorityInfoAccess'),
    found: (certificate) => `unreadable: ${certificate.malformed.join(', ')}`,
  },
  {
    rule: 'information-access-well-formed',
    clause: 'RFC 5280 4.2.2.1',
    words: 'authority information access can be read',
    profile: 'strict',
    roles: ALL,
    holds: ({ certificate }) => !certificate.malformed.includes('authorityInfoAccess'),
  },
  {
    rule: 'critical-extensions-known',
    clause: 'RFC 5280 4.2',
    words: 'every critical extension is one we process',
    roles: ALL,
    holds: ({ certificate }) => unknownCritical(certificate).length === 0,
    found: (certificate) => `not known: ${unknownCritical(certificate).join(', ')}`,
  },
  {
    rule: 'extension-criticality',
    clause: 'RFC 5280 4.2.1 and 4.2.2',
    words: 'extensions are critical where they must be, and not where they must not',
    roles: ALL,
    holds: ({ certificate }) => wrongCriticality(certificate).length === 0,
    found: (certificate) => `wrong: ${wrongCriticality(certificate).join(', ')}`,
  },
  {
    rule: 'signature-algorithms-agree',
    clause: 'RFC 5280 4.1.1.2',
    words: 'the algorithm inside the signed part is the one outside',
    roles: ALL,
    holds: ({ certificate }) => Buffer.compare(certificate.innerAlgorithm, certificate.outerAlgorithm) === 0,
  },
  {
    rule: 'signature-algorithm-strong',
    clause: 'RFC 6151, RFC 6194',
    words: 'no MD5 or SHA-1 in the signature',
    roles: BELOW_ISSUER,
    holds: ({ certificate }) => !certificate.algorithm.weak && certificate.algorithm.family !== 'unknown',
    found: (certificate) => certificate.algorithm.name,
  },
  {
    rule: 'key-strong',
    clause: 'NIST SP 800-57',
    words: 'an RSA or DSA key has 2048 bits or more, an elliptic curve is named',
    roles: ALL,
    holds: ({ certificate: { publicKey } }) =>
      publicKey.family !== 'unknown' && (publicKey.bits ?? 2048) >= 2048 && publicKey.curve !== 'explicit',
    found: (certificate) => printKey(certificate.publicKey),
  },
  {
    rule: 'key-kind',
    clause: 'CA/Browser Forum 6.1.5',
    words: 'the key is RSA of a multiple of 8 bits, P-256, P-384, P-521 or Edwards',
    profile: 'strict',
    roles: ALL,
    holds: ({ certificate: { publicKey } }) =>
      STRICT_FAMILIES.includes(publicKey.family) &&
      (publicKey.bits ?? 0) % 8 === 0 &&
      (publicKey.family !== 'ec' || STRICT_CURVES.includes(publicKey.curve)),
    found: (certificate) => printKey(certificate.publicKey),
  },
  {
    rule: 'not-yet-valid',
    clause: 'RFC 5280 4.1.2.5',
    words: 'its validity has begun',
    roles: ALL,
    holds: ({ certificate, now }) => certificate.notBefore <= now,
    found: (certificate) => `valid from ${printTime(certificate.notBefore)}`,
    reason: 'certificate-not-yet-valid',
  },
  {
    rule: 'expired',
    clause: 'RFC 5280 4.1.2.5',
    words: 'its validity has not ended',
    roles: ALL,
    holds: ({ certificate, now }) => now <= certificate.notAfter,
    found: (certificate) => `valid until ${printTime(certificate.notAfter)}`,
    reason: 'certificate-expired',
  },
  {
    rule: 'serial-number',
    clause: 'RFC 5280 4.1.2.2',
    words: 'the serial number is positive and has 1 to 20 octets',
    roles: BELOW_ISSUER,
    holds: ({ certificate: { serial } }) =>
      serial.length <= 20 && (serial[0] ?? 0) < 0x80 && serial.some((octet) => octet !== 0),
    found: (certificate) => `0x${Buffer.from(certificate.serial).toString('hex')}`,
  },
  {
    rule: 'issuer-name-present',
    clause: 'RFC 5280 4.1.2.4',
    words: 'the issuer has a name',
    roles: ALL,
    holds: ({ certificate }) => certificate.issuer.rdns.length > 0,
  },
  {
    rule: 'subject-name-present',
    clause: 'RFC 5280 4.1.2.6',
    words: 'the subject has a name; a leaf without one has critical alternative names',
    roles: ALL,
    holds: ({ certificate, role }) =>
      certificate.subject.rdns.length > 0 || (role === 'leaf' && isCritical(certificate, EXTENSION.subjectAltName)),
  },
  {
    rule: 'alternative-names-well-formed',
    clause: 'RFC 5280 4.2.1.6',
    words: 'alternative names have the form of their kind',
    roles: ALL,
    holds: ({ certificate }) => (certificate.known.subjectAltName ?? []).every(isAlternativeName),
  },
  {
    rule: 'alternative-names-criticality',
    clause: 'RFC 5280 4.2.1.6',
    words: 'alternative names are critical exactly when the subject is empty',
    profile: 'strict',
    roles: ALL,
    holds: ({ certificate }) =>
      !certificate.known.subjectAltName ||
      isCritical(certificate, EXTENSION.subjectAltName) === (certificate.subject.rdns.length === 0),
  },
  {
    rule: 'key-identifiers-consistent',
    clause: 'RFC 5280 4.2.1.1 and 4.2.1.2',
    // Plain `openssl x509 -req` writes neither, which is let pass; one without the other is a broken authority.
    words: 'a certificate with a key identifier names that of its issuer, and an issuer so named has one',
    roles: ALL,
    holds: (position) => namesItsAuthority(position) && hasTheNamedKey(position),
  },
  {
    rule: 'key-identifiers-present',
    clause: 'RFC 5280 4.2.1.1 and 4.2.1.2',
    words: 'authorities have a key identifier, and all but self-signed certificates name that of their issuer',
    profile: 'strict',
    roles: ALL,
    holds: (position) =>
      (!AUTHORITIES.includes(position.role) || position.certificate.known.subjectKeyIdentifier !== undefined) &&
      (isRoot(position) || position.certificate.known.authorityKeyIdentifier?.key !== undefined),
  },
  {
    rule: 'root-key-identifier',
    clause: 'CA/Browser Forum 7.1.2.1.3',
    words: 'a self-signed issuer that names the key of its issuer names its own, by key identifier alone',
    profile: 'strict',
    roles: ['approved issuer'],
    holds: (position) => !isRoot(position) || hasRootKeyIdentifier(position.certificate),
  },
  {
    rule: 'authority-is-ca',
    clause: 'RFC 5280 4.2.1.9',
    words: 'an authority is a version 3 certificate whose basic constraints say CA',
    roles: AUTHORITIES,
    holds: ({ certificate }) => certificate.known.basicConstraints?.ca === true,
  },
  {
    rule: 'root-basic-constraints-critical',
    clause: 'RFC 5280 4.2.1.9',
    words: 'basic constraints of an approved issuer are critical',
    roles: ['approved issuer'],
    holds: ({ certificate }) => isCritical(certificate, EXTENSION.basicConstraints),
  },
  {
    rule: 'authority-may-sign',
    clause: 'RFC 5280 4.2.1.3',
    words: 'the key usage of an authority, where given, has keyCertSign',
    roles: AUTHORITIES,
    holds: ({ certificate }) => certificate.known.keyUsage?.has(KEY_USAGE.keyCertSign) ?? true,
  },
  {
    rule: 'authority-usage',
    clause: 'RFC 5280 4.2.1.12',
    words: 'the extended key usage of an authority, where given, allows clientAuth',
    roles: AUTHORITIES,
    holds: ({ certificate }) => allowsClientAuth(certificate),
  },
  {
    rule: 'root-without-usage',
    clause: 'CA/Browser Forum 7.1.2.1.2',
    words: 'a self-signed issuer has no extended key usage',
    profile: 'strict',
    roles: ['approved issuer'],
    holds: (position) => !isRoot(position) || !position.certificate.known.extendedKeyUsage,
  },
  {
    rule: 'leaf-is-no-authority',
    clause: 'RFC 5280 4.2.1.9',
    words: 'the certificate presented is not that of an authority',
    roles: ['leaf'],
    holds: ({ certificate }) => certificate.known.basicConstraints?.ca !== true,
  },
  {
    rule: 'leaf-signs-no-certificates',
    clause: 'RFC 5280 4.2.1.9',
    words: 'the key usage of a leaf has no keyCertSign',
    roles: ['leaf'],
    holds: ({ certificate }) => !certificate.known.keyUsage?.has(KEY_USAGE.keyCertSign),
  },
  {
    rule: 'leaf-without-name-constraints',
    clause: 'RFC 5280 4.2.1.10',
    words: 'name constraints stand in authorities only',
    roles: ['leaf'],
    holds: ({ certificate }) => !certificate.known.nameConstraints,
  },
  {
    rule: 'leaf-key-usage',
    clause: 'RFC 5280 4.2.1.3',
    words: 'the key usage of a leaf, where given, allows a handshake: digitalSignature or keyAgreement',
    roles: ['leaf'],
    holds: ({ certificate: { known } }) =>
      !known.keyUsage || known.keyUsage.has(KEY_USAGE.digitalSignature) || known.keyUsage.has(KEY_USAGE.keyAgreement),
  },
  {
    rule: 'client-usage',
    clause: 'RFC 5280 4.2.1.12',
    words: 'the extended key usage, where given, allows clientAuth',
    roles: ['leaf'],
    holds: ({ certificate }) => allowsClientAuth(certificate),
    found: (certificate) => `allows ${certificate.known.extendedKeyUsage?.join(', ') ?? 'nothing readable'}`,
  },
  {
    rule: 'client-usage-explicit',
    clause: 'CA/Browser Forum 7.1.2.7.6',
    words: 'the extended key usage is given, is not critical, and names clientAuth rather than any usage',
    profile: 'strict',
    roles: ['leaf'],
    holds: ({ certificate, certificate: { known } }) =>
      known.extendedKeyUsage?.includes(CLIENT_AUTH) === true &&
      !known.extendedKeyUsage.includes(ANY_USAGE) &&
      !isCritical(certificate, EXTENSION.extendedKeyUsage),
  },
  {
    rule: 'leaf-version',
    clause: 'RFC 5280 4.1.2.1',
    words: 'the certificate is of version 3',
    profile: 'strict',
    roles: ['leaf'],
    holds: ({ certificate }) => certificate.version === 3,
    found: (certificate) => `version ${certificate.version}`,
  },
];

export function printTime(moment: EpochSeconds): string {
  return new Date(moment * 1000).toISOString().replace('.000Z', 'Z');
}

function isCritical(certificate: Certificate, oid: string): boolean {
  return certificate.extensions.some((extension) => extension.oid === oid && extension.critical);
}

function unknownCritical({ extensions }: Certificate): string[] {
  return extensions.filter(({ critical, oid }) => critical && !PROCESSED.has(oid)).map(({ oid }) => oid);
}

function wrongCriticality({ extensions }: Certificate): string[] {
  const isWrong = ({ critical, oid }: { critical: boolean; oid: string }) =>
    critical ? MUST_NOT_BE_CRITICAL.some((other) => other === oid) : MUST_BE_CRITICAL.some((other) => other === oid);
  return extensions.filter(isWrong).map(({ oid }) => oid);
}

function allowsClientAuth({ known }: Certificate): boolean {
  const usages = known.extendedKeyUsage;
  return !usages || usages.includes(CLIENT_AUTH) || usages.includes(ANY_USAGE);
}

function isRoot({ certificate, role }: Position): boolean {
  return role === 'approved issuer' && isSelfSigned(certificate);
}

function namesItsAuthority(position: Position): boolean {
  const { subjectKeyIdentifier, authorityKeyIdentifier } = position.certificate.known;
  return !subjectKeyIdentifier || isRoot(position) || authorityKeyIdentifier?.key !== undefined;
}

function hasTheNamedKey({ certificate, issued }: Position): boolean {
  return !issued?.known.authorityKeyIdentifier?.key || certificate.known.subjectKeyIdentifier !== undefined;
}

function hasRootKeyIdentifier({ known }: Certificate): boolean {
  const named = known.authorityKeyIdentifier;
  if (!named) return true;
  if (!named.key || named.issuer || named.serial) return false;
  return Buffer.compare(named.key, known.subjectKeyIdentifier ?? new Uint8Array()) === 0;
}
