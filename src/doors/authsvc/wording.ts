// The status and error code of each class of refusals at this door (contract 7.1).
import { type AuthsvcReason, TO_CALLERS } from '../../core/refusal.ts';
import type { RefusalClass, ServerClass } from '../../core/refusals/declaration.ts';
import { SERVER_STATUS } from '../http/transport-refusal.ts';

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

/** Contract 7.1: an internal error is an invalid_request, and so is everything else that the server itself refuses. */
const SERVER = Object.fromEntries(
  Object.entries(SERVER_STATUS).map(([kind, status]) => [kind, { status, error: 'invalid_request' }]),
) as Readonly<Record<ServerClass, Wording>>;

/** A class that only the oauth door has: what the grant or its client would need. */
const WORDING: Readonly<Record<RefusalClass, Wording>> = {
  ...SERVER,
  'grant-type': request,
  client: grant,
  'device-flow': client,
  flow: unauthorized,
  scope,
  target: scope,
  grant,
  'code-expired': grant,
  waiting: pending,
  'too-fast': pending,
  denied: unauthorized,
  identity: unauthorized,
  certificate,
  assertion: grant,
  token,
  'token-missing': token,
  'resource-server': client,
  proof: grant,
  'not-allowed': grant,
  misused: grant,
  'response-type': grant,
  nonce: grant,
  'cursor-gone': grant,
};

export function wordingOf(reason: AuthsvcReason): Wording {
  return WORDING[TO_CALLERS[reason].class];
}

/** Verify and Revoke: whatever is wrong with the token, its grant or its holder, the token is not valid. */
export function bearerWording(reason: AuthsvcReason): Wording {
  const worded = wordingOf(reason);
  const isAboutToken = worded.status === 401 || (worded.status === 400 && reason !== 'fault');
  return isAboutToken ? token : worded;
}
