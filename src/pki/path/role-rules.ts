// What a certificate may be used for: CAs sign certificates, leaves authenticate callers, never both.
import type { Certificate } from '../x509/certificate.ts';
import { EXTENSION, KEY_USAGE } from '../x509/extensions.ts';
import { AUTHORITIES, isCritical, isRoot, type Rule } from './rule.ts';

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';

export const ROLE_RULES: readonly Rule[] = [
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
    words: 'the key usage of an authority, if present, includes keyCertSign',
    roles: AUTHORITIES,
    holds: ({ certificate }) => certificate.known.keyUsage?.has(KEY_USAGE.keyCertSign) ?? true,
  },
  {
    rule: 'authority-usage',
    clause: 'RFC 5280 4.2.1.12',
    words: 'the extended key usage of an authority, if present, allows clientAuth',
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
    words: 'the presented certificate is not an authority',
    roles: ['leaf'],
    holds: ({ certificate }) => certificate.known.basicConstraints?.ca !== true,
  },
  {
    rule: 'leaf-signs-no-certificates',
    clause: 'RFC 5280 4.2.1.9',
    words: 'the key usage of a leaf does not include keyCertSign',
    roles: ['leaf'],
    holds: ({ certificate }) => !certificate.known.keyUsage?.has(KEY_USAGE.keyCertSign),
  },
  {
    rule: 'leaf-signs-no-lists',
    clause: 'X.509-SVID 5.2',
    words: 'where SPIFFE IDs identify callers, the key usage of a leaf does not include cRLSign',
    roles: ['leaf'],
    holds: ({ certificate, policy }) =>
      !policy.identitySources.includes('spiffe-id') || !certificate.known.keyUsage?.has(KEY_USAGE.crlSign),
    setting: ({ identitySources }) => `identitySources: ${identitySources.join(', ')}`,
  },
  {
    rule: 'leaf-without-name-constraints',
    clause: 'RFC 5280 4.2.1.10',
    words: 'only authorities have name constraints',
    roles: ['leaf'],
    holds: ({ certificate }) => !certificate.known.nameConstraints,
  },
  {
    rule: 'leaf-key-usage',
    clause: 'RFC 5280 4.2.1.3',
    words: 'the key usage of a leaf, if present, allows a handshake: digitalSignature or keyAgreement',
    roles: ['leaf'],
    holds: ({ certificate: { known } }) =>
      !known.keyUsage || known.keyUsage.has(KEY_USAGE.digitalSignature) || known.keyUsage.has(KEY_USAGE.keyAgreement),
  },
  {
    rule: 'client-usage',
    clause: 'RFC 5280 4.2.1.12',
    words: 'the extended key usage, if present, allows clientAuth',
    roles: ['leaf'],
    holds: ({ certificate }) => allowsClientAuth(certificate),
    found: (certificate) => `allows ${certificate.known.extendedKeyUsage?.join(', ') ?? 'nothing that can be parsed'}`,
  },
  {
    rule: 'client-usage-explicit',
    clause: 'CA/Browser Forum 7.1.2.7.6',
    words: 'the extended key usage is present, is not critical, and lists clientAuth instead of any usage',
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
    words: 'the certificate has version 3',
    profile: 'strict',
    roles: ['leaf'],
    holds: ({ certificate }) => certificate.version === 3,
    found: (certificate) => `version ${certificate.version}`,
  },
];

function allowsClientAuth({ known }: Certificate): boolean {
  const usages = known.extendedKeyUsage;
  return !usages || usages.includes(CLIENT_AUTH) || usages.includes(ANY_USAGE);
}
