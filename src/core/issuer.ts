import type { IdentitySource, UpnComparison } from './certificate.ts';
import type { ClientId } from './integration.ts';

/** Curves of 224 bits or more that are sound, and that only some authorities need. */
export const OPTIONAL_CURVES = [
  'P-224',
  'secp256k1',
  'brainpoolP256r1',
  'brainpoolP320r1',
  'brainpoolP384r1',
  'brainpoolP512r1',
] as const;
export type OptionalCurve = (typeof OPTIONAL_CURVES)[number];

/** An issuer whose certificates may authorize (contract 5.4), pinned by its key. */
export interface ApprovedIssuer {
  /** Names the issuer towards people, and derived identities. */
  readonly label: string;
  /** The authority's certificate, root or intermediate, in DER. */
  readonly certificate: Uint8Array;
  /** Further authorities between it and the leaf, for callers and proxies that send the leaf alone. */
  readonly intermediates: readonly Uint8Array[];
  readonly identitySources: readonly IdentitySource[];
  /** `directory`: the name must lead to an identity that exists. `derived`: the identity is made from the name on first use. */
  readonly identities: 'directory' | 'derived';
  readonly profile: 'rfc5280' | 'strict';
  /** Curves that keys may use beside P-256, P-384 and P-521; profile `strict` allows none. */
  readonly curves?: readonly OptionalCurve[];
  /** Absent: user principal names are compared exactly, but for the case of the domain. */
  readonly upnComparison?: UpnComparison;
  readonly revocation: RevocationPolicy;
  /** Where given, the only integrations that this issuer's certificates may use. */
  readonly integrations?: readonly ClientId[];
  readonly enabled: boolean;
}

export interface RevocationPolicy {
  readonly crl: RevocationCheck;
  readonly ocsp: RevocationCheck;
  /** Files of CRLs, beside the distribution points that certificates name. */
  readonly crlFiles: readonly string[];
  /** Addresses and networks (CIDR) beyond the public internet from which lists and OCSP answers are fetched. */
  readonly allowedAddresses?: readonly string[];
  /** Whether the grants of a certificate end when it is found revoked. */
  readonly endGrants: boolean;
}

/** `required`: no answer is a refusal (fail closed). `if-available`: no answer is let pass. */
export type RevocationCheck = 'required' | 'if-available' | 'off';
