import type { OpenapiOperation, OpenapiPaths } from '../openapi-document.ts';

const PATHS: readonly (readonly [path: string, summary: string, type: string])[] = [
  ['/healthz', 'Whether the process is there', 'application/json'],
  ['/readyz', 'Whether it can serve: store, keys, clock', 'application/json'],
  ['/metrics', 'Metrics in Prometheus form', 'text/plain'],
];

/** The paths of the ops door, for an OpenAPI 3.1 document. */
export function opsPaths(): OpenapiPaths {
  return Object.fromEntries(
    PATHS.map(([path, summary, type]) => [path, { get: operationOf(path.slice(1), summary, type) }]),
  );
}

function operationOf(operationId: string, summary: string, type: string): OpenapiOperation {
  const unready = operationId === 'readyz' ? { 503: { description: 'Not ready.' } } : {};
  return {
    operationId,
    summary,
    tags: ['ops'],
    responses: { 200: { description: 'OK', content: { [type]: {} } }, ...unready },
  };
}
