// Which keys certificates may have, and how certificates refer to each other's keys. Plain `openssl x509 -req` writes
// no key identifiers; only profile strict refuses that.
import { OPTIONAL_CURVES } from '../../core/issuer.ts';
import type { Certificate } from '../x509/certificate.ts';
import { printKey } from '../x509/public-key.ts';
import { whyUnusable } from '../x509/signed.ts';
import { AUTHORITIES, EVERY_ROLE, isRoot, type PathPolicy, type Position, type Rule } from './rule.ts';

const USUAL_CURVES: readonly string[] = ['P-256', 'P-384', 'P-521'];
const FAMILIES: readonly string[] = ['rsa', 'rsa-pss', 'ec', 'ed25519', 'ed448'];

export const KEY_RULES: readonly Rule[] = [
  {
    rule: 'key-strong',
    clause: 'NIST SP 800-57, FIPS 186-5',
    words:
      'the key is RSA with 2048 bits or more, elliptic on a named curve, Edwards, or ML-DSA if the issuer allows it',
    roles: EVERY_ROLE,
    holds: ({ certificate: { publicKey }, policy: { mlDsa = false } }) =>
      (FAMILIES.includes(publicKey.family) || (mlDsa && publicKey.family.startsWith('ml-dsa'))) &&
      (publicKey.bits ?? 2048) >= 2048 &&
      publicKey.curve !== 'explicit',
    found: ({ publicKey }) => printKey(publicKey),
    setting: ({ mlDsa = false }) => `mlDsa: ${mlDsa}`,
  },
  {
    rule: 'key-curve',
    clause: 'FIPS 186-5, RFC 5480',
    words: 'an elliptic curve is P-256, P-384, P-521 or one that is allowed for the issuer',
    roles: EVERY_ROLE,
    holds: ({ certificate: { publicKey }, policy }) =>
      publicKey.curve === undefined ||
      USUAL_CURVES.includes(publicKey.curve) ||
      curvesOf(policy).includes(publicKey.curve),
    found: ({ publicKey }) => printKey(publicKey),
    setting: (policy) => `curves: ${curvesOf(policy).join(', ')}`,
  },
  {
    rule: 'key-well-formed',
    clause: 'RFC 3279 2.3, RFC 5480 2, RFC 8410 4, FIPS 186-5 A.1.1',
    words: 'the key is valid: a sound modulus, an exponent of at most 64 bits, or a point on its curve',
    roles: EVERY_ROLE,
    holds: ({ certificate: { publicKey } }) => whyUnusable(publicKey) === undefined,
    found: ({ publicKey }) => whyUnusable(publicKey) ?? '',
  },
  {
    rule: 'key-kind',
    clause: 'CA/Browser Forum 6.1.5',
    words: 'the key is RSA with a multiple of 8 bits, P-256, P-384, P-521 or Edwards',
    profile: 'strict',
    roles: EVERY_ROLE,
    holds: ({ certificate: { publicKey } }) =>
      FAMILIES.includes(publicKey.family) &&
      (publicKey.bits ?? 0) % 8 === 0 &&
      (publicKey.curve === undefined || USUAL_CURVES.includes(publicKey.curve)),
    found: ({ publicKey }) => printKey(publicKey),
  },
  {
    rule: 'key-identifiers-consistent',
    clause: 'RFC 5280 4.2.1.1 and 4.2.1.2',
    words:
      'a certificate with a key identifier also has an authority key identifier, and its issuer then has a key identifier',
    profile: 'strict',
    roles: EVERY_ROLE,
    holds: (position) => namesItsAuthority(position) && hasTheNamedKey(position),
  },
  {
    rule: 'key-identifiers-present',
    clause: 'RFC 5280 4.2.1.1 and 4.2.1.2',
    words: 'authorities have a key identifier, and all but self-signed certificates have an authority key identifier',
    profile: 'strict',
    roles: EVERY_ROLE,
    holds: (position) =>
      (!AUTHORITIES.includes(position.role) || position.certificate.known.subjectKeyIdentifier !== undefined) &&
      (isRoot(position) || position.certificate.known.authorityKeyIdentifier?.key !== undefined),
  },
  {
    rule: 'root-key-identifier',
    clause: 'CA/Browser Forum 7.1.2.1.3',
    words:
      'the authority key identifier of a self-signed issuer, if present, is its own key identifier and nothing more',
    profile: 'strict',
    roles: ['approved issuer'],
    holds: (position) => !isRoot(position) || hasRootKeyIdentifier(position.certificate),
  },
];

/** An issuer that an earlier version approved may name other curves, which are ignored. */
function curvesOf({ profile, curves = [] }: PathPolicy): readonly string[] {
  const allowed = OPTIONAL_CURVES.filter((curve) => curves.includes(curve));
  return profile === 'strict' ? USUAL_CURVES : [...USUAL_CURVES, ...allowed];
}

function namesItsAuthority(position: Position): boolean {
  const { subjectKeyIdentifier, authorityKeyIdentifier } = position.certificate.known;
  return !subjectKeyIdentifier || isRoot(position) || authorityKeyIdentifier?.key !== undefined;
}

function hasTheNamedKey({ certificate, isNamedByKey }: Position): boolean {
  return !isNamedByKey || certificate.known.subjectKeyIdentifier !== undefined;
}

function hasRootKeyIdentifier({ known }: Certificate): boolean {
  const named = known.authorityKeyIdentifier;
  if (!named) return true;
  if (!named.key || named.issuer || named.serial) return false;
  return Buffer.compare(named.key, known.subjectKeyIdentifier ?? new Uint8Array()) === 0;
}
