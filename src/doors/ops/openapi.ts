import { described, named, optional, type Schema, string } from '../../schema.ts';
import {
  type OpenapiOperation,
  type OpenapiPaths,
  type OpenapiResponse,
  refusalResponse,
} from '../openapi-document.ts';

const texts = (description: string) =>
  described<object>({ type: 'object', description, additionalProperties: string() });

const Health = named('Health', { status: string({ enum: ['ok'] }) });

const Readiness = named('Readiness', {
  status: string({ enum: ['ok', 'not ready'] }),
  checks: texts('Each check: ok, failing or limited.'),
  reasons: optional(texts('Why a check is not ok, by its name.')),
});

/** The neutral words of the server: this door has none of its own. */
const NeutralRefusal = named('NeutralRefusal', {
  Error: string({ enum: ['invalid_request'] }),
  Error_description: string(),
});

const json = (description: string, schema: Schema): OpenapiResponse => ({
  description,
  content: { 'application/json': { schema } },
});

const REFUSALS = {
  404: refusalResponse(404, 'This address does not serve the path.', { schema: NeutralRefusal }),
  405: refusalResponse(405, 'The path takes another method.', { schema: NeutralRefusal }),
};

/** The paths of the ops door, for an OpenAPI 3.1 document. Metrics are for operators, and not on public listeners. */
export function opsPaths(): OpenapiPaths {
  return {
    '/healthz': operationOf('healthz', 'Whether the process is there', { 200: json('OK', Health) }),
    '/readyz': operationOf('readyz', 'Whether it can serve: store, keys, clock', {
      200: json('Ready.', Readiness),
      503: json('Not ready.', Readiness),
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
