// What a caller presents and what a certificate says about the caller, as plain data. pki/ reads DER and validates paths.
import type { Hex } from './hex.ts';
import { accept, type Outcome, refuse } from './outcome.ts';

/** Certificates in DER, leaf first. */
export type PresentedChain = readonly Uint8Array[];

export const MAX_PRESENTED = 32;

/** How a proxy passes on a client certificate. */
export type CertificateHeader = 'rfc9440' | 'url-encoded-pem' | 'xfcc';

/** What a connection presents. Headers are not parsed yet: it takes 3 to 120 µs, and most requests need no certificate. */
export type Presented =
  /** Sent in the TLS handshake; the chain is empty if the client sent none. */
  | {
      readonly by: 'handshake';
      readonly chain: PresentedChain;
      /** A peer that is not a listed proxy sent a certificate header, which is ignored. */
      readonly hasIgnoredHeader: boolean;
    }
  /** Sent by a listed proxy: every line of the header, in order, and of the header for the rest of the chain. */
  | {
      readonly by: 'header';
      readonly header: CertificateHeader;
      readonly lines: readonly string[];
      readonly chainLines: readonly string[];
    }
  /** A listed proxy connects, and certificate headers are off. */
  | { readonly by: 'nothing' };

export function isPresented(presented: Presented): presented is Exclude<Presented, { by: 'nothing' }> {
  if (presented.by === 'nothing') return false;
  return (presented.by === 'handshake' ? presented.chain : presented.lines).length > 0;
}

/** contract 5.4: where the identity is taken from, as the approved issuer's settings say. A SPIFFE ID is ours to add. */
export const IDENTITY_SOURCES = ['common-name', 'email-san', 'upn-san', 'spiffe-id'] as const;
export type IdentitySource = (typeof IDENTITY_SOURCES)[number];

/** `active-directory`: user principal names ignore ASCII case in both parts, as in Active Directory. */
export const UPN_COMPARISONS = ['exact', 'active-directory'] as const;
export type UpnComparison = (typeof UPN_COMPARISONS)[number];

/** A name as encoded in the DER. Its ASN.1 string type matters as much as its characters. */
export interface NameValue {
  readonly type: 'utf8' | 'printable' | 'ia5' | 'other';
  readonly value: string;
}

/** All names of a leaf certificate by source, in the order of the certificate. */
export type CertificateNames = Readonly<Record<IdentitySource, readonly NameValue[]>>;

/** What a grant stores about its certificate: enough to bind refreshes to it and to find the grant on revocation. */
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
  'spiffe-id': ['ia5'],
};

const SPIFFE_MAX_LENGTH = 2048;

/** SPIFFE-ID 2: the trust domain and path of a SPIFFE ID; undefined if it is malformed. */
export function readSpiffeId(uri: string): { readonly domain: string; readonly path: string } | undefined {
  const [, domain, path] = /^spiffe:\/\/([a-z0-9._-]{1,255})((?:\/[A-Za-z0-9._-]+)*)$/.exec(uri) ?? [];
  if (domain === undefined || path === undefined || uri.length > SPIFFE_MAX_LENGTH) return undefined;
  return path.split('/').some((segment) => segment === '.' || segment === '..') ? undefined : { domain, path };
}

const NAME_MAX_LENGTH = 256;
// Controls, format characters (bidi overrides, zero-width), surrogates, private use; invisible characters (fillers,
// variation selectors, the empty Braille cell, the object replacement character); and every space except ASCII space.
const UNPRINTABLE =
  /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}\u{13441}\u{13442}]|[^\P{Zs} ]/u;

/** The first source with a name wins. Two names in that source are a refusal; we never pick one. */
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
  // X.509-SVID 5.2: the path of a leaf is not empty.
  if (source === 'spiffe-id') return (readSpiffeId(value)?.path ?? '') !== '';
  if (!STRING_TYPES[source].includes(type) || !isPlainName(value)) return false;
  return source === 'common-name' || /^[^@\s]+@[^@\s]+$/.test(value);
}

/** Whether a text is readable and cannot be mistaken for another: required for the name of an identity. */
export function isPlainName(value: string): boolean {
  if (value.length === 0 || value.length > NAME_MAX_LENGTH || value.trim() !== value) return false;
  return !UNPRINTABLE.test(value);
}

/** Lower-cases ASCII letters in the domain part of an address; everything else is compared exactly. A Cyrillic а is not an a. */
export function foldName(source: IdentitySource, value: string, upns: UpnComparison = 'exact'): string {
  if (source === 'common-name' || source === 'spiffe-id') return value;
  if (source === 'upn-san' && upns === 'active-directory') return foldAscii(value);
  const at = value.lastIndexOf('@');
  return value.slice(0, at) + foldAscii(value.slice(at));
}

function foldAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
