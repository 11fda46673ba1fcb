// The status and error code of each refusal at this door (RFC 6749 5.2, RFC 8628 3.5, RFC 7009 2.2.1).
import {
  ACCESS_TOKEN_REASONS,
  ASSERTION_IDENTITY_VERDICTS,
  ASSERTION_VERDICTS,
  CERTIFICATE_NAME_VERDICTS,
  CERTIFICATE_VERDICTS,
  CODE_REASONS,
  DEVICE_CODE_REASONS,
  GRANT_REASONS,
  IDENTITY_REASONS,
  RESOURCE_REASONS,
  type Refusal,
  SCOPE_REASONS,
} from '../../core/refusal.ts';
import { REQUEST_REASONS, UNAVAILABLE_REASONS, wordedAlike } from '../http/transport-refusal.ts';
import type { TokenReason } from '../token/descriptions.ts';

export const OAUTH_ERRORS = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'invalid_target',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
  'authorization_pending',
  'slow_down',
  'access_denied',
  'expired_token',
  'temporarily_unavailable',
  'server_error',
  'invalid_dpop_proof',
  'use_dpop_nonce',
] as const;

export type OauthError = (typeof OAUTH_ERRORS)[number];

export interface Wording {
  readonly status: number;
  readonly error: OauthError;
}

/** What the caller presented. The same objection to an identity has another code for each. */
const GRANT_CREDENTIALS = [
  'device-code',
  'code',
  'refresh-token',
  'certificate',
  'assertion',
  'subject-token',
] as const;
export type GrantCredential = (typeof GRANT_CREDENTIALS)[number];
/** `client`: what the client authenticates with. */
export type Credential = GrantCredential | 'client' | 'resource-server';

/** Refusals of this door alone. */
export const OAUTH_REASONS = [
  'grant-type-missing',
  'client-authentication-unsupported',
  'client-authentication-repeated',
  'client-assertion-type-unsupported',
  'client-id-ambiguous',
  'token-type-unsupported',
  'dpop-proof-invalid',
  'dpop-nonce-needed',
  'dpop-proofs-too-many',
  'token-missing',
  'cursor-missing',
  'cursor-gone',
] as const;

export type OauthReason = TokenReason | (typeof OAUTH_REASONS)[number];

export type OauthRefusal = Refusal<OauthReason> & { readonly credential?: Credential };

const pending: Wording = { status: 400, error: 'authorization_pending' };
const client: Wording = { status: 401, error: 'invalid_client' };
const request: Wording = { status: 400, error: 'invalid_request' };
const scope: Wording = { status: 400, error: 'invalid_scope' };
const target: Wording = { status: 400, error: 'invalid_target' };
const grant: Wording = { status: 400, error: 'invalid_grant' };
const unauthorized: Wording = { status: 400, error: 'unauthorized_client' };
const proof: Wording = { status: 400, error: 'invalid_dpop_proof' };
const denied: Wording = { status: 400, error: 'access_denied' };
const unavailable: Wording = { status: 503, error: 'temporarily_unavailable' };

const identity: Readonly<Record<Credential, Wording>> = {
  ...wordedAlike(GRANT_CREDENTIALS, unauthorized),
  'device-code': denied,
  code: grant,
  'refresh-token': grant,
  client,
  'resource-server': client,
};

/** RFC 7521 4.2.1: the same assertion may authenticate the client, or be the grant. */
const asserted: typeof identity = {
  ...wordedAlike(GRANT_CREDENTIALS, grant),
  // RFC 8693 2.2.2
  'subject-token': request,
  client,
  'resource-server': client,
};

const OAUTH_WORDING: Readonly<Record<OauthReason, Wording | typeof identity>> = {
  ...wordedAlike(REQUEST_REASONS, request),
  'body-too-large': { status: 413, error: 'invalid_request' },
  'headers-too-large': { status: 431, error: 'invalid_request' },
  'client-id-missing': request,
  'client-id-ambiguous': request,
  'client-authentication-unsupported': client,
  'client-authentication-repeated': request,
  'credential-missing': request,
  'credential-ambiguous': request,
  'token-missing': request,
  'cursor-missing': request,
  'cursor-gone': { status: 410, error: 'invalid_request' },
  'grant-type-missing': request,
  'grant-type-unsupported': { status: 400, error: 'unsupported_grant_type' },
  'not-found': { status: 404, error: 'invalid_request' },
  'method-not-allowed': { status: 405, error: 'invalid_request' },
  'integration-unknown': client,
  'integration-disabled': client,
  'device-flow-disabled': unauthorized,
  'certificate-flow-disabled': unauthorized,
  'assertion-flow-disabled': unauthorized,
  ...wordedAlike(SCOPE_REASONS, scope),
  ...wordedAlike(RESOURCE_REASONS, target),
  ...wordedAlike(GRANT_REASONS, grant),
  ...wordedAlike(DEVICE_CODE_REASONS, grant),
  'device-code-expired': { status: 400, error: 'expired_token' },
  'authorization-pending': pending,
  'polled-too-fast': { status: 400, error: 'slow_down' },
  'device-denied': denied,
  ...wordedAlike(CODE_REASONS, grant),
  'code-flow-disabled': unauthorized,
  'response-type-unsupported': { status: 400, error: 'unsupported_response_type' },
  'code-challenge-missing': request,
  ...wordedAlike(IDENTITY_REASONS, identity),
  'certificate-missing': client,
  'certificate-repeated': request,
  ...wordedAlike(CERTIFICATE_VERDICTS, client),
  ...wordedAlike(CERTIFICATE_NAME_VERDICTS, client),
  'issuer-not-for-integration': unauthorized,
  ...wordedAlike(ASSERTION_VERDICTS, asserted),
  ...wordedAlike(ASSERTION_IDENTITY_VERDICTS, asserted),
  'assertion-used': asserted,
  'token-issuer-not-for-integration': unauthorized,
  'client-unproven': client,
  'client-authentication-required': client,
  'grant-of-oauth-door': grant,
  'assertion-of-another-integration': grant,
  'subject-token-invalid': request,
  'exchange-not-allowed': unauthorized,
  'exchange-unbound': request,
  'dpop-proof-missing': proof,
  'dpop-key-differs': grant,
  'dpop-proof-invalid': proof,
  'dpop-nonce-needed': { status: 400, error: 'use_dpop_nonce' },
  'dpop-proofs-too-many': { status: 429, error: 'slow_down' },
  'client-assertion-type-unsupported': request,
  'token-type-unsupported': request,
  ...wordedAlike(ACCESS_TOKEN_REASONS, grant),
  'access-token-missing': request,
  'access-token-in-query': request,
  'resource-server-proof-missing': client,
  'resource-server-unproven': client,
  'rate-limited': { status: 429, error: 'slow_down' },
  'cap-reached': { status: 429, error: 'slow_down' },
  ...wordedAlike(UNAVAILABLE_REASONS, unavailable),
  'revocation-unavailable': unavailable,
  'assertion-keys-unavailable': unavailable,
  fault: { status: 500, error: 'server_error' },
};

export function wordingOf(reason: OauthReason, credential: Credential = 'certificate'): Wording {
  const wording = OAUTH_WORDING[reason];
  return 'status' in wording ? wording : wording[credential];
}
