// The rules for a single certificate, in the order in which they are checked: its form, its key, what it may be used for.
import { readSpiffeId } from '../../core/certificate.ts';
import { type ApprovedIssuer, OPTIONAL_CURVES } from '../../core/issuer.ts';
import { escapeText } from '../../core/quote.ts';
import type { RefusalReason } from '../../core/refusal.ts';
import { type EpochSeconds, isoTime } from '../../core/time.ts';
import type { Step } from '../../core/verdict.ts';
import { type Certificate, isSelfSigned, spiffeUris } from '../x509/certificate.ts';
import { isInSetOrder } from '../x509/distinguished-name.ts';
import { EXTENSION, KEY_USAGE } from '../x509/extensions.ts';
import { isAddressAsName, isAlternativeName } from '../x509/general-name.ts';
import { printKey } from '../x509/public-key.ts';
import { whyUnusable } from '../x509/signed.ts';

/** A revocation signer signs CRLs or OCSP responses with its own key and ends a path as a leaf does. */
export type Role = 'approved issuer' | 'intermediate' | 'leaf' | 'revocation signer';

export interface Position {
  readonly certificate: Certificate;
  readonly role: Role;
  /** Whether the next certificate down the path has an authority key identifier. */
  readonly isNamedByKey: boolean;
  /** Only the rules about validity may use it: what the others find is kept as long as a certificate is valid. */
  readonly now: EpochSeconds;
  readonly policy: PathPolicy;
}

/** The approved issuer's settings for the paths below it. */
export type PathPolicy = Pick<
  ApprovedIssuer,
  'profile' | 'curves' | 'identitySources' | 'trustDomains' | 'policies' | 'mlDsa'
>;

export interface Rule {
  readonly rule: string;
  /** What it demands, and the clause. */
  readonly words: string;
  /** `strict` rules apply only to issuers with that profile. */
  readonly profile?: 'strict';
  /** Absent: every role. */
  readonly roles?: readonly Role[];
  readonly holds: (position: Position) => boolean;
  readonly found?: (certificate: Certificate) => string;
  readonly reason?: RefusalReason;
  /** The setting that decides, if it is not the profile. */
  readonly setting?: (policy: PathPolicy) => string;
}

const BELOW_ISSUER: readonly Role[] = ['intermediate', 'leaf', 'revocation signer'];
const AUTHORITIES: readonly Role[] = ['approved issuer', 'intermediate'];

function isCritical(certificate: Certificate, oid: string): boolean {
  return certificate.extensions.some((extension) => extension.oid === oid && extension.critical);
}

function isRoot({ certificate, role }: Position): boolean {
  return role === 'approved issuer' && isSelfSigned(certificate);
}

export function step(rule: string, passed: boolean, about: string, words: string, more: Partial<Step> = {}): Step {
  return { rule, passed, about, words, reason: 'certificate-refused-by-policy', ...more };
}

// RFC 5280 6.1 processes these. We can process the other extensions that we parse (information access, distribution
// points, key identifiers) too; they are refused as critical if the RFC requires them not to be.
const PROCESSED: ReadonlySet<string> = new Set(
  Object.entries(EXTENSION)
    .filter(([name]) => !['crlNumber', 'deltaCrlIndicator', 'issuingDistributionPoint'].includes(name))
    .map(([, oid]) => oid),
);

const MUST_BE_CRITICAL: ReadonlySet<string> = new Set([
  EXTENSION.nameConstraints,
  EXTENSION.policyConstraints,
  EXTENSION.inhibitAnyPolicy,
]);
/** id-qt-cps and id-qt-unotice, which contain text for people. */
const QUALIFIERS: ReadonlySet<string> = new Set(['1.3.6.1.5.5.7.2.1', '1.3.6.1.5.5.7.2.2']);
const MUST_NOT_BE_CRITICAL = [
  EXTENSION.authorityKeyIdentifier,
  EXTENSION.subjectKeyIdentifier,
  EXTENSION.authorityInfoAccess,
];

const USUAL_CURVES: readonly string[] = ['P-256', 'P-384', 'P-521'];
const FAMILIES: readonly string[] = ['rsa', 'rsa-pss', 'ec', 'ed25519', 'ed448'];
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';

/** In the order in which they are checked. */
export const RULES: readonly Rule[] = [
  {
    rule: 'extensions-well-formed',
    words: 'every extension used for path validation can be parsed (RFC 5280 4.2)',
    holds: ({ certificate }) => certificate.malformed.every((name) => name === 'authorityInfoAccess'),
    found: (certificate) => `unreadable: ${certificate.malformed.join(', ')}`,
  },
  {
    rule: 'information-access-well-formed',
    words: 'authority information access can be parsed (RFC 5280 4.2.2.1)',
    profile: 'strict',
    holds: ({ certificate }) => !certificate.malformed.includes('authorityInfoAccess'),
  },
  {
    rule: 'critical-extensions-known',
    words: 'every critical extension is supported (RFC 5280 4.2)',
    holds: ({ certificate }) => unknownCritical(certificate).length === 0,
    found: (certificate) => `unknown: ${unknownCritical(certificate).join(', ')}`,
  },
  {
    rule: 'extension-criticality',
    words: 'key identifiers and information access are not critical (RFC 5280 4.2.1 and 4.2.2)',
    holds: ({ certificate }) => !MUST_NOT_BE_CRITICAL.some((oid) => isCritical(certificate, oid)),
    found: (certificate) =>
      `critical: ${MUST_NOT_BE_CRITICAL.filter((oid) => isCritical(certificate, oid)).join(', ')}`,
  },
  {
    rule: 'constraints-critical',
    words:
      'name constraints, policy constraints and inhibit any-policy are critical (RFC 5280 4.2.1.10, 4.2.1.11 and 4.2.1.14)',
    profile: 'strict',
    holds: ({ certificate }) => notCritical(certificate).length === 0,
    found: (certificate) => `not critical: ${notCritical(certificate).join(', ')}`,
  },
  {
    rule: 'policy-qualifiers-known',
    words: 'critical policies have no qualifiers except CPS and user notice (RFC 5280 4.2.1.4)',
    holds: ({ certificate }) =>
      !isCritical(certificate, EXTENSION.certificatePolicies) || unknownQualifiers(certificate).length === 0,
    found: (certificate) => `unknown: ${unknownQualifiers(certificate).join(', ')}`,
  },
  {
    rule: 'signature-algorithms-agree',
    words: 'the signature algorithm inside the signed part equals the one outside (RFC 5280 4.1.1.2)',
    holds: ({ certificate }) => Buffer.compare(certificate.innerAlgorithm, certificate.outerAlgorithm) === 0,
  },
  {
    rule: 'signature-algorithm-strong',
    words: 'no MD5 or SHA-1 in the signature (RFC 6151, RFC 6194)',
    roles: BELOW_ISSUER,
    holds: ({ certificate }) => !certificate.algorithm.weak && certificate.algorithm.family !== 'unknown',
    found: (certificate) => certificate.algorithm.name,
  },
  {
    rule: 'not-yet-valid',
    words: 'its validity has begun (RFC 5280 4.1.2.5)',
    holds: ({ certificate, now }) => certificate.notBefore <= now,
    found: (certificate) => `valid from ${isoTime(certificate.notBefore)}`,
    reason: 'certificate-not-yet-valid',
  },
  {
    rule: 'expired',
    words: 'its validity has not ended (RFC 5280 4.1.2.5)',
    holds: ({ certificate, now }) => now <= certificate.notAfter,
    found: (certificate) => `valid until ${isoTime(certificate.notAfter)}`,
    reason: 'certificate-expired',
  },
  {
    rule: 'dates-encoded',
    words: 'dates before 2050 are UTCTime, not GeneralizedTime (RFC 5280 4.1.2.5)',
    profile: 'strict',
    holds: ({ certificate }) => !certificate.hasLongDates,
  },
  {
    rule: 'serial-number',
    words: 'the serial number is positive and has 1 to 20 octets (RFC 5280 4.1.2.2)',
    roles: BELOW_ISSUER,
    holds: ({ certificate: { serial } }) =>
      serial.length <= 20 && (serial[0] ?? 0) < 0x80 && serial.some((octet) => octet !== 0),
    found: (certificate) => `0x${Buffer.from(certificate.serial).toString('hex')}`,
  },
  {
    rule: 'issuer-name-present',
    words: 'the issuer has a name (RFC 5280 4.1.2.4)',
    holds: ({ certificate }) => certificate.issuer.rdns.length > 0,
  },
  {
    rule: 'subject-name-present',
    words: 'the subject has a name; a leaf without one has critical alternative names (RFC 5280 4.1.2.6)',
    holds: ({ certificate, role }) =>
      certificate.subject.rdns.length > 0 || (role === 'leaf' && isCritical(certificate, EXTENSION.subjectAltName)),
  },
  {
    rule: 'alternative-names-well-formed',
    words: 'alternative names are well-formed (RFC 5280 4.2.1.6)',
    profile: 'strict',
    holds: ({ certificate }) => (certificate.known.subjectAltName ?? []).every(isAlternativeName),
  },
  {
    rule: 'dns-name-no-address',
    words: 'no DNS name is an IP address, which would escape constraints on addresses (RFC 5280 4.2.1.6)',
    holds: ({ certificate }) => !(certificate.known.subjectAltName ?? []).some(isAddressAsName),
  },
  {
    rule: 'identity-names-well-formed',
    words: 'e-mail names that can identify the caller are well-formed (RFC 5280 4.2.1.6)',
    roles: ['leaf'],
    holds: ({ certificate, policy }) =>
      !policy.identitySources.includes('email-san') ||
      (certificate.known.subjectAltName ?? []).every((name) => name.kind !== 'email' || isAlternativeName(name)),
    setting: ({ identitySources }) => `identitySources: ${identitySources.join(', ')}`,
  },
  {
    rule: 'spiffe-trust-domain',
    words:
      'where SPIFFE IDs identify callers, a certificate with one has no other URI, its trust domain is allowed for the issuer, and the ID of an authority has no path (X.509-SVID 2 and 3.2)',
    roles: ['intermediate', 'leaf'],
    holds: ({ certificate, role, policy }) =>
      !policy.identitySources.includes('spiffe-id') || isInTrustDomain(certificate, role, policy),
    found: ({ known }) => spiffeUris(known).slice(0, 2).map(escapeText).join(', '),
    setting: ({ trustDomains = [] }) => `trustDomains: ${trustDomains.join(', ')}`,
  },
  {
    rule: 'names-in-set-order',
    words: 'the attributes of a relative name are sorted as DER requires (X.690 11.6)',
    holds: ({ certificate }) => [certificate.subject, certificate.issuer].every(({ rdns }) => rdns.every(isInSetOrder)),
  },
  {
    rule: 'alternative-names-criticality',
    words: 'alternative names are critical exactly when the subject is empty (RFC 5280 4.2.1.6)',
    profile: 'strict',
    holds: ({ certificate }) =>
      !certificate.known.subjectAltName ||
      isCritical(certificate, EXTENSION.subjectAltName) === (certificate.subject.rdns.length === 0),
  },
  {
    rule: 'key-strong',
    words:
      'the key is RSA with 2048 bits or more, elliptic on a named curve, Edwards, or ML-DSA if the issuer allows it (NIST SP 800-57, FIPS 186-5)',
    holds: ({ certificate: { publicKey }, policy: { mlDsa = false } }) =>
      (FAMILIES.includes(publicKey.family) || (mlDsa && publicKey.family.startsWith('ml-dsa'))) &&
      (publicKey.bits ?? 2048) >= 2048 &&
      publicKey.curve !== 'explicit',
    found: ({ publicKey }) => printKey(publicKey),
    setting: ({ mlDsa = false }) => `mlDsa: ${mlDsa}`,
  },
  {
    rule: 'key-curve',
    words: 'an elliptic curve is P-256, P-384, P-521 or one that is allowed for the issuer (FIPS 186-5, RFC 5480)',
    holds: ({ certificate: { publicKey }, policy }) =>
      publicKey.curve === undefined ||
      USUAL_CURVES.includes(publicKey.curve) ||
      curvesOf(policy).includes(publicKey.curve),
    found: ({ publicKey }) => printKey(publicKey),
    setting: (policy) => `curves: ${curvesOf(policy).join(', ')}`,
  },
  {
    rule: 'key-well-formed',
    words:
      'the key is valid: a sound modulus, an exponent of at most 64 bits, or a point on its curve (RFC 3279 2.3, RFC 5480 2, RFC 8410 4, FIPS 186-5 A.1.1)',
    holds: ({ certificate: { publicKey } }) => whyUnusable(publicKey) === undefined,
    found: ({ publicKey }) => whyUnusable(publicKey) ?? '',
  },
  {
    rule: 'key-kind',
    words: 'the key is RSA with a multiple of 8 bits, P-256, P-384, P-521 or Edwards (CA/Browser Forum 6.1.5)',
    profile: 'strict',
    holds: ({ certificate: { publicKey } }) =>
      FAMILIES.includes(publicKey.family) &&
      (publicKey.bits ?? 0) % 8 === 0 &&
      (publicKey.curve === undefined || USUAL_CURVES.includes(publicKey.curve)),
    found: ({ publicKey }) => printKey(publicKey),
  },
  {
    rule: 'key-identifiers-consistent',
    words:
      'a certificate with a key identifier also has an authority key identifier, and its issuer then has a key identifier (RFC 5280 4.2.1.1 and 4.2.1.2)',
    profile: 'strict',
    holds: (position) => {
      const { subjectKeyIdentifier: own, authorityKeyIdentifier: above } = position.certificate.known;
      return own ? isRoot(position) || above?.key !== undefined : !position.isNamedByKey;
    },
  },
  {
    rule: 'key-identifiers-present',
    words:
      'authorities have a key identifier, and all but self-signed certificates have an authority key identifier (RFC 5280 4.2.1.1 and 4.2.1.2)',
    profile: 'strict',
    holds: (position) =>
      (!AUTHORITIES.includes(position.role) || position.certificate.known.subjectKeyIdentifier !== undefined) &&
      (isRoot(position) || position.certificate.known.authorityKeyIdentifier?.key !== undefined),
  },
  {
    rule: 'root-key-identifier',
    words:
      'the authority key identifier of a self-signed issuer, if present, is its own key identifier and nothing more (CA/Browser Forum 7.1.2.1.3)',
    profile: 'strict',
    roles: ['approved issuer'],
    holds: (position) => !isRoot(position) || hasRootKeyIdentifier(position.certificate),
  },
  {
    rule: 'authority-is-ca',
    words: 'an authority is a version 3 certificate whose basic constraints say CA (RFC 5280 4.2.1.9)',
    roles: AUTHORITIES,
    holds: ({ certificate }) => certificate.known.basicConstraints?.ca === true,
  },
  {
    rule: 'root-basic-constraints-critical',
    words: 'basic constraints of an approved issuer are critical (RFC 5280 4.2.1.9)',
    roles: ['approved issuer'],
    holds: ({ certificate }) => isCritical(certificate, EXTENSION.basicConstraints),
  },
  {
    rule: 'authority-may-sign',
    words: 'the key usage of an authority, if present, includes keyCertSign (RFC 5280 4.2.1.3)',
    roles: AUTHORITIES,
    holds: ({ certificate }) => certificate.known.keyUsage?.has(KEY_USAGE.keyCertSign) ?? true,
  },
  {
    rule: 'authority-usage',
    words: 'the extended key usage of an authority, if present, allows clientAuth (RFC 5280 4.2.1.12)',
    roles: AUTHORITIES,
    holds: ({ certificate }) => allowsClientAuth(certificate),
  },
  {
    rule: 'root-without-usage',
    words: 'a self-signed issuer has no extended key usage (CA/Browser Forum 7.1.2.1.2)',
    profile: 'strict',
    roles: ['approved issuer'],
    holds: (position) => !isRoot(position) || !position.certificate.known.extendedKeyUsage,
  },
  {
    rule: 'leaf-is-no-authority',
    words: 'the presented certificate is not an authority (RFC 5280 4.2.1.9)',
    roles: ['leaf'],
    holds: ({ certificate }) => certificate.known.basicConstraints?.ca !== true,
  },
  {
    rule: 'leaf-signs-no-certificates',
    words: 'the key usage of a leaf does not include keyCertSign (RFC 5280 4.2.1.9)',
    roles: ['leaf'],
    holds: ({ certificate }) => !certificate.known.keyUsage?.has(KEY_USAGE.keyCertSign),
  },
  {
    rule: 'leaf-signs-no-lists',
    words: 'where SPIFFE IDs identify callers, the key usage of a leaf does not include cRLSign (X.509-SVID 5.2)',
    roles: ['leaf'],
    holds: ({ certificate, policy }) =>
      !policy.identitySources.includes('spiffe-id') || !certificate.known.keyUsage?.has(KEY_USAGE.crlSign),
    setting: ({ identitySources }) => `identitySources: ${identitySources.join(', ')}`,
  },
  {
    rule: 'leaf-without-name-constraints',
    words: 'only authorities have name constraints (RFC 5280 4.2.1.10)',
    roles: ['leaf'],
    holds: ({ certificate }) => !certificate.known.nameConstraints,
  },
  {
    rule: 'leaf-key-usage',
    words:
      'the key usage of a leaf, if present, allows a handshake: digitalSignature or keyAgreement (RFC 5280 4.2.1.3)',
    roles: ['leaf'],
    holds: ({ certificate: { known } }) =>
      !known.keyUsage || known.keyUsage.has(KEY_USAGE.digitalSignature) || known.keyUsage.has(KEY_USAGE.keyAgreement),
  },
  {
    rule: 'client-usage',
    words: 'the extended key usage, if present, allows clientAuth (RFC 5280 4.2.1.12)',
    roles: ['leaf'],
    holds: ({ certificate }) => allowsClientAuth(certificate),
    found: (certificate) => `allows ${certificate.known.extendedKeyUsage?.join(', ') ?? 'nothing that can be parsed'}`,
  },
  {
    rule: 'client-usage-explicit',
    words:
      'the extended key usage is present, is not critical, and lists clientAuth instead of any usage (CA/Browser Forum 7.1.2.7.6)',
    profile: 'strict',
    roles: ['leaf'],
    holds: ({ certificate, certificate: { known } }) =>
      known.extendedKeyUsage?.includes(CLIENT_AUTH) === true &&
      !known.extendedKeyUsage.includes(ANY_USAGE) &&
      !isCritical(certificate, EXTENSION.extendedKeyUsage),
  },
  {
    rule: 'leaf-version',
    words: 'the certificate has version 3 (RFC 5280 4.1.2.1)',
    profile: 'strict',
    roles: ['leaf'],
    holds: ({ certificate }) => certificate.version === 3,
    found: (certificate) => `version ${certificate.version}`,
  },
];

function unknownCritical({ extensions }: Certificate): string[] {
  return extensions.filter(({ critical, oid }) => critical && !PROCESSED.has(oid)).map(({ oid }) => oid);
}

function notCritical({ extensions }: Certificate): string[] {
  return extensions.filter(({ critical, oid }) => !critical && MUST_BE_CRITICAL.has(oid)).map(({ oid }) => oid);
}

function unknownQualifiers({ known }: Certificate): string[] {
  return (known.certificatePolicies ?? [])
    .flatMap(({ qualifiers }) => qualifiers)
    .filter((oid) => !QUALIFIERS.has(oid));
}

function isInTrustDomain({ known }: Certificate, role: Role, { trustDomains = [] }: PathPolicy): boolean {
  const [id, ...others] = spiffeUris(known);
  if (id === undefined) return true;
  const { domain = '', path = '' } = readSpiffeId(id) ?? {};
  return others.length === 0 && trustDomains.includes(domain) && (role === 'leaf' || path === '');
}

/** An issuer that an earlier version approved may name other curves, which are ignored. */
function curvesOf({ profile, curves = [] }: PathPolicy): readonly string[] {
  const allowed = OPTIONAL_CURVES.filter((curve) => curves.includes(curve));
  return profile === 'strict' ? USUAL_CURVES : [...USUAL_CURVES, ...allowed];
}

function hasRootKeyIdentifier({ known }: Certificate): boolean {
  const named = known.authorityKeyIdentifier;
  if (!named) return true;
  if (!named.key || named.issuer || named.serial) return false;
  return Buffer.compare(named.key, known.subjectKeyIdentifier ?? new Uint8Array()) === 0;
}

function allowsClientAuth({ known }: Certificate): boolean {
  const usages = known.extendedKeyUsage;
  return !usages || usages.includes(CLIENT_AUTH) || usages.includes(ANY_USAGE);
}
