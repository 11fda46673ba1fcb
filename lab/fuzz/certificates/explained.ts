// Why we accept what another verifier refuses. A class that is not here fails the run.
import { EXTENSION } from '../../../src/pki/x509/extensions.ts';
import { ANY_USAGE } from '../../../test/pki/corpus/pieces.ts';
import {
  hasAlternativeName,
  hasConstraintOn,
  hasExtension,
  hasOtherKeyIdentifier,
  hasOtherSpelling,
  hasSelfIssued,
  hasUsage,
} from './facts.ts';
import type { Mutant } from './mutant.ts';

export interface Explained {
  readonly by: 'OpenSSL' | 'GnuTLS';
  /** What the other says. */
  readonly said: RegExp;
  readonly why: string;
  readonly when?: (mutant: Mutant) => boolean;
}

const NO_ISSUER = /^UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT|GET_ISSUER_CERT_LOCALLY)$/;

export const EXPLAINED: readonly Explained[] = [
  {
    by: 'OpenSSL',
    said: NO_ISSUER,
    when: hasOtherKeyIdentifier,
    why: 'a key identifier that is not the issuer’s: to us it is a hint, and the signature decides (profile strict refuses)',
  },
  {
    by: 'GnuTLS',
    said: /signer-not-found/,
    when: hasOtherKeyIdentifier,
    why: 'a key identifier that is not the issuer’s: to us it is a hint, and the signature decides (profile strict refuses)',
  },
  {
    by: 'GnuTLS',
    said: /signer-not-found/,
    when: hasOtherSpelling,
    why: 'names compared octet for octet, where RFC 5280 7.1 compares characters',
  },
  {
    by: 'OpenSSL',
    said: NO_ISSUER,
    when: hasOtherSpelling,
    why: 'names compared by a simpler folding than RFC 4518, which RFC 5280 7.1 demands',
  },
  {
    by: 'OpenSSL',
    said: /^INVALID_PURPOSE$/,
    when: (mutant) => hasUsage(mutant, ANY_USAGE),
    why: 'any usage is not taken for clientAuth, as RFC 5280 4.2.1.12 allows (profile strict refuses)',
  },
  {
    by: 'OpenSSL',
    said: /^PATH_LENGTH_EXCEEDED$/,
    when: hasSelfIssued,
    why: 'a self-issued authority is counted against the path length (RFC 5280 6.1.4 l does not)',
  },
  {
    by: 'OpenSSL',
    said: /^no handshake: ERR_OSSL_X509_KEY_VALUES_MISMATCH$/,
    why: 'the leaf’s key was changed into another good one, to which the fuzzer has no private key',
  },
  {
    by: 'OpenSSL',
    said: /^no handshake: ERR_OSSL_ASN1_(MSTRING|INVALID_UTF8|INVALID_BMP|INVALID_UNIVERSAL|BMPSTRING|UNIVERSALSTRING|ILLEGAL)/,
    why: 'a value in a name that is not a well-formed string: it names nobody, and does not hinder the path',
  },
  {
    by: 'GnuTLS',
    said: /unknown-critical-extension/,
    when: (mutant) =>
      [
        EXTENSION.policyConstraints,
        EXTENSION.policyMappings,
        EXTENSION.inhibitAnyPolicy,
        EXTENSION.crlDistributionPoints,
      ].some((oid) => hasExtension(mutant, oid, true)),
    why: 'critical policy extensions, which GnuTLS does not process and we do',
  },
  {
    by: 'GnuTLS',
    said: /constraints-failure/,
    when: (mutant) => (['directory', 'uri', 'other'] as const).some((kind) => hasConstraintOn(mutant, kind)),
    why: 'constraints on directory names, URIs and other names, which GnuTLS refuses wherever they stand',
  },
  {
    by: 'GnuTLS',
    said: /purpose-mismatch/,
    when: (mutant) => hasUsage(mutant, ANY_USAGE),
    why: 'any usage is not taken for clientAuth, as RFC 5280 4.2.1.12 allows (profile strict refuses)',
  },
  {
    by: 'GnuTLS',
    said: /unreadable|constraints-failure|failed/,
    when: (mutant) => hasAlternativeName(mutant, (name) => 'value' in name && name.value === ''),
    why: 'an empty alternative name that gives no identity (profile strict refuses)',
  },
  {
    by: 'OpenSSL',
    said: NO_ISSUER,
    when: (mutant) => hasAlternativeName(mutant, ({ kind }) => kind === 'other'),
    why: 'an otherName of a kind that nobody reads holds a malformed string',
  },
];
