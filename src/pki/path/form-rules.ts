// The first rules for a single certificate: its form.
import { readSpiffeId } from '../../core/certificate.ts';
import { escapeText } from '../../core/quote.ts';
import { isoTime } from '../../core/time.ts';
import { type Certificate, spiffeUris } from '../x509/certificate.ts';
import { isInSetOrder } from '../x509/distinguished-name.ts';
import { EXTENSION } from '../x509/extensions.ts';
import { checksOf, type GeneralName, isAddressAsName } from '../x509/general-name.ts';
import { isCritical, type PathPolicy, type Role, type Rules } from './rule.ts';

const BELOW_ISSUER: readonly Role[] = ['intermediate', 'leaf', 'revocation signer'];

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

export const FORM_RULES: Rules = {
  'extensions-well-formed': {
    words: 'every extension used for path validation can be parsed (RFC 5280 4.2)',
    holds: ({ certificate }) => certificate.malformed.every((name) => name === 'authorityInfoAccess'),
    found: (certificate) => `unreadable: ${certificate.malformed.join(', ')}`,
  },
  'information-access-well-formed': {
    words: 'authority information access can be parsed (RFC 5280 4.2.2.1)',
    profile: 'strict',
    holds: ({ certificate }) => !certificate.malformed.includes('authorityInfoAccess'),
  },
  'critical-extensions-known': {
    words: 'every critical extension is supported (RFC 5280 4.2)',
    holds: ({ certificate }) => unknownCritical(certificate).length === 0,
    found: (certificate) => `unknown: ${unknownCritical(certificate).join(', ')}`,
  },
  'extension-criticality': {
    words: 'key identifiers and information access are not critical (RFC 5280 4.2.1 and 4.2.2)',
    holds: ({ certificate }) => !MUST_NOT_BE_CRITICAL.some((oid) => isCritical(certificate, oid)),
    found: (certificate) =>
      `critical: ${MUST_NOT_BE_CRITICAL.filter((oid) => isCritical(certificate, oid)).join(', ')}`,
  },
  'constraints-critical': {
    words:
      'name constraints, policy constraints and inhibit any-policy are critical (RFC 5280 4.2.1.10, 4.2.1.11 and 4.2.1.14)',
    profile: 'strict',
    holds: ({ certificate }) => notCritical(certificate).length === 0,
    found: (certificate) => `not critical: ${notCritical(certificate).join(', ')}`,
  },
  'policy-qualifiers-known': {
    words: 'critical policies have no qualifiers except CPS and user notice (RFC 5280 4.2.1.4)',
    holds: ({ certificate }) =>
      !isCritical(certificate, EXTENSION.certificatePolicies) || unknownQualifiers(certificate).length === 0,
    found: (certificate) => `unknown: ${unknownQualifiers(certificate).join(', ')}`,
  },
  'signature-algorithms-agree': {
    words: 'the signature algorithm inside the signed part equals the one outside (RFC 5280 4.1.1.2)',
    holds: ({ certificate }) => Buffer.compare(certificate.innerAlgorithm, certificate.outerAlgorithm) === 0,
  },
  'signature-algorithm-strong': {
    words: 'no MD5 or SHA-1 in the signature (RFC 6151, RFC 6194)',
    roles: BELOW_ISSUER,
    holds: ({ certificate }) => !certificate.algorithm.weak && certificate.algorithm.family !== 'unknown',
    found: (certificate) => certificate.algorithm.name,
  },
  'not-yet-valid': {
    words: 'its validity has begun (RFC 5280 4.1.2.5)',
    holds: ({ certificate, now }) => certificate.notBefore <= now,
    found: (certificate) => `valid from ${isoTime(certificate.notBefore)}`,
    reason: 'certificate-not-yet-valid',
  },
  expired: {
    words: 'its validity has not ended (RFC 5280 4.1.2.5)',
    holds: ({ certificate, now }) => now <= certificate.notAfter,
    found: (certificate) => `valid until ${isoTime(certificate.notAfter)}`,
    reason: 'certificate-expired',
  },
  'dates-encoded': {
    words: 'dates before 2050 are UTCTime, not GeneralizedTime (RFC 5280 4.1.2.5)',
    profile: 'strict',
    holds: ({ certificate }) => !certificate.hasLongDates,
  },
  'serial-number': {
    words: 'the serial number is positive and has 1 to 20 octets (RFC 5280 4.1.2.2)',
    roles: BELOW_ISSUER,
    holds: ({ certificate: { serial } }) =>
      serial.length <= 20 && (serial[0] as number) < 0x80 && serial.some((octet) => octet !== 0),
    found: (certificate) => `0x${Buffer.from(certificate.serial).toString('hex')}`,
  },
  'issuer-name-present': {
    words: 'the issuer has a name (RFC 5280 4.1.2.4)',
    holds: ({ certificate }) => certificate.issuer.rdns.length > 0,
  },
  'subject-name-present': {
    words: 'the subject has a name; a leaf without one has critical alternative names (RFC 5280 4.1.2.6)',
    holds: ({ certificate, role }) =>
      certificate.subject.rdns.length > 0 || (role === 'leaf' && isCritical(certificate, EXTENSION.subjectAltName)),
  },
  'alternative-names-well-formed': {
    words: 'alternative names are well-formed (RFC 5280 4.2.1.6)',
    profile: 'strict',
    holds: ({ certificate }) => (certificate.known.subjectAltName ?? []).every(isWellFormed),
  },
  'dns-name-no-address': {
    words: 'no DNS name is an IP address, which would escape constraints on addresses (RFC 5280 4.2.1.6)',
    holds: ({ certificate }) => !(certificate.known.subjectAltName ?? []).some(isAddressAsName),
  },
  'identity-names-well-formed': {
    words: 'e-mail names that can identify the caller are well-formed (RFC 5280 4.2.1.6)',
    roles: ['leaf'],
    holds: ({ certificate, policy }) =>
      !policy.identitySources.includes('email-san') ||
      (certificate.known.subjectAltName ?? []).every((name) => name.kind !== 'email' || isWellFormed(name)),
    setting: ({ identitySources }) => `identitySources: ${identitySources.join(', ')}`,
  },
  'spiffe-trust-domain': {
    words:
      'where SPIFFE IDs identify callers, a certificate with one has no other URI, its trust domain is allowed for the issuer, and the ID of an authority has no path (X.509-SVID 2 and 3.2)',
    roles: ['intermediate', 'leaf'],
    holds: ({ certificate, role, policy }) =>
      !policy.identitySources.includes('spiffe-id') || isInTrustDomain(certificate, role, policy),
    found: ({ known }) => spiffeUris(known).slice(0, 2).map(escapeText).join(', '),
    setting: ({ trustDomains = [] }) => `trustDomains: ${trustDomains.join(', ')}`,
  },
  'names-in-set-order': {
    words: 'the attributes of a relative name are sorted as DER requires (X.690 11.6)',
    holds: ({ certificate }) => [certificate.subject, certificate.issuer].every(({ rdns }) => rdns.every(isInSetOrder)),
  },
  'alternative-names-criticality': {
    words: 'alternative names are critical exactly when the subject is empty (RFC 5280 4.2.1.6)',
    profile: 'strict',
    holds: ({ certificate }) =>
      !certificate.known.subjectAltName ||
      isCritical(certificate, EXTENSION.subjectAltName) === (certificate.subject.rdns.length === 0),
  },
};

function isWellFormed(name: GeneralName): boolean {
  return checksOf(name).isWellFormed(name);
}

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
