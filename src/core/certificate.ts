// What a certificate says about the caller, as plain data. Parsing DER and validating paths is done in pki/.
import type { Hex } from './hex.ts';
import { accept, type Outcome, refuse } from './outcome.ts';

/** contract 5.4: which name identifies the caller; a setting of the approved issuer. */
export const IDENTITY_SOURCES = ['common-name', 'email-san', 'upn-san'] as const;
export type IdentitySource = (typeof IDENTITY_SOURCES)[number];

/** `active-directory`: user principal names ignore ASCII case in both parts, as in Active Directory. */
export const UPN_COMPARISONS = ['exact', 'active-directory'] as const;
export type UpnComparison = (typeof UPN_COMPARISONS)[number];

/** A name as encoded in the DER: its ASN.1 string type matters as much as its characters. */
export interface NameValue {
  readonly type: 'utf8' | 'printable' | 'ia5' | 'other';
  readonly value: string;
}

/** The candidate names of a leaf certificate, complete and in certificate order. */
export type CertificateNames = Readonly<Record<IdentitySource, readonly NameValue[]>>;

/**
 * What a grant stores about its certificate: enough to bind a refresh to it and to find the grant when it is revoked.
 */
export interface CertificateMark {
  /** First 16 bytes of SHA-256 over the issuer's key and the serial number. */
  readonly certificate: Hex;
  /** First 16 bytes of SHA-256 over the approved issuer's public key. */
  readonly issuerKey: Hex;
  /** SHA-256 over the certificate's own public key. */
  readonly key: Hex;
}

/** The one name that identifies the caller, normalised for comparison. */
export interface CallerName {
  readonly source: IdentitySource;
  readonly name: string;
}

const STRING_TYPES: Readonly<Record<IdentitySource, readonly NameValue['type'][]>> = {
  'common-name': ['utf8', 'printable'],
  'email-san': ['ia5'],
  'upn-san': ['utf8'],
};

const NAME_MAX_LENGTH = 256;
// Control characters, format characters (bidi overrides, zero-width), surrogates, private use; invisible characters
// (fillers, variation selectors, the empty Braille cell, the object replacement character); and every space except the
// ASCII one.
const UNPRINTABLE =
  /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}\u{13441}\u{13442}]|[^\P{Zs} ]/u;

/** The first source in the list that is present wins. Two candidates inside a source are refused, never picked from. */
export function callerName(
  names: CertificateNames,
  sources: readonly IdentitySource[],
  upns: UpnComparison = 'exact',
): Outcome<CallerName> {
  for (const source of sources) {
    const candidates = names[source];
    const [candidate] = candidates;
    if (!candidate) continue;
    if (candidates.length > 1) return refuse('certificate-name-ambiguous', { rule: source });
    if (!isWellFormed(source, candidate)) return refuse('certificate-name-malformed', { rule: source });
    return accept({ source, name: foldName(source, candidate.value, upns) });
  }
  return refuse('certificate-name-missing', { rule: sources.join(', ') });
}

function isWellFormed(source: IdentitySource, { type, value }: NameValue): boolean {
  if (!STRING_TYPES[source].includes(type)) return false;
  if (value.length === 0 || value.length > NAME_MAX_LENGTH || value.trim() !== value) return false;
  if (UNPRINTABLE.test(value)) return false;
  return source === 'common-name' || /^[^@\s]+@[^@\s]+$/.test(value);
}

/** Exact characters, except that the domain part of an address ignores ASCII case. A Cyrillic а is not an a. */
export function foldName(source: IdentitySource, value: string, upns: UpnComparison = 'exact'): string {
  if (source === 'common-name') return value;
  if (source === 'upn-san' && upns === 'active-directory') return foldAscii(value);
  const at = value.lastIndexOf('@');
  return value.slice(0, at) + foldAscii(value.slice(at));
}

function foldAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
