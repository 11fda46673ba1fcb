import { X509Certificate } from 'node:crypto';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import { type Validity, validityOf, validityState } from '../../core/rules/expiry.ts';
import type { EpochSeconds } from '../../core/time.ts';

/** Enabled issuers whose certificate expires soon, or is not valid. */
export function endingIssuers(
  issuers: readonly Pick<ApprovedIssuer, 'label' | 'certificate' | 'enabled'>[],
  now: EpochSeconds,
): readonly { readonly label: string; readonly validity: Validity }[] {
  return issuers
    .filter(({ enabled }) => enabled)
    .map(({ label, certificate }) => ({ label, validity: validityOf(new X509Certificate(certificate)) }))
    .filter(({ validity }) => validityState(validity, now) !== 'valid');
}
