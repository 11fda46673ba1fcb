// The rules for ExportTraceServiceRequest in JSON, by other code than that which writes it. Field names and types are those of
// opentelemetry/proto/trace/v1/trace.proto; the JSON form is https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
import assert from 'node:assert/strict';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly status?: { readonly code: number };
}

type Check = (value: unknown, at: string) => void;
type Fields = Readonly<Record<string, Check>>;

function message(required: Fields, optional: Fields = {}): Check {
  return (value, at) => {
    assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), `${at}: not an object`);
    const known = { ...required, ...optional };
    for (const name of Object.keys(required)) assert.ok(name in value, `${at}.${name} is missing`);
    for (const [name, inner] of Object.entries(value)) {
      const check = known[name];
      assert.ok(check, `${at}.${name}: no such field`);
      check(inner, `${at}.${name}`);
    }
  };
}

function listOf(check: Check): Check {
  return (value, at) => {
    assert.ok(Array.isArray(value), `${at}: not a list`);
    for (const [index, inner] of value.entries()) check(inner, `${at}[${index}]`);
  };
}

function text(form: RegExp): Check {
  return (value, at) => {
    assert.ok(typeof value === 'string', `${at}: not a text`);
    assert.match(value, form, at);
  };
}

const oneOf =
  (...allowed: readonly unknown[]): Check =>
  (value, at) =>
    assert.ok(allowed.includes(value), `${at}: ${value}`);

const anyText = text(/^/);
const int64 = text(/^-?(0|[1-9][0-9]{0,18})$/);
const nanoseconds = text(/^1[0-9]{18}$/); // from 2001 to 2033
const traceId = text(/^(?!0{32})[0-9a-f]{32}$/);
const spanId = text(/^(?!0{16})[0-9a-f]{16}$/);

const VALUES: Fields = {
  stringValue: anyText,
  intValue: int64,
  boolValue: oneOf(true, false),
  doubleValue: (value, at) => assert.ok(typeof value === 'number', at),
};

const anyValue: Check = (value, at) => {
  message({}, VALUES)(value, at);
  assert.equal(Object.keys(value as object).length, 1, `${at}: exactly one kind of value`);
};

const attributes = listOf(message({ key: text(/^[a-z][a-z0-9._]*$/), value: anyValue }));

const span = message(
  {
    ...{ traceId, spanId, name: text(/./), kind: oneOf(1, 2, 3, 4, 5) },
    ...{ startTimeUnixNano: nanoseconds, endTimeUnixNano: nanoseconds },
  },
  {
    parentSpanId: spanId,
    attributes,
    status: message({}, { code: oneOf(0, 1, 2), message: anyText }),
    traceState: anyText,
  },
);

const request = message({
  resourceSpans: listOf(
    message({
      resource: message({ attributes }),
      scopeSpans: listOf(message({ scope: message({ name: anyText }, { version: anyText }), spans: listOf(span) })),
    }),
  ),
});

interface RawSpan extends Omit<ReceivedSpan, 'attributes'> {
  readonly attributes?: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

interface RawRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: NonNullable<RawSpan['attributes']> };
    readonly scopeSpans: readonly { readonly spans: readonly RawSpan[] }[];
  }[];
}

/** Throws if the body breaks a rule. */
export function parseExport(body: string): { spans: ReceivedSpan[]; resource: ReceivedSpan['attributes'] } {
  const parsed = JSON.parse(body) as RawRequest;
  request(parsed, 'request');
  const spans = parsed.resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
    .map(readSpan);
  for (const { name, startTimeUnixNano, endTimeUnixNano } of spans)
    assert.ok(BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano), `${name} ends before it starts`);
  return { spans, resource: readAttributes(parsed.resourceSpans[0]?.resource.attributes) };
}

function readSpan(raw: RawSpan): ReceivedSpan {
  return { ...raw, attributes: readAttributes(raw.attributes) };
}

function readAttributes(listed: RawSpan['attributes'] = []): ReceivedSpan['attributes'] {
  const keys = listed.map(({ key }) => key);
  assert.equal(new Set(keys).size, keys.length, 'no key occurs twice');
  return Object.fromEntries(
    listed.map(({ key, value }) => [key, 'intValue' in value ? Number(value['intValue']) : Object.values(value)[0]]),
  ) as ReceivedSpan['attributes'];
}
