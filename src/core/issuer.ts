import type { IdentitySource, UpnComparison } from './certificate.ts';
import type { ClientId } from './integration.ts';

/** The curves that TLS has besides the usual ones (RFC 8734); public authorities in Germany use them. */
export const OPTIONAL_CURVES = ['brainpoolP256r1', 'brainpoolP384r1', 'brainpoolP512r1'] as const;
export type OptionalCurve = (typeof OPTIONAL_CURVES)[number];

/** An issuer whose certificates callers may use (contract 5.4), pinned by its key. */
export interface ApprovedIssuer {
  /** The name of the issuer for people, and the provider label of derived identities. */
  readonly label: string;
  /** The CA's certificate, root or intermediate, in DER. */
  readonly certificate: Uint8Array;
  /** Intermediates below it, for callers and proxies that send only the leaf. */
  readonly intermediates: readonly Uint8Array[];
  readonly identitySources: readonly IdentitySource[];
  /** `directory`: the name must match an identity. `derived`: the identity is created on first use. */
  readonly identities: 'directory' | 'derived';
  /** Labels of the directories that names are looked up in; if absent, the local one. */
  readonly directories?: readonly string[];
  readonly profile: 'rfc5280' | 'strict';
  /** Curves that are allowed besides P-256, P-384 and P-521; must be empty under profile `strict`. */
  readonly curves?: readonly OptionalCurve[];
  /** The trust domains of SPIFFE IDs in its certificates; not empty if `spiffe-id` is an identity source. */
  readonly trustDomains?: readonly string[];
  /** If present, a path must be valid for one of these certificate policies. */
  readonly policies?: readonly string[];
  /** Whether keys and signatures of ML-DSA (FIPS 204) are accepted. */
  readonly mlDsa?: boolean;
  /** If absent, user principal names compare exactly, except for the case of the domain. */
  readonly upnComparison?: UpnComparison;
  readonly revocation: RevocationPolicy;
  /** If present, the only integrations that this issuer's certificates may use. */
  readonly integrations?: readonly ClientId[];
  readonly enabled: boolean;
}

export interface RevocationPolicy {
  readonly crl: RevocationCheck;
  readonly ocsp: RevocationCheck;
  /** CRL files, in addition to the distribution points in certificates. */
  readonly crlFiles: readonly string[];
  /** Addresses and networks (CIDR) off the public internet from which lists and OCSP responses may be fetched. */
  readonly allowedAddresses?: readonly string[];
  /** Whether grants end when their certificate is revoked. */
  readonly endGrants: boolean;
}

/** `required`: refuse if there is no status (fail closed). `if-available`: accept if there is no status. */
export type RevocationCheck = 'required' | 'if-available' | 'off';
