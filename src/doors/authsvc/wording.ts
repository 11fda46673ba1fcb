// The status and error code of each refusal at this door (contract 7.1).
import type { TokenReason } from '../token/descriptions.ts';

/** Every code that a refusal can carry. The last one is for Verify and Revoke alone, which take a bearer token. */
export const AUTHSVC_ERRORS = [
  'authorization_pending',
  'invalid_client',
  'invalid_request',
  'invalid_scope',
  'invalid_grant',
  'unauthorized_client',
  'invalid_token',
] as const;

export type AuthsvcError = (typeof AUTHSVC_ERRORS)[number];

export interface Wording {
  readonly status: number;
  readonly error: AuthsvcError;
}

const pending: Wording = { status: 400, error: 'authorization_pending' };
const client: Wording = { status: 400, error: 'invalid_client' };
const request: Wording = { status: 400, error: 'invalid_request' };
const scope: Wording = { status: 400, error: 'invalid_scope' };
const grant: Wording = { status: 400, error: 'invalid_grant' };
const unauthorized: Wording = { status: 400, error: 'unauthorized_client' };
const certificate: Wording = { status: 401, error: 'invalid_client' };
const token: Wording = { status: 401, error: 'invalid_token' };
const unavailable: Wording = { status: 503, error: 'invalid_request' };

/** Refusals of this door alone. */
export const AUTHSVC_REASONS = ['refresh-by-form'] as const;

export type AuthsvcReason = TokenReason | (typeof AUTHSVC_REASONS)[number];

export const WORDING: Readonly<Record<AuthsvcReason, Wording>> = {
  'request-malformed': request,
  'request-too-slow': request,
  'body-unreadable': request,
  'body-too-large': { status: 413, error: 'invalid_request' },
  'headers-too-large': { status: 431, error: 'invalid_request' },
  'body-compressed': request,
  'content-type-repeated': request,
  'content-type-unsupported': request,
  'json-required': request,
  'charset-unsupported': request,
  'parameter-not-text': request,
  'parameter-repeated': request,
  'refresh-by-form': request,
  'client-id-missing': request,
  'credential-missing': request,
  'credential-ambiguous': request,
  'grant-type-unsupported': request,
  'not-found': { status: 404, error: 'invalid_request' },
  'method-not-allowed': { status: 405, error: 'invalid_request' },
  'integration-unknown': grant,
  'integration-disabled': grant,
  'device-flow-disabled': client,
  'certificate-flow-disabled': unauthorized,
  'assertion-flow-disabled': unauthorized,
  'scope-missing': scope,
  'scope-malformed': scope,
  'scope-exceeds-integration': scope,
  'scope-exceeds-grant': scope,
  'scope-no-longer-allowed': scope,
  'resource-unknown': scope,
  'resource-outside-scope': scope,
  'resource-differs-from-grant': scope,
  'refresh-token-not-authentic': grant,
  'refresh-token-of-another-integration': grant,
  'grant-unknown': grant,
  'grant-revoked': grant,
  'grant-expired': grant,
  'refresh-not-offered': grant,
  'refresh-token-reused': grant,
  'store-rolled-back': grant,
  'certificate-binding-unmet': grant,
  'device-code-not-authentic': grant,
  'device-code-of-another-integration': grant,
  'device-code-expired': grant,
  'device-code-redeemed': grant,
  'device-code-spent': grant,
  'authorization-pending': pending,
  'polled-too-fast': pending,
  'device-denied': unauthorized,
  'identity-unknown': unauthorized,
  'identity-disabled': unauthorized,
  'identity-without-api-access': unauthorized,
  'identity-without-integration-access': unauthorized,
  'certificate-missing': certificate,
  'certificate-unreadable': certificate,
  'certificate-repeated': request,
  'certificate-issuer-not-approved': certificate,
  'certificate-not-yet-valid': certificate,
  'certificate-expired': certificate,
  'certificate-revoked': certificate,
  'certificate-revocation-unknown': certificate,
  'certificate-refused-by-policy': certificate,
  'certificate-name-missing': certificate,
  'certificate-name-ambiguous': certificate,
  'certificate-name-malformed': certificate,
  'certificate-identity-unknown': certificate,
  'certificate-identity-ambiguous': certificate,
  'issuer-not-for-integration': unauthorized,
  'assertion-malformed': grant,
  'assertion-issuer-unknown': grant,
  'assertion-not-authentic': grant,
  'assertion-expired': grant,
  'assertion-not-yet-valid': grant,
  'assertion-lifetime-too-long': grant,
  'assertion-audience-wrong': grant,
  'assertion-rule-unmatched': grant,
  'assertion-name-malformed': grant,
  'assertion-identity-unknown': grant,
  'assertion-identity-ambiguous': grant,
  'assertion-used': grant,
  'token-issuer-not-for-integration': unauthorized,
  'access-token-missing': token,
  'access-token-in-query': token,
  'access-token-not-authentic': token,
  'access-token-expired': token,
  'access-token-superseded': token,
  'access-token-of-another-integration': token,
  'resource-server-proof-missing': client,
  'resource-server-unproven': client,
  'rate-limited': { status: 429, error: 'invalid_request' },
  'store-unavailable': unavailable,
  'outcome-unknown': unavailable,
  'key-missing': unavailable,
  'revocation-unavailable': unavailable,
  'assertion-keys-unavailable': unavailable,
  overloaded: unavailable,
  fault: request, // contract 7.1: an internal error is an invalid_request
};

/** Verify and Revoke: whatever is wrong with the token, its grant or its holder, the token is not valid. */
export function bearerWording(reason: AuthsvcReason): Wording {
  const worded = WORDING[reason];
  const isAboutToken = worded.status === 401 || (worded.status === 400 && reason !== 'fault');
  return isAboutToken ? token : worded;
}
