// The verdict on a presented certificate, as plain data. pki/ makes it; operations, the log and the dry run read it.
import type { CallerName, CertificateMark } from './certificate.ts';
import type { Hex } from './hex.ts';
import type { ApprovedIssuer } from './issuer.ts';
import type { Outcome } from './outcome.ts';
import type { ClaimedCaller, RefusalReason } from './refusal.ts';
import type { EpochSeconds } from './time.ts';

/** A certificate that chains to an approved issuer and passed every rule. */
export interface AcceptedCertificate {
  readonly issuer: ApprovedIssuer;
  readonly name: CallerName;
  readonly mark: CertificateMark;
  /** SHA-256 of the certificate, as DER. */
  readonly thumbprint: Hex;
  /** When the verdict lapses: the earliest end of a validity on the path or of the revocation data used. */
  readonly until: EpochSeconds;
}

/** One rule and its result. The dry run prints every step; the log of a refused request uses the same words. */
export interface Step {
  /** Name of the rule, as the refusal carries it. */
  readonly rule: string;
  readonly passed: boolean;
  /** Which certificate, or which part of the path. */
  readonly about: string;
  /** What the rule demands and, where it says more, what was found. */
  readonly words: string;
  /** The setting that makes the rule apply, where one does. */
  readonly setting?: string;
  /** What a failure means to the caller. */
  readonly reason: RefusalReason;
}

export interface Verdict {
  readonly outcome: Outcome<AcceptedCertificate>;
  /** The rules that were checked, in order; empty if there was no readable certificate to judge. */
  readonly steps: readonly Step[];
  /** The approved issuer at the top of the path, if a path was found. */
  readonly issuer?: ApprovedIssuer;
  /** Set whenever a path was found, so that the grants of a revoked certificate can be found. */
  readonly mark?: CertificateMark;
  /** Of a certificate that can be parsed. */
  readonly claimed?: ClaimedCaller;
}
