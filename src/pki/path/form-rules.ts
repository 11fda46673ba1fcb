// Rules for every certificate, wherever it is on the path.
import { readSpiffeId } from '../../core/certificate.ts';
import { escapeText } from '../../core/quote.ts';
import { isoTime } from '../../core/time.ts';
import { type Certificate, spiffeUris } from '../x509/certificate.ts';
import { isInSetOrder } from '../x509/distinguished-name.ts';
import { EXTENSION } from '../x509/extensions.ts';
import { isAddressAsName, isAlternativeName } from '../x509/general-name.ts';
import { BELOW_ISSUER, EVERY_ROLE, isCritical, type PathPolicy, type Role, type Rule } from './rule.ts';

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

export const FORM_RULES: readonly Rule[] = [
  {
    rule: 'extensions-well-formed',
    clause: 'RFC 5280 4.2',
    words: 'every extension used for path validation can be parsed',
    roles: EVERY_ROLE,
    holds: ({ certificate }) => certificate.malformed.every((name) => name === 'authorityInfoAccess'),
    found: (certificate) => `unreadable: ${certificate.malformed.join(', ')}`,
  },
  {
    rule: 'information-access-well-formed',
    clause: 'RFC 5280 4.2.2.1',
    words: 'authority information access can be parsed',
    profile: 'strict',
    roles: EVERY_ROLE,
    holds: ({ certificate }) => !certificate.malformed.includes('authorityInfoAccess'),
  },
  {
    rule: 'critical-extensions-known',
    clause: 'RFC 5280 4.2',
    words: 'every critical extension is supported',
    roles: EVERY_ROLE,
    holds: ({ certificate }) => unknownCritical(certificate).length === 0,
    found: (certificate) => `unknown: ${unknownCritical(certificate).join(', ')}`,
  },
  {
    rule: 'extension-criticality',
    clause: 'RFC 5280 4.2.1 and 4.2.2',
    words: 'key identifiers and information access are not critical',
    roles: EVERY_ROLE,
    holds: ({ certificate }) => !MUST_NOT_BE_CRITICAL.some((oid) => isCritical(certificate, oid)),
    found: (certificate) =>
      `critical: ${MUST_NOT_BE_CRITICAL.filter((oid) => isCritical(certificate, oid)).join(', ')}`,
  },
  {
    rule: 'constraints-critical',
    clause: 'RFC 5280 4.2.1.10, 4.2.1.11 and 4.2.1.14',
    words: 'name constraints, policy constraints and inhibit any-policy are critical',
    profile: 'strict',
    roles: EVERY_ROLE,
    holds: ({ certificate }) => notCritical(certificate).length === 0,
    found: (certificate) => `not critical: ${notCritical(certificate).join(', ')}`,
  },
  {
    rule: 'policy-qualifiers-known',
    clause: 'RFC 5280 4.2.1.4',
    words: 'critical policies have no qualifiers except CPS and user notice',
    roles: EVERY_ROLE,
    holds: ({ certificate }) =>
      !isCritical(certificate, EXTENSION.certificatePolicies) || unknownQualifiers(certificate).length === 0,
    found: (certificate) => `unknown: ${unknownQualifiers(certificate).join(', ')}`,
  },
  {
    rule: 'signature-algorithms-agree',
    clause: 'RFC 5280 4.1.1.2',
    words: 'the signature algorithm inside the signed part equals the one outside',
    roles: EVERY_ROLE,
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
    rule: 'not-yet-valid',
    clause: 'RFC 5280 4.1.2.5',
    words: 'its validity has begun',
    roles: EVERY_ROLE,
    holds: ({ certificate, now }) => certificate.notBefore <= now,
    found: (certificate) => `valid from ${isoTime(certificate.notBefore)}`,
    reason: 'certificate-not-yet-valid',
  },
  {
    rule: 'expired',
    clause: 'RFC 5280 4.1.2.5',
    words: 'its validity has not ended',
    roles: EVERY_ROLE,
    holds: ({ certificate, now }) => now <= certificate.notAfter,
    found: (certificate) => `valid until ${isoTime(certificate.notAfter)}`,
    reason: 'certificate-expired',
  },
  {
    rule: 'dates-encoded',
    clause: 'RFC 5280 4.1.2.5',
    words: 'dates before 2050 are UTCTime, not GeneralizedTime',
    profile: 'strict',
    roles: EVERY_ROLE,
    holds: ({ certificate }) => !certificate.hasLongDates,
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
    roles: EVERY_ROLE,
    holds: ({ certificate }) => certificate.issuer.rdns.length > 0,
  },
  {
    rule: 'subject-name-present',
    clause: 'RFC 5280 4.1.2.6',
    words: 'the subject has a name; a leaf without one has critical alternative names',
    roles: EVERY_ROLE,
    holds: ({ certificate, role }) =>
      certificate.subject.rdns.length > 0 || (role === 'leaf' && isCritical(certificate, EXTENSION.subjectAltName)),
  },
  {
    rule: 'alternative-names-well-formed',
    clause: 'RFC 5280 4.2.1.6',
    words: 'alternative names are well-formed',
    profile: 'strict',
    roles: EVERY_ROLE,
    holds: ({ certificate }) => (certificate.known.subjectAltName ?? []).every(isAlternativeName),
  },
  {
    rule: 'dns-name-no-address',
    clause: 'RFC 5280 4.2.1.6',
    words: 'no DNS name is an IP address, which would escape constraints on addresses',
    roles: EVERY_ROLE,
    holds: ({ certificate }) => !(certificate.known.subjectAltName ?? []).some(isAddressAsName),
  },
  {
    rule: 'identity-names-well-formed',
    clause: 'RFC 5280 4.2.1.6',
    words: 'e-mail names that can identify the caller are well-formed',
    roles: ['leaf'],
    holds: ({ certificate, policy }) =>
      !policy.identitySources.includes('email-san') ||
      (certificate.known.subjectAltName ?? []).every((name) => name.kind !== 'email' || isAlternativeName(name)),
    setting: ({ identitySources }) => `identitySources: ${identitySources.join(', ')}`,
  },
  {
    rule: 'spiffe-trust-domain',
    clause: 'X.509-SVID 2 and 3.2',
    words:
      'where SPIFFE IDs identify callers, a certificate with one has no other URI, its trust domain is allowed for the issuer, and the ID of an authority has no path',
    roles: ['intermediate', 'leaf'],
    holds: ({ certificate, role, policy }) =>
      !policy.identitySources.includes('spiffe-id') || isInTrustDomain(certificate, role, policy),
    found: ({ known }) => spiffeUris(known).slice(0, 2).map(escapeText).join(', '),
    setting: ({ trustDomains = [] }) => `trustDomains: ${trustDomains.join(', ')}`,
  },
  {
    rule: 'names-in-set-order',
    clause: 'X.690 11.6',
    words: 'the attributes of a relative name are sorted as DER requires',
    roles: EVERY_ROLE,
    holds: ({ certificate }) => [certificate.subject, certificate.issuer].every(({ rdns }) => rdns.every(isInSetOrder)),
  },
  {
    rule: 'alternative-names-criticality',
    clause: 'RFC 5280 4.2.1.6',
    words: 'alternative names are critical exactly when the subject is empty',
    profile: 'strict',
    roles: EVERY_ROLE,
    holds: ({ certificate }) =>
      !certificate.known.subjectAltName ||
      isCritical(certificate, EXTENSION.subjectAltName) === (certificate.subject.rdns.length === 0),
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
