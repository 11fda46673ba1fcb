import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyReply } from 'fastify';
import type { RequestRecord } from '../../src/doors/http/request-record.ts';
import { RequestTraces } from '../../src/serve/trace-requests.ts';
import type { Tracer } from '../../src/tracing/tracer.ts';

test('a request’s span does not start after what happens inside it, even if its time was counted long before it is recorded', () => {
  const span = { traceId: 't', spanId: 's', isSampled: true };
  const recorded: { readonly start: number; readonly end: number }[] = [];
  const tracer = {
    open: () => span,
    within: (_span: unknown, proceed: () => void) => proceed(),
    record: (_span: unknown, what: { start: number; end: number }) => recorded.push(what),
  };
  const traces = new RequestTraces(tracer as unknown as Tracer);
  const request = { method: 'GET', is404: true, raw: { httpVersionMajor: 1 } } as unknown as Parameters<
    RequestTraces['enter']
  >[0];
  let inside = Number.NaN;
  traces.enter(request, undefined, () => {
    inside = performance.now();
  });
  const countedMs = performance.now() - inside;
  for (const interrupted = performance.now() + 30; performance.now() < interrupted; );
  traces.leave(request, { statusCode: 200 } as FastifyReply, {} as RequestRecord, countedMs, undefined);
  const [what] = recorded;
  assert.ok(what && what.start <= inside && inside <= what.end, JSON.stringify({ inside, what }));
});
