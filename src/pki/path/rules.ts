// The rules for a single certificate, in the order in which they are checked: its form, its key, what it may be used for.
import { OPTIONAL_CURVES } from '../../core/issuer.ts';
import { type Certificate, isSelfSigned } from '../x509/certificate.ts';
import { EXTENSION, KEY_USAGE } from '../x509/extensions.ts';
import { printKey } from '../x509/public-key.ts';
import { whyUnusable } from '../x509/signed.ts';
import { FORM_RULES } from './form-rules.ts';
import { isCritical, type PathPolicy, type Position, type Role, type Rule, type Rules } from './rule.ts';

const AUTHORITIES: readonly Role[] = ['approved issuer', 'intermediate'];

const USUAL_CURVES: readonly string[] = ['P-256', 'P-384', 'P-521'];
const FAMILIES: readonly string[] = ['rsa', 'rsa-pss', 'ec', 'ed25519', 'ed448'];
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';

const KEY_AND_USE_RULES: Rules = {
  'key-strong': {
    words:
      'the key is RSA with 2048 bits or more, elliptic on a named curve, Edwards, or ML-DSA if the issuer allows it (NIST SP 800-57, FIPS 186-5)',
    holds: ({ certificate: { publicKey }, policy: { mlDsa = false } }) =>
      (FAMILIES.includes(publicKey.family) || (mlDsa && publicKey.family.startsWith('ml-dsa'))) &&
      (publicKey.bits ?? 2048) >= 2048 &&
      publicKey.curve !== 'explicit',
    found: ({ publicKey }) => printKey(publicKey),
    setting: ({ mlDsa = false }) => `mlDsa: ${mlDsa}`,
  },
  'key-curve': {
    words: 'an elliptic curve is P-256, P-384, P-521 or one that is allowed for the issuer (FIPS 186-5, RFC 5480)',
    holds: ({ certificate: { publicKey }, policy }) =>
      publicKey.curve === undefined ||
      USUAL_CURVES.includes(publicKey.curve) ||
      curvesOf(policy).includes(publicKey.curve),
    found: ({ publicKey }) => printKey(publicKey),
    setting: (policy) => `curves: ${curvesOf(policy).join(', ')}`,
  },
  'key-well-formed': {
    words:
      'the key is valid: a sound modulus, an exponent of at most 64 bits, or a point on its curve (RFC 3279 2.3, RFC 5480 2, RFC 8410 4, FIPS 186-5 A.1.1)',
    holds: ({ certificate: { publicKey } }) => whyUnusable(publicKey) === undefined,
    found: ({ publicKey }) => whyUnusable(publicKey) ?? '',
  },
  'key-kind': {
    words: 'the key is RSA with a multiple of 8 bits, P-256, P-384, P-521 or Edwards (CA/Browser Forum 6.1.5)',
    profile: 'strict',
    holds: ({ certificate: { publicKey } }) =>
      FAMILIES.includes(publicKey.family) &&
      (publicKey.bits ?? 0) % 8 === 0 &&
      (publicKey.curve === undefined || USUAL_CURVES.includes(publicKey.curve)),
    found: ({ publicKey }) => printKey(publicKey),
  },
  'key-identifiers-consistent': {
    words:
      'a certificate with a key identifier also has an authority key identifier, and its issuer then has a key identifier (RFC 5280 4.2.1.1 and 4.2.1.2)',
    profile: 'strict',
    holds: (position) => {
      const { subjectKeyIdentifier: own, authorityKeyIdentifier: above } = position.certificate.known;
      return own ? isRoot(position) || above?.key !== undefined : !position.isNamedByKey;
    },
  },
  'key-identifiers-present': {
    words:
      'authorities have a key identifier, and all but self-signed certificates have an authority key identifier (RFC 5280 4.2.1.1 and 4.2.1.2)',
    profile: 'strict',
    holds: (position) =>
      (!AUTHORITIES.includes(position.role) || position.certificate.known.subjectKeyIdentifier !== undefined) &&
      (isRoot(position) || position.certificate.known.authorityKeyIdentifier?.key !== undefined),
  },
  'root-key-identifier': {
    words:
      'the authority key identifier of a self-signed issuer, if present, is its own key identifier and nothing more (CA/Browser Forum 7.1.2.1.3)',
    profile: 'strict',
    roles: ['approved issuer'],
    holds: (position) => !isRoot(position) || hasRootKeyIdentifier(position.certificate),
  },
  'authority-is-ca': {
    words: 'an authority is a version 3 certificate whose basic constraints say CA (RFC 5280 4.2.1.9)',
    roles: AUTHORITIES,
    holds: ({ certificate }) => certificate.known.basicConstraints?.ca === true,
  },
  'root-basic-constraints-critical': {
    words: 'basic constraints of an approved issuer are critical (RFC 5280 4.2.1.9)',
    roles: ['approved issuer'],
    holds: ({ certificate }) => isCritical(certificate, EXTENSION.basicConstraints),
  },
  'authority-may-sign': {
    words: 'the key usage of an authority, if present, includes keyCertSign (RFC 5280 4.2.1.3)',
    roles: AUTHORITIES,
    holds: ({ certificate }) => certificate.known.keyUsage?.has(KEY_USAGE.keyCertSign) ?? true,
  },
  'authority-usage': {
    words: 'the extended key usage of an authority, if present, allows clientAuth (RFC 5280 4.2.1.12)',
    roles: AUTHORITIES,
    holds: ({ certificate }) => allowsClientAuth(certificate),
  },
  'root-without-usage': {
    words: 'a self-signed issuer has no extended key usage (CA/Browser Forum 7.1.2.1.2)',
    profile: 'strict',
    roles: ['approved issuer'],
    holds: (position) => !isRoot(position) || !position.certificate.known.extendedKeyUsage,
  },
  'leaf-is-no-authority': {
    words: 'the presented certificate is not an authority (RFC 5280 4.2.1.9)',
    roles: ['leaf'],
    holds: ({ certificate }) => certificate.known.basicConstraints?.ca !== true,
  },
  'leaf-signs-no-certificates': {
    words: 'the key usage of a leaf does not include keyCertSign (RFC 5280 4.2.1.9)',
    roles: ['leaf'],
    holds: ({ certificate }) => !certificate.known.keyUsage?.has(KEY_USAGE.keyCertSign),
  },
  'leaf-signs-no-lists': {
    words: 'where SPIFFE IDs identify callers, the key usage of a leaf does not include cRLSign (X.509-SVID 5.2)',
    roles: ['leaf'],
    holds: ({ certificate, policy }) =>
      !policy.identitySources.includes('spiffe-id') || !certificate.known.keyUsage?.has(KEY_USAGE.crlSign),
    setting: ({ identitySources }) => `identitySources: ${identitySources.join(', ')}`,
  },
  'leaf-without-name-constraints': {
    words: 'only authorities have name constraints (RFC 5280 4.2.1.10)',
    roles: ['leaf'],
    holds: ({ certificate }) => !certificate.known.nameConstraints,
  },
  'leaf-key-usage': {
    words:
      'the key usage of a leaf, if present, allows a handshake: digitalSignature or keyAgreement (RFC 5280 4.2.1.3)',
    roles: ['leaf'],
    holds: ({ certificate: { known } }) =>
      !known.keyUsage || known.keyUsage.has(KEY_USAGE.digitalSignature) || known.keyUsage.has(KEY_USAGE.keyAgreement),
  },
  'client-usage': {
    words: 'the extended key usage, if present, allows clientAuth (RFC 5280 4.2.1.12)',
    roles: ['leaf'],
    holds: ({ certificate }) => allowsClientAuth(certificate),
    found: (certificate) => `allows ${certificate.known.extendedKeyUsage?.join(', ') ?? 'nothing that can be parsed'}`,
  },
  'client-usage-explicit': {
    words:
      'the extended key usage is present, is not critical, and lists clientAuth instead of any usage (CA/Browser Forum 7.1.2.7.6)',
    profile: 'strict',
    roles: ['leaf'],
    holds: ({ certificate, certificate: { known } }) =>
      known.extendedKeyUsage?.includes(CLIENT_AUTH) === true &&
      !known.extendedKeyUsage.includes(ANY_USAGE) &&
      !isCritical(certificate, EXTENSION.extendedKeyUsage),
  },
  'leaf-version': {
    words: 'the certificate has version 3 (RFC 5280 4.1.2.1)',
    profile: 'strict',
    roles: ['leaf'],
    holds: ({ certificate }) => certificate.version === 3,
    found: (certificate) => `version ${certificate.version}`,
  },
};

export const RULES: readonly (Rule & { readonly rule: string })[] = Object.entries({
  ...FORM_RULES,
  ...KEY_AND_USE_RULES,
}).map(([rule, demands]) => ({ rule, ...demands }));

function isRoot({ certificate, role }: Position): boolean {
  return role === 'approved issuer' && isSelfSigned(certificate);
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
