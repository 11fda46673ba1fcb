// The type of a rule about one certificate of a path, and of the step that reports it.
import type { ApprovedIssuer } from '../../core/issuer.ts';
import type { RefusalReason } from '../../core/refusal.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { Step } from '../../core/verdict.ts';
import { type Certificate, isSelfSigned } from '../x509/certificate.ts';

/** A revocation signer signs CRLs or OCSP responses with its own key and ends a path as a leaf does. */
export type Role = 'approved issuer' | 'intermediate' | 'leaf' | 'revocation signer';

export interface Position {
  readonly certificate: Certificate;
  readonly role: Role;
  /** Whether the next certificate down the path has an authority key identifier. */
  readonly isNamedByKey: boolean;
  /** Only the rules about validity may use it: what the others find is kept as long as a certificate is valid. */
  readonly now: EpochSeconds;
  readonly policy: PathPolicy;
}

/** The approved issuer's settings for the paths below it. */
export type PathPolicy = Pick<
  ApprovedIssuer,
  'profile' | 'curves' | 'identitySources' | 'trustDomains' | 'policies' | 'mlDsa'
>;

export interface Rule {
  readonly rule: string;
  readonly clause: string;
  readonly words: string;
  /** `strict` rules apply only to issuers with that profile. */
  readonly profile?: 'strict';
  readonly roles: readonly Role[];
  readonly holds: (position: Position) => boolean;
  readonly found?: (certificate: Certificate) => string;
  readonly reason?: RefusalReason;
  /** The setting that decides, if it is not the profile. */
  readonly setting?: (policy: PathPolicy) => string;
}

export const EVERY_ROLE: readonly Role[] = ['approved issuer', 'intermediate', 'leaf', 'revocation signer'];
export const BELOW_ISSUER: readonly Role[] = ['intermediate', 'leaf', 'revocation signer'];
export const AUTHORITIES: readonly Role[] = ['approved issuer', 'intermediate'];

export function isCritical(certificate: Certificate, oid: string): boolean {
  return certificate.extensions.some((extension) => extension.oid === oid && extension.critical);
}

export function isRoot({ certificate, role }: Position): boolean {
  return role === 'approved issuer' && isSelfSigned(certificate);
}

export function step(rule: string, passed: boolean, about: string, words: string, more: Partial<Step> = {}): Step {
  return { rule, passed, about, words, reason: 'certificate-refused-by-policy', ...more };
}
