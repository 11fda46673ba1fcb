import { X509Certificate } from 'node:crypto';
import type { ApprovedIssuer } from '../../core/issuer.ts';

/** An issuer as operators see it: its settings, and the facts of its certificate. */
export interface ListedIssuer extends Omit<ApprovedIssuer, 'certificate' | 'intermediates'> {
  readonly subject: string;
  /** A date, such as 2030-01-31. */
  readonly expires: string;
  /** SHA-256 of the certificate. */
  readonly fingerprint: string;
  /** How many intermediates are stored with it. */
  readonly intermediates: number;
}

export function listedIssuer({ certificate, intermediates, ...issuer }: ApprovedIssuer): ListedIssuer {
  const { subject, validTo, fingerprint256 } = new X509Certificate(certificate);
  return {
    ...issuer,
    subject: subject.replaceAll('\n', ', '),
    expires: new Date(validTo).toISOString().slice(0, 10),
    fingerprint: fingerprint256,
    intermediates: intermediates.length,
  };
}
