// The status and error code of each refusal at this door (contract 7.1).
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
  SCOPE_REASONS,
  STANDARD_REASONS,
} from '../../core/refusal.ts';
import { type ServerReason, TRANSPORT_WORDS, wordedAlike } from '../http/transport-refusal.ts';
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

/** Contract 7.1: an internal error is an invalid_request, and so is everything else that the server itself refuses. */
const SERVER = Object.fromEntries(
  Object.entries(TRANSPORT_WORDS).map(([reason, { status }]) => [reason, { status, error: 'invalid_request' }]),
) as Readonly<Record<ServerReason, Wording>>;

export const WORDING: Readonly<Record<AuthsvcReason, Wording>> = {
  ...SERVER,
  'refresh-by-form': request,
  'client-id-missing': request,
  'credential-missing': request,
  'credential-ambiguous': request,
  'grant-type-unsupported': request,
  'integration-unknown': grant,
  'integration-disabled': grant,
  'device-flow-disabled': client,
  'certificate-flow-disabled': unauthorized,
  'assertion-flow-disabled': unauthorized,
  ...wordedAlike(SCOPE_REASONS, scope),
  ...wordedAlike(RESOURCE_REASONS, scope),
  ...wordedAlike(GRANT_REASONS, grant),
  ...wordedAlike(DEVICE_CODE_REASONS, grant),
  'authorization-pending': pending,
  'polled-too-fast': pending,
  'device-denied': unauthorized,
  ...wordedAlike(CODE_REASONS, grant),
  ...wordedAlike(IDENTITY_REASONS, unauthorized),
  'certificate-missing': certificate,
  'certificate-repeated': request,
  ...wordedAlike(CERTIFICATE_VERDICTS, certificate),
  ...wordedAlike(CERTIFICATE_NAME_VERDICTS, certificate),
  'issuer-not-for-integration': unauthorized,
  ...wordedAlike(ASSERTION_VERDICTS, grant),
  ...wordedAlike(ASSERTION_IDENTITY_VERDICTS, grant),
  'assertion-used': grant,
  'token-issuer-not-for-integration': unauthorized,
  ...wordedAlike(ACCESS_TOKEN_REASONS, token),
  'resource-server-proof-missing': client,
  'resource-server-unproven': client,
  ...wordedAlike(STANDARD_REASONS, grant),
  'cap-reached': { status: 429, error: 'invalid_request' },
  'revocation-unavailable': unavailable,
  'assertion-keys-unavailable': unavailable,
};

/** Verify and Revoke: whatever is wrong with the token, its grant or its holder, the token is not valid. */
export function bearerWording(reason: AuthsvcReason): Wording {
  const worded = WORDING[reason];
  const isAboutToken = worded.status === 401 || (worded.status === 400 && reason !== 'fault');
  return isAboutToken ? token : worded;
}
