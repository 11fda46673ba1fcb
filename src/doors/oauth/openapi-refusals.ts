// The refusals of this door for the OpenAPI document.
import { type OpenapiResponse, RESPONSE_HEADERS } from '../openapi-document.ts';
import { ErrorAnswer } from './schemas.ts';

const DESCRIPTIONS = {
  400: 'Refused; error says why, error_description what to do.',
  401: 'The client or its certificate was not accepted.',
  404: 'This address does not serve the path.',
  405: 'The path takes another method.',
  410: 'The cursor or page is too old, or of another store or resource server: take a snapshot.',
  413: 'The body is too large, or in too many parts.',
  429: 'Too many requests; see Retry-After.',
  431: 'The headers are too large.',
  500: 'An internal error.',
  503: 'Temporarily unavailable: send the same request again after Retry-After.',
} as const;

export type OauthStatus = keyof typeof DESCRIPTIONS;

/** Integrations have no secret, so only resource servers always get WWW-Authenticate. */
export function refusalResponses(
  statuses: readonly OauthStatus[],
  ofResourceServer: boolean,
): Readonly<Record<string, OpenapiResponse>> {
  const responses = statuses.map((status) => [status, responseOf(status, ofResourceServer)]);
  return Object.fromEntries(responses);
}

function responseOf(status: OauthStatus, ofResourceServer: boolean): OpenapiResponse {
  const headers = headersOf(status, ofResourceServer);
  const content = { 'application/json': { schema: ErrorAnswer } };
  return { description: DESCRIPTIONS[status], ...(headers && { headers }), content };
}

function headersOf(status: OauthStatus, ofResourceServer: boolean): OpenapiResponse['headers'] {
  if (status === 405) return RESPONSE_HEADERS.allow;
  if (status === 429 || status === 503) return RESPONSE_HEADERS.retryAfter;
  return status === 401 && ofResourceServer ? RESPONSE_HEADERS.challenge : undefined;
}
