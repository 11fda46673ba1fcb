// Refusals of rules and operations, in two closed lists: for callers (programs) and for people.
// Each token door has a table with all reasons for callers, the pages have one with all reasons for people; a reason added here
// does not compile until they have it. Refusals of the server are in src/doors/http/transport-refusal.ts, those of the pages
// alone in src/doors/pages/parts/wording.ts.
import type { IdentityId } from './identity.ts';
import type { Seconds } from './time.ts';

// Groups of reasons. Where a door words a whole group alike, it names the group: a new reason of the group is worded there.

export const SCOPE_REASONS = [
  'scope-missing',
  'scope-malformed',
  'scope-exceeds-integration',
  'scope-exceeds-grant',
  'scope-no-longer-allowed',
] as const;

export type ScopeReason = (typeof SCOPE_REASONS)[number];

/** About the resource servers that the request names (RFC 8707). */
export const RESOURCE_REASONS = ['resource-unknown', 'resource-outside-scope', 'resource-differs-from-grant'] as const;

/** About the grant and its refresh token. */
export const GRANT_REASONS = [
  'refresh-token-not-authentic',
  'refresh-token-of-another-integration',
  'grant-unknown',
  'grant-revoked',
  'grant-expired',
  'refresh-not-offered',
  'refresh-token-reused',
  'store-rolled-back',
  'certificate-binding-unmet',
] as const;

export const DEVICE_CODE_REASONS = [
  'device-code-not-authentic',
  'device-code-of-another-integration',
  'device-code-expired',
  'device-code-redeemed',
  'device-code-spent',
  // also of an authorization code
  'code-ended',
] as const;

export const ACCESS_TOKEN_REASONS = [
  'access-token-missing',
  'access-token-in-query',
  'access-token-not-authentic',
  'access-token-expired',
  'access-token-superseded',
  'access-token-of-another-integration',
] as const;

/** Verdicts on one presented certificate. Each has a line in the log with the rule, the profile and the setting. */
export const CERTIFICATE_VERDICTS = [
  'certificate-unreadable',
  'certificate-issuer-not-approved',
  'certificate-not-yet-valid',
  'certificate-expired',
  'certificate-revoked',
  'certificate-revocation-unknown',
  'certificate-refused-by-policy',
] as const;

/** Verdicts on the name in an accepted certificate. */
export const CERTIFICATE_NAME_VERDICTS = [
  'certificate-name-missing',
  'certificate-name-ambiguous',
  'certificate-name-malformed',
  'certificate-identity-unknown',
  'certificate-identity-ambiguous',
] as const;

export const ASSERTION_VERDICTS = [
  'assertion-malformed',
  'assertion-issuer-unknown',
  'assertion-algorithm-not-allowed',
  'assertion-not-authentic',
  'assertion-expired',
  'assertion-not-yet-valid',
  'assertion-lifetime-too-long',
  'assertion-audience-wrong',
  'assertion-rule-unmatched',
  'assertion-name-malformed',
] as const;

/** Verdicts on the identity that an accepted assertion names. */
export const ASSERTION_IDENTITY_VERDICTS = ['assertion-identity-unknown', 'assertion-identity-ambiguous'] as const;

export const CODE_REASONS = [
  'code-flow-disabled',
  'redirect-uri-unknown',
  'response-type-unsupported',
  'code-challenge-missing',
  'code-not-authentic',
  'code-expired',
  'code-redeemed',
] as const;

/** About integrations that authenticate, token exchange and DPoP. Only the oauth door has these; authsvc refuses grants that need them. */
export const STANDARD_REASONS = [
  'client-unproven',
  'client-authentication-required',
  'grant-of-oauth-door',
  'assertion-of-another-integration',
  'subject-token-invalid',
  'exchange-not-allowed',
  'exchange-unbound',
  'dpop-proof-missing',
  'dpop-key-differs',
] as const;

/** What is wrong with the identity that a grant belongs to. */
export const IDENTITY_REASONS = [
  'identity-unknown',
  'identity-disabled',
  'identity-without-api-access',
  'identity-without-integration-access',
] as const;

/** A device asks before the person has confirmed (RFC 8628 3.5). Nothing went wrong. */
export const WAITING_REASONS = ['authorization-pending', 'polled-too-fast'] as const;

/** For callers. */
export const REFUSAL_REASONS = [
  // what the request asks for
  'client-id-missing',
  'credential-missing',
  'credential-ambiguous',
  'grant-type-unsupported',
  // the integration
  'integration-unknown',
  'integration-disabled',
  'device-flow-disabled',
  'certificate-flow-disabled',
  'assertion-flow-disabled',
  ...SCOPE_REASONS,
  ...RESOURCE_REASONS,
  ...GRANT_REASONS,
  // the device authorization
  ...DEVICE_CODE_REASONS,
  ...WAITING_REASONS,
  'device-denied',
  // the authorization code
  ...CODE_REASONS,
  // the identity
  ...IDENTITY_REASONS,
  // the presented certificate
  'certificate-missing',
  'certificate-repeated',
  ...CERTIFICATE_VERDICTS,
  ...CERTIFICATE_NAME_VERDICTS,
  'issuer-not-for-integration',
  // the assertion
  ...ASSERTION_VERDICTS,
  ...ASSERTION_IDENTITY_VERDICTS,
  'assertion-used',
  'token-issuer-not-for-integration',
  ...ACCESS_TOKEN_REASONS,
  // the resource server that asks about a token
  'resource-server-proof-missing',
  'resource-server-unproven',
  ...STANDARD_REASONS,
  // the state of the service
  'rate-limited',
  'cap-reached',
  'revocation-unavailable',
  'assertion-keys-unavailable',
] as const;

export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** What identified callers cause in the store, with a cap for each identity. `reports`: of a spent token that is only reported. */
export type CappedUse = 'grants' | 'refreshes' | 'reports';

/** Charges an identity, once however often a rule calls it; a refresh, its grant first. The refusal if one is over its cap. */
export type OverCap = (use: CappedUse, identityId: IdentityId, grantId?: string) => Refusal | undefined;

/** For people only. */
export const PERSON_REASONS = [
  // the device authorization
  'user-code-unknown',
  'user-code-attempts-exhausted',
  'decision-final',
  'decision-elsewhere',
  // the request of a program that waits for an authorization code
  'request-too-old',
  'client-document-refused',
  'client-document-unavailable',
  // sign-in
  'sign-in-failed',
  'sign-in-too-soon',
  'sign-in-attempts-exhausted',
  'provider-sign-in-refused',
  'passkey-refused',
  'passkeys-exhausted',
  'invitation-refused',
] as const;

/** For callers and for people. */
export const SHARED_REASONS = [
  'integration-unknown',
  'integration-disabled',
  'device-flow-disabled',
  'device-code-expired',
  'device-code-spent',
  'code-ended',
  'code-flow-disabled',
  'redirect-uri-unknown',
  ...IDENTITY_REASONS,
  'rate-limited',
] as const satisfies readonly RefusalReason[];

export type SharedReason = (typeof SHARED_REASONS)[number];
export type PersonReason = (typeof PERSON_REASONS)[number] | SharedReason;

export interface Refusal<R extends string = RefusalReason> {
  readonly reason: R;
  readonly retryAfter?: Seconds;
  /** The rule for certificates or assertions that failed, for the log and the dry runs. */
  readonly rule?: string;
  /** Whose request it was, if that is known: for the log and the console. */
  readonly identityId?: string;
  readonly claimed?: ClaimedCaller | undefined;
}

/** What a refused caller said of itself, or asked for, for operators. Anybody can send that: its texts are escaped and short. */
export interface ClaimedCaller {
  /** Of a certificate; the serial number in hex. */
  readonly subject?: string;
  readonly issuer?: string;
  readonly serial?: string | undefined;
  /** The issuer or token issuer as registered here, even if it was removed. It signed the certificate; an assertion only names it. */
  readonly label?: string | undefined;
  /** Of a refusal for scope: the scope that was asked for, or that the grant has. */
  readonly scope?: string;
  /** The request that sent it. */
  readonly requestId?: string;
}
