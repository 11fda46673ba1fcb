// Every way the service says no to a caller. Each dialect words each of them in one table; a reason added here does not
// compile until every dialect has words for it.
import type { Seconds } from './time.ts';

export const REFUSAL_REASONS = [
  // the request itself
  'request-malformed',
  'request-too-slow',
  'body-unreadable',
  'body-too-large',
  'headers-too-large',
  'content-type-unsupported',
  'form-stale',
  'parameter-not-text',
  'parameter-repeated',
  'refresh-by-form',
  'client-id-missing',
  'credential-missing',
  'credential-ambiguous',
  'grant-type-unsupported',
  'cursor-not-authentic',
  'not-found',
  'method-not-allowed',
  // the integration
  'integration-unknown',
  'integration-disabled',
  'device-flow-disabled',
  'certificate-flow-disabled',
  // the scope
  'scope-missing',
  'scope-malformed',
  'scope-exceeds-integration',
  'scope-no-longer-allowed',
  // the grant and its refresh token
  'refresh-token-not-authentic',
  'refresh-token-of-another-integration',
  'grant-unknown',
  'grant-revoked',
  'grant-expired',
  'refresh-not-offered',
  'refresh-token-reused',
  'store-rolled-back',
  'certificate-binding-unmet',
  // the device authorization
  'device-code-not-authentic',
  'device-code-of-another-integration',
  'device-code-expired',
  'device-code-redeemed',
  'device-code-spent',
  'authorization-pending',
  'polled-too-fast',
  'device-denied',
  'user-code-unknown',
  'user-code-attempts-exhausted',
  'decision-final',
  'decision-elsewhere',
  // the identity
  'identity-unknown',
  'identity-disabled',
  'identity-without-api-access',
  'identity-without-integration-access',
  'sign-in-failed',
  'sign-in-too-soon',
  'sign-in-attempts-exhausted',
  // the presented certificate
  'certificate-missing',
  'certificate-unreadable',
  'certificate-repeated',
  'certificate-issuer-not-approved',
  'certificate-not-yet-valid',
  'certificate-expired',
  'certificate-revoked',
  'certificate-revocation-unknown',
  'certificate-refused-by-policy',
  'certificate-name-missing',
  'certificate-name-ambiguous',
  'certificate-name-malformed',
  'certificate-identity-unknown',
  'certificate-identity-ambiguous',
  'issuer-not-for-integration',
  // the access token
  'access-token-missing',
  'access-token-in-query',
  'access-token-not-authentic',
  'access-token-expired',
  'access-token-superseded',
  // the state of the service
  'rate-limited',
  'store-unavailable',
  'outcome-unknown',
  'key-missing',
  'revocation-unavailable',
  'overloaded',
  'shutting-down',
  'fault',
] as const;

export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export interface Refusal {
  readonly reason: RefusalReason;
  /** When a retry makes sense. */
  readonly retryAfter?: Seconds;
  /** The certificate rule that failed, for the log and for `certificate explain`. */
  readonly rule?: string;
}
