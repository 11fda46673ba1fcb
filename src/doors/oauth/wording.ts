// The status and error code of each class of refusals at this door (RFC 6749 5.2, RFC 8628 3.5, RFC 7009 2.2.1).
import { type OauthReason, type Refusal, TO_CALLERS } from '../../core/refusal.ts';
import type { RefusalClass } from '../../core/refusals/declaration.ts';

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
export type GrantCredential = 'device-code' | 'code' | 'refresh-token' | 'certificate' | 'assertion' | 'subject-token';
/** `client`: what the client authenticates with. */
export type Credential = GrantCredential | 'client' | 'resource-server';

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
  certificate: unauthorized,
  assertion: unauthorized,
  'subject-token': unauthorized,
  'device-code': denied,
  code: grant,
  'refresh-token': grant,
  client,
  'resource-server': client,
};

/** RFC 7521 4.2.1: the same assertion may authenticate the client, or be the grant. */
const assertion: typeof identity = {
  certificate: grant,
  assertion: grant,
  'device-code': grant,
  code: grant,
  'refresh-token': grant,
  // RFC 8693 2.2.2
  'subject-token': request,
  client,
  'resource-server': client,
};

const WORDING: Readonly<Record<RefusalClass, Wording | typeof identity>> = {
  request,
  'body-too-large': { status: 413, error: 'invalid_request' },
  'headers-too-large': { status: 431, error: 'invalid_request' },
  'path-unknown': { status: 404, error: 'invalid_request' },
  'method-wrong': { status: 405, error: 'invalid_request' },
  'too-many': { status: 429, error: 'slow_down' },
  unavailable,
  fault: { status: 500, error: 'server_error' },
  'grant-type': { status: 400, error: 'unsupported_grant_type' },
  'response-type': { status: 400, error: 'unsupported_response_type' },
  client,
  'device-flow': unauthorized,
  flow: unauthorized,
  'not-allowed': unauthorized,
  misused: request,
  scope,
  target,
  grant,
  'code-expired': { status: 400, error: 'expired_token' },
  waiting: pending,
  'too-fast': { status: 400, error: 'slow_down' },
  denied,
  identity,
  certificate: client,
  assertion,
  token: grant,
  'token-missing': request,
  'resource-server': client,
  proof,
  nonce: { status: 400, error: 'use_dpop_nonce' },
  'cursor-gone': { status: 410, error: 'invalid_request' },
};

export function wordingOf(reason: OauthReason, credential: Credential = 'certificate'): Wording {
  const wording = WORDING[TO_CALLERS[reason].class];
  return 'status' in wording ? wording : wording[credential];
}
