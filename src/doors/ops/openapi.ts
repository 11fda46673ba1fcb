import {
  type OpenapiOperation,
  type OpenapiPaths,
  type OpenapiResponse,
  type OpenapiSchema,
  RESPONSE_HEADERS,
} from '../openapi-document.ts';

const text: OpenapiSchema = { type: 'string' };

const HEALTH: OpenapiSchema = {
  title: 'Health',
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string', enum: ['ok'] } },
};

const READINESS: OpenapiSchema = {
  title: 'Readiness',
  type: 'object',
  required: ['status', 'checks'],
  properties: {
    status: { type: 'string', enum: ['ok', 'not ready'] },
    checks: { type: 'object', description: 'Each check: ok, failing or limited.', additionalProperties: text },
    reasons: { type: 'object', description: 'Why a check is not ok, by its name.', additionalProperties: text },
  },
};

/** The neutral words of the server: this door has none of its own. */
const NEUTRAL_REFUSAL: OpenapiSchema = {
  title: 'NeutralRefusal',
  type: 'object',
  required: ['Error', 'Error_description'],
  properties: { Error: { type: 'string', enum: ['invalid_request'] }, Error_description: text },
};

const json = (description: string, schema: OpenapiSchema): OpenapiResponse => ({
  description,
  content: { 'application/json': { schema } },
});

const REFUSALS: Readonly<Record<string, OpenapiResponse>> = {
  404: json('This address does not serve the path.', NEUTRAL_REFUSAL),
  405: {
    ...json('The path takes another method.', NEUTRAL_REFUSAL),
    headers: RESPONSE_HEADERS.allow,
  },
};

/** The paths of the ops door, for an OpenAPI 3.1 document. Metrics are for operators, and not on public listeners. */
export function opsPaths(): OpenapiPaths {
  return {
    '/healthz': operationOf('healthz', 'Whether the process is there', { 200: json('OK', HEALTH) }),
    '/readyz': operationOf('readyz', 'Whether it can serve: store, keys, clock', {
      200: json('Ready.', READINESS),
      503: json('Not ready.', READINESS),
    }),
  };
}

function operationOf(
  operationId: string,
  summary: string,
  responses: OpenapiOperation['responses'],
): { readonly get: OpenapiOperation } {
  return { get: { operationId, summary, tags: ['ops'], security: [], responses: { ...responses, ...REFUSALS } } };
}
