// What every certificate has to be, whatever its place on the path.
import type { Certificate } from './certificate.ts';
import { EXTENSION } from './extensions.ts';
import { isAlternativeName } from './name-form.ts';
import { printKey } from './public-key.ts';
import { BELOW_ISSUER, EVERY_ROLE, isCritical, printTime, type Rule } from './rule.ts';

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

export const RULES_OF_FORM: readonly Rule[] = [
  {
    rule: 'extensions-well-formed',
    clause: 'RFC 5280 4.2',
    words: 'every extension that decides about a path can be read',
    roles: EVERY_ROLE,
    holds: ({ certificate }) => certificate.malformed.every((name) => name === 'authorityInfoAccess'),
    found: (certificate) => `unreadable: ${certificate.malformed.join(', ')}`,
  },
  {
    rule: 'information-access-well-formed',
    clause: 'RFC 5280 4.2.2.1',
    words: 'authority information access can be read',
    profile: 'strict',
    roles: EVERY_ROLE,
    holds: ({ certificate }) => !certificate.malformed.includes('authorityInfoAccess'),
  },
  {
    rule: 'critical-extensions-known',
    clause: 'RFC 5280 4.2',
    words: 'every critical extension is one we process',
    roles: EVERY_ROLE,
    holds: ({ certificate }) => unknownCritical(certificate).length === 0,
    found: (certificate) => `not known: ${unknownCritical(certificate).join(', ')}`,
  },
  {
    rule: 'extension-criticality',
    clause: 'RFC 5280 4.2.1 and 4.2.2',
    words: 'extensions are critical where they must be, and not where they must not',
    roles: EVERY_ROLE,
    holds: ({ certificate }) => wrongCriticality(certificate).length === 0,
    found: (certificate) => `wrong: ${wrongCriticality(certificate).join(', ')}`,
  },
  {
    rule: 'signature-algorithms-agree',
    clause: 'RFC 5280 4.1.1.2',
    words: 'the algorithm inside the signed part is the one outside',
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
    rule: 'key-strong',
    clause: 'NIST SP 800-57',
    words: 'an RSA or DSA key has 2048 bits or more, an elliptic curve is named',
    roles: EVERY_ROLE,
    holds: ({ certificate: { publicKey } }) =>
      publicKey.family !== 'unknown' && (publicKey.bits ?? 2048) >= 2048 && publicKey.curve !== 'explicit',
    found: (certificate) => printKey(certificate.publicKey),
  },
  {
    rule: 'key-kind',
    clause: 'CA/Browser Forum 6.1.5',
    words: 'the key is RSA of a multiple of 8 bits, P-256, P-384, P-521 or Edwards',
    profile: 'strict',
    roles: EVERY_ROLE,
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
    roles: EVERY_ROLE,
    holds: ({ certificate, now }) => certificate.notBefore <= now,
    found: (certificate) => `valid from ${printTime(certificate.notBefore)}`,
    reason: 'certificate-not-yet-valid',
  },
  {
    rule: 'expired',
    clause: 'RFC 5280 4.1.2.5',
    words: 'its validity has not ended',
    roles: EVERY_ROLE,
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
    words: 'alternative names have the form of their kind',
    roles: EVERY_ROLE,
    holds: ({ certificate }) => (certificate.known.subjectAltName ?? []).every(isAlternativeName),
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

function wrongCriticality({ extensions }: Certificate): string[] {
  const isWrong = ({ critical, oid }: { critical: boolean; oid: string }) =>
    critical ? MUST_NOT_BE_CRITICAL.some((other) => other === oid) : MUST_BE_CRITICAL.some((other) => other === oid);
  return extensions.filter(isWrong).map(({ oid }) => oid);
}
