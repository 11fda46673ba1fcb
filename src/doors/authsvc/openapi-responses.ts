// Responses and examples for the OpenAPI document of this door.
import type { Schema } from '../../schema.ts';
import { type OpenapiResponse, type OpenapiSchema, RESPONSE_HEADERS } from '../openapi-document.ts';
import { errorBody } from './answers.ts';
import { ERROR_BODIES, type ErrorKeys } from './schemas.ts';
import type { AuthsvcError } from './wording.ts';

/** What decides which refusals an operation has. */
export interface Refusals {
  readonly refuses: readonly AuthsvcError[];
  readonly unauthorized?: AuthsvcError;
  readonly takesBody: boolean;
  readonly isBearer: boolean;
}

/** Every refusal of an operation by status, worded with the error keys of its mount. */
export function refusalResponses(refusals: Refusals, keys: ErrorKeys): Readonly<Record<string, OpenapiResponse>> {
  const { refuses, unauthorized, takesBody, isBearer } = refusals;
  const refusal = (
    description: string,
    headers?: OpenapiResponse['headers'],
    error: AuthsvcError = 'invalid_request',
  ) => ({
    description,
    ...(headers && { headers }),
    content: { 'application/json': { schema: ERROR_BODIES[keys], example: errorBody(error, description, keys) } },
  });
  const [first = 'invalid_request'] = refuses;
  return {
    400: refusal(`Refused: ${refuses.join(', ')}. The description says what to do.`, undefined, first),
    ...(unauthorized && {
      401: isBearer
        ? refusal('The access token was not accepted.', RESPONSE_HEADERS.challenge, unauthorized)
        : refusal('The client certificate was not accepted.', undefined, unauthorized),
    }),
    404: refusal('This address does not serve the operation. Check the path.'),
    405: refusal('The path takes another method.', RESPONSE_HEADERS.allow),
    ...(takesBody && { 413: refusal('The body is too large, or in too many parts.') }),
    429: refusal('Too many requests. Wait, then ask again.', RESPONSE_HEADERS.retryAfter),
    431: refusal('The request headers are too large.'),
    503: refusal(
      'Temporarily unavailable. Wait, then send exactly the same request again: it may have been carried out.',
      RESPONSE_HEADERS.retryAfter,
    ),
  };
}

/** An object made of the first example, or the first allowed value, of each property. */
export function exampleOf(schema: Schema): Readonly<Record<string, unknown>> {
  const { properties = {}, required = [] } = schema as OpenapiSchema;
  const shown = Object.entries(properties).filter(([name, { examples }]) => examples || required.includes(name));
  return Object.fromEntries(shown.map(([name, { examples, enum: allowed }]) => [name, examples?.[0] ?? allowed?.[0]]));
}
