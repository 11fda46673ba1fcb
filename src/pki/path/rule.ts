// What a rule for a single certificate is. The rules themselves: form-rules.ts, then rules.ts.
import type { ApprovedIssuer } from '../../core/issuer.ts';
import type { RefusalReason } from '../../core/refusal.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { Step } from '../../core/verdict.ts';
import type { Certificate } from '../x509/certificate.ts';

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
  /** What it demands, and the clause. */
  readonly words: string;
  /** `strict` rules apply only to issuers with that profile. */
  readonly profile?: 'strict';
  /** Absent: every role. */
  readonly roles?: readonly Role[];
  readonly holds: (position: Position) => boolean;
  readonly found?: (certificate: Certificate) => string;
  readonly reason?: RefusalReason;
  /** The setting that decides, if it is not the profile. */
  readonly setting?: (policy: PathPolicy) => string;
}

/** By name, in the order in which they are checked. */
export type Rules = Readonly<Record<string, Rule>>;

export function isCritical(certificate: Certificate, oid: string): boolean {
  return certificate.extensions.some((extension) => extension.oid === oid && extension.critical);
}

export function step(rule: string, passed: boolean, about: string, words: string, more: Partial<Step> = {}): Step {
  return { rule, passed, about, words, reason: 'certificate-refused-by-policy', ...more };
}
