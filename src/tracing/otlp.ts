// Spans in the JSON encoding of OTLP 1.x: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
// Ids are hex digits, 64-bit integers are texts, enumerations are numbers, names are in lowerCamelCase.
import type { Attributes, Span, SpanKind } from './tracer.ts';

const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 };
const STATUS_ERROR = 2;

/** `originMs`: the time of day when `performance.now()` was 0, in milliseconds. */
export function exportRequest(spans: readonly Span[], resource: Attributes, originMs: number): string {
  const scope = { name: 'tessera', version: resource['service.version'] };
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope, spans: spans.map((span) => spanOf(span, originMs)) }],
      },
    ],
  });
}

function spanOf({ traceId, spanId, parentId, name, kind, start, end, attributes, error }: Span, originMs: number) {
  const type = error === undefined ? attributes : { ...attributes, 'error.type': error };
  return {
    traceId,
    spanId,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(originMs + start),
    endTimeUnixNano: nanoseconds(originMs + Math.max(start, end)),
    attributes: attributesOf(type),
    ...(error !== undefined && { status: { code: STATUS_ERROR } }),
  };
}

/** A number of this size is exact in microseconds, not in nanoseconds. */
function nanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds * 1000)}000`;
}

function attributesOf(attributes: Attributes) {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValueOf(value) }],
  );
}

function anyValueOf(value: string | number | boolean) {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'string') return { stringValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** How many spans a collector refused although it replied 200: https://opentelemetry.io/docs/specs/otlp/#partial-success-1 */
export function rejectedSpans(reply: string): number {
  try {
    const { partialSuccess } = JSON.parse(reply) as { partialSuccess?: { rejectedSpans?: string | number } };
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0);
    return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0;
  } catch {
    return 0; // an empty reply means the same as {}
  }
}
