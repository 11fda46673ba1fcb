// How certificates name each other's keys. Plain `openssl x509 -req` names none, which only profile strict minds.
import type { Certificate } from './certificate.ts';
import { AUTHORITIES, EVERY_ROLE, isRoot, type Position, type Rule } from './rule.ts';

export const RULES_OF_KEYS: readonly Rule[] = [
  {
    rule: 'key-identifiers-consistent',
    clause: 'RFC 5280 4.2.1.1 and 4.2.1.2',
    words: 'a certificate with a key identifier names that of its issuer, and an issuer so named has one',
    roles: EVERY_ROLE,
    holds: (position) => namesItsAuthority(position) && hasTheNamedKey(position),
  },
  {
    rule: 'key-identifiers-present',
    clause: 'RFC 5280 4.2.1.1 and 4.2.1.2',
    words: 'authorities have a key identifier, and all but self-signed certificates name that of their issuer',
    profile: 'strict',
    roles: EVERY_ROLE,
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
];

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
