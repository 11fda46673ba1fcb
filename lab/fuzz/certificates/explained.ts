// Why we accept what another verifier refuses, by verifier. Each class has the rule, its clause, and a fact about the mutant
// that must be true: a refusal without a class fails the run.
import { EXTENSION } from '../../../src/pki/x509/extensions.ts';
import { ANY_USAGE } from '../../../test/pki/corpus/pieces.ts';
import {
  hasAlternativeName,
  hasConstraintOn,
  hasDnsName,
  hasExtension,
  hasIssuerAndSerial,
  hasLeafWithDnsName,
  hasNul,
  hasOddConstraint,
  hasOddEmailAddress,
  hasOddString,
  hasOtherKey,
  hasOtherKeyIdentifier,
  hasOtherSpelling,
  hasSelfIssued,
  hasUsage,
  isOddOtherName,
} from './facts.ts';
import type { Mutant } from './mutant.ts';

export interface Explained {
  readonly by: 'OpenSSL' | 'GnuTLS';
  /** What the other says. */
  readonly said: RegExp;
  /** Our rule, and the clause it follows. */
  readonly rule: string;
  readonly clause: string;
  readonly why: string;
  readonly when: (mutant: Mutant) => boolean;
}

type Class = Omit<Explained, 'by' | 'said'>;

const ISSUER_ALT_NAME = '2.5.29.18';
const NO_ISSUER = /^UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT|GET_ISSUER_CERT_LOCALLY)$/;

const KEY_IDENTIFIER: Class = {
  rule: 'key identifiers are hints; key-identifiers-consistent is a rule of profile strict',
  clause: 'RFC 5280 4.2.1.1: a means of identifying the key; 6.1 does not compare it',
  why: 'the authority key identifier is not the key identifier of the issuer, and the signature is valid',
  when: hasOtherKeyIdentifier,
};
const ISSUER_AND_SERIAL: Class = {
  ...KEY_IDENTIFIER,
  why: 'the authority key identifier has an issuer or serial number that is not the issuer’s, and the signature is valid',
  when: hasIssuerAndSerial,
};
const ANY_KEY_USAGE: Class = {
  rule: 'client-usage; client-usage-explicit is a rule of profile strict',
  clause: 'RFC 5280 4.2.1.12: anyExtendedKeyUsage allows every purpose unless the application says otherwise',
  why: 'the extended key usage is any usage, without clientAuth',
  when: (mutant) => hasUsage(mutant, ANY_USAGE),
};

const OPENSSL: readonly (Class & Pick<Explained, 'said'>)[] = [
  { said: NO_ISSUER, ...KEY_IDENTIFIER },
  { said: NO_ISSUER, ...ISSUER_AND_SERIAL },
  {
    said: NO_ISSUER,
    rule: 'names compare by RFC 4518',
    clause: 'RFC 5280 7.1: string preparation, whatever the string type',
    why: 'issuer and subject are spelt differently, and OpenSSL folds only ASCII case and spaces',
    when: hasOtherSpelling,
  },
  {
    said: NO_ISSUER,
    rule: 'identity: only a UTF8String gives a user principal name; other otherNames are not used',
    clause: 'RFC 5280 4.2.1.6: the type of an otherName is defined by its identifier',
    why: 'an otherName has a value that is not a well-formed string, so OpenSSL cannot load the extension',
    when: (mutant) => hasAlternativeName(mutant, isOddOtherName),
  },
  {
    said: /^UNSPECIFIED$/,
    rule: 'name-constraints; alternative-names-well-formed is a rule of profile strict',
    clause: 'RFC 5280 4.2.1.10; RFC 1034 3.1: a trailing dot ends a complete name',
    why: 'a DNS name with a trailing dot, which OpenSSL does not compare with constraints',
    when: (mutant) => hasConstraintOn(mutant, 'dns') && hasDnsName(mutant, /\.$/),
  },
  {
    said: /^UNSPECIFIED$/,
    rule: 'name-constraints: an emailAddress is compared whatever its string type',
    clause: 'RFC 5280 4.1.2.6: an emailAddress is an IA5String; 4.2.1.10',
    why: 'an emailAddress in a subject is not an IA5String, which OpenSSL refuses under any constraint on names',
    when: hasOddEmailAddress,
  },
  {
    said: /^UNSPECIFIED$/,
    rule: 'identity: a value with a control character gives no identity',
    clause: 'RFC 5280 4.2.1.10 constrains DNS names, not common names',
    why: 'a common name with a NUL, which OpenSSL checks as a DNS name',
    when: hasNul,
  },
  {
    said: NO_ISSUER,
    rule: 'name-constraints: a value that is not a string equals nothing but itself',
    clause: 'RFC 5280 4.1.2.4: the value of an attribute may be of any type',
    why: 'a constraint on directory names has a value that is not a string, so OpenSSL cannot load the extension',
    when: hasOddConstraint,
  },
  { said: /^INVALID_PURPOSE$/, ...ANY_KEY_USAGE },
  {
    said: /^PATH_LENGTH_EXCEEDED$/,
    rule: 'path-length',
    clause: 'RFC 5280 6.1.4 (l): self-issued certificates do not count',
    why: 'a self-issued authority is counted against the path length',
    when: hasSelfIssued,
  },
  {
    said: /^no handshake: ERR_OSSL_X509_KEY_VALUES_MISMATCH$/,
    rule: 'none: there is no verdict of OpenSSL',
    clause: 'RFC 8446 4.4.3: the client signs with the private key',
    why: 'the leaf has another well-formed key, and the fuzzer lacks its private key',
    when: hasOtherKey,
  },
  {
    // Or the server ends the handshake: alert 80.
    said: /^no handshake: (ERR_OSSL_ASN1_|\w+:error:0A000438:)/,
    rule: 'identity; name-constraints: such a value gives no identity and counts as excluded',
    clause: 'RFC 5280 4.1.2.4: a DirectoryString; 7.1 compares only these',
    why: 'a name has a value that is not a well-formed string of its type, so OpenSSL cannot load the certificate',
    when: hasOddString,
  },
];

/** Extensions that GnuTLS does not process. */
const UNPROCESSED: Readonly<Record<string, string>> = {
  policyConstraints: 'RFC 5280 4.2.1.11',
  policyMappings: 'RFC 5280 4.2.1.5',
  inhibitAnyPolicy: 'RFC 5280 4.2.1.14',
  crlDistributionPoints: 'RFC 5280 4.2.1.13',
};

/** Kinds of names whose constraints GnuTLS does not process. */
const UNCONSTRAINED = {
  directory: 'RFC 5280 4.2.1.10: directoryName',
  uri: 'RFC 5280 4.2.1.10: uniformResourceIdentifier',
  other: 'RFC 5280 4.2.1.10: a constraint matters only if a name of its form occurs',
} as const;

const GNUTLS: readonly (Class & Pick<Explained, 'said'>)[] = [
  { said: /signer-not-found/, ...KEY_IDENTIFIER },
  { said: /signer-not-found/, ...ISSUER_AND_SERIAL },
  {
    said: /signer-not-found/,
    rule: 'names compare by RFC 4518',
    clause: 'RFC 5280 7.1: string preparation, whatever the string type',
    why: 'issuer and subject are spelt differently, and GnuTLS compares octets',
    when: hasOtherSpelling,
  },
  ...Object.entries(UNPROCESSED).map(([name, clause]) => ({
    said: /unknown-critical-extension/,
    rule: 'critical-extensions-known',
    clause,
    why: `a critical ${name} extension, which we process and GnuTLS does not`,
    when: (mutant: Mutant) => hasExtension(mutant, EXTENSION[name as keyof typeof EXTENSION], true),
  })),
  ...Object.entries(UNCONSTRAINED).map(([kind, clause]) => ({
    said: /constraints-failure/,
    rule: 'name-constraints',
    clause,
    why: `a constraint on names of kind ${kind}, which GnuTLS refuses wherever it stands`,
    when: (mutant: Mutant) => hasConstraintOn(mutant, kind as keyof typeof UNCONSTRAINED),
  })),
  {
    said: /constraints-failure/,
    rule: 'name-constraints',
    clause: 'RFC 5280 7.2: DNS names compare without case',
    why: 'a DNS name with capital letters, which GnuTLS compares with a constraint in small letters',
    when: (mutant) => hasConstraintOn(mutant, 'dns') && hasDnsName(mutant, /[A-Z]/),
  },
  {
    said: /constraints-failure/,
    rule: 'name-constraints',
    clause: 'RFC 5280 4.2.1.10: a constraint applies only if a name of its form is present',
    why: 'the leaf has no DNS name, and GnuTLS applies DNS constraints to its common name',
    when: (mutant) => hasConstraintOn(mutant, 'dns') && !hasLeafWithDnsName(mutant),
  },
  { said: /purpose-mismatch/, ...ANY_KEY_USAGE },
  {
    said: /unreadable|constraints-failure|failed/,
    rule: 'alternative-names-well-formed is a rule of profile strict',
    clause: 'RFC 5280 4.2.1.6',
    why: 'an empty alternative name, which gives no identity',
    when: (mutant) => hasAlternativeName(mutant, (name) => 'value' in name && name.value === ''),
  },
  {
    said: /unreadable/,
    rule: 'none: issuerAltName, unless critical, is not read',
    clause: 'RFC 5280 4.2.1.7: it has no part in path validation',
    why: 'an issuerAltName that is not well-formed, so GnuTLS cannot load the certificate',
    when: (mutant) => hasExtension(mutant, ISSUER_ALT_NAME),
  },
];

export const EXPLAINED: readonly Explained[] = [
  ...OPENSSL.map((one) => ({ by: 'OpenSSL' as const, ...one })),
  ...GNUTLS.map((one) => ({ by: 'GnuTLS' as const, ...one })),
];
