// Traces of the real service, seen by a receiver that checks the OTLP rules.
// Only in test:all: traces for a collector
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { given } from '../given.ts';
import { type Answer, type Caller, json, PROTOCOLS } from './caller.ts';
import { type Behaviour, startCollector } from './collector.ts';
import type { ReceivedSpan } from './otlp-rules.ts';
import { startService, type TestService } from './service.ts';
import { CLIENT, pairByCertificate, refresh, TOKEN } from './steps.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

function traceparent(flags = '01', trace = TRACE): Record<string, string> {
  return { traceparent: `00-${trace}-${PARENT}-${flags}` };
}

/** The log lines of requests that belong to a trace. */
function linesOf({ logLines }: TestService, trace = TRACE): Record<string, unknown>[] {
  return logLines.map((line) => JSON.parse(line)).filter(({ msg, traceId }) => msg === 'request' && traceId === trace);
}

function refreshTraced(caller: Caller, refresh_token: string, headers = traceparent()): Promise<Answer> {
  const question = json({ client_id: CLIENT, refresh_token });
  return caller.ask({ path: TOKEN, ...question, headers: { ...question.headers, ...headers } });
}

async function traceEvents({ ports }: TestService): Promise<unknown[]> {
  const events = await ports.store.newestEvents({ count: 100 });
  return events.filter(({ presenter }) => presenter?.traceId === TRACE).map(({ type }) => type);
}

for (const protocol of PROTOCOLS) {
  suite(`tracing over ${protocol}`, () => {
    const collector = given(() => startCollector());
    const service = given(() =>
      startService({ settings: { tracing: { endpoint: collector.endpoint, serviceName: 'tokens' } } }),
    );
    const caller = given(() => service.caller(service.ada, protocol));
    const ofTrace = () => collector.spans.filter(({ traceId }) => traceId === TRACE);
    const named = (name: string) => ofTrace().find((span) => span.name === name) as ReceivedSpan;

    test('a refresh is a span of its caller’s trace, with the load and the commit inside it', async () => {
      const pair = await pairByCertificate(caller);
      assert.equal((await refreshTraced(caller, pair.refresh_token)).status, 200);
      await collector.until(() => ofTrace().length >= 3);
      const request = named(`POST ${TOKEN}`);
      assert.equal(request.parentSpanId, PARENT);
      assert.equal(request.kind, 2);
      const { attributes } = request;
      assert.equal(attributes['http.route'], TOKEN);
      assert.equal(attributes['http.response.status_code'], 200);
      assert.equal(attributes['tessera.operation'], 'refresh');
      assert.equal(attributes['tessera.client_id'], CLIENT);
      for (const name of ['store load grants', 'store commit grants']) {
        const inner = named(name);
        assert.equal(inner.parentSpanId, request.spanId, name);
        assert.ok(BigInt(inner.startTimeUnixNano) >= BigInt(request.startTimeUnixNano), `${name} starts inside`);
        assert.ok(BigInt(inner.endTimeUnixNano) <= BigInt(request.endTimeUnixNano), `${name} ends inside`);
      }
      assert.equal(collector.resource['service.name'], 'tokens');
    });

    test('the log line has the trace, the caller’s span and its own, and the request id of the span', () => {
      const [line] = linesOf(service);
      const { spanId, attributes } = named(`POST ${TOKEN}`);
      assert.deepEqual(
        [line?.['parentSpanId'], line?.['spanId'], line?.['id']],
        [PARENT, spanId, attributes['tessera.request_id']],
      );
    });

    test('the event of the state change has the trace', async () =>
      assert.deepEqual(await traceEvents(service), ['refreshed']));

    test('a refused request and an unknown path are spans too, without what the caller wrote', async () => {
      const other = '11111111111111111111111111111111';
      const headers = traceparent('01', other);
      await refreshTraced(caller, 'tsr_mistyped', headers);
      await caller.ask({ path: '/tsr_pasted', headers });
      const found = () => collector.spans.filter(({ traceId, kind }) => traceId === other && kind === 2);
      await collector.until(() => found().length === 2);
      const reasons = found().map(({ attributes }) => attributes['tessera.reason']);
      assert.deepEqual(new Set(reasons), new Set(['not-found', 'refresh-token-not-authentic']));
      assert.doesNotMatch(collector.bodies.join(''), /mistyped|pasted/);
    });

    test('a caller that does not record its trace is logged, but not traced', async () => {
      const quiet = '22222222222222222222222222222222';
      await refreshTraced(caller, 'x', traceparent('00', quiet));
      await refresh(caller, 'x'); // begins a trace here
      await collector.until((spans) =>
        spans.some(({ attributes, parentSpanId }) => attributes['tessera.operation'] === 'refresh' && !parentSpanId),
      );
      assert.equal(linesOf(service, quiet).length, 1);
      assert.deepEqual(
        collector.spans.filter(({ traceId }) => traceId === quiet),
        [],
      );
    });
  });
}

suite('tracing off', () => {
  const service = given(() => startService());
  const caller = given(() => service.caller(service.ada));

  test('log line and event have the caller’s trace; there is no own span', async () => {
    const { refresh_token } = await pairByCertificate(caller);
    await refreshTraced(caller, refresh_token);
    const [line] = linesOf(service);
    assert.deepEqual([line?.['parentSpanId'], line?.['spanId']], [PARENT, undefined]);
    assert.deepEqual(await traceEvents(service), ['refreshed']);
  });

  test('a malformed traceparent is ignored', async () => {
    const { refresh_token } = await pairByCertificate(caller);
    const before = linesOf(service).length;
    const answer = await refreshTraced(caller, refresh_token, { traceparent: `00-${TRACE}-${PARENT}` });
    assert.equal(answer.status, 200);
    assert.equal(linesOf(service).length, before);
    assert.doesNotMatch(service.logLines.at(-1) ?? '', /traceId/);
  });
});

/** A metric of the service. */
async function metric(caller: Caller, line: string): Promise<number> {
  const { text } = await caller.ask({ path: '/metrics' });
  return Number(
    text
      .split('\n')
      .find((each) => each.startsWith(`${line} `))
      ?.slice(line.length) ?? 0,
  );
}

/** Each of these requests is one span. */
async function askOften(caller: Caller, times: number): Promise<void> {
  for (let sent = 0; sent < times; sent += 64)
    for (const answer of await Promise.all(Array.from({ length: 64 }, () => refresh(caller, 'x'))))
      assert.equal(answer.status, 400);
}

async function withCollector(behaviour: Behaviour | 'closed', work: (caller: Caller) => Promise<void>): Promise<void> {
  const collector = await startCollector(behaviour === 'closed' ? 200 : behaviour);
  if (behaviour === 'closed') collector.close();
  const service = await startService({
    settings: { tracing: { endpoint: collector.endpoint } },
    log: { level: 'warn' },
  });
  const caller = service.caller(service.ada);
  try {
    await work(caller);
    await pairByCertificate(caller);
    assert.equal(service.logLines.filter((line) => line.includes('traces are not accepted')).length <= 1, true);
  } finally {
    caller.close();
    const start = performance.now();
    await service.stop();
    assert.ok(performance.now() - start < 5_000, 'the stop does not wait for the collector');
    collector.close();
  }
}

suite('a collector that fails harms no request', () => {
  test('if it never replies, a limited number of spans wait, and the others are dropped and counted', () =>
    withCollector('silence', async (caller) => {
      await askOften(caller, 4_096 + 2 * 256);
      assert.ok((await metric(caller, 'tessera_trace_spans_dropped_total{reason="queue-full"}')) > 0);
      // Fewer on a slow machine, where a batch was given up meanwhile; span-queue.test.ts has the exact number.
      assert.ok((await metric(caller, 'tessera_trace_spans_waiting')) <= 4_096);
    }));

  for (const behaviour of ['closed', 503] as const)
    test(`if it is ${behaviour}, a batch is dropped and counted after three attempts`, () =>
      withCollector(behaviour, async (caller) => {
        await askOften(caller, 256);
        const unsent = 'tessera_trace_spans_dropped_total{reason="unsent"}';
        await eventually('the batch is dropped', async () => (await metric(caller, unsent)) >= 256);
      }));

  test('spans that it rejects are counted', () =>
    withCollector({ rejects: 5 }, async (caller) => {
      await askOften(caller, 256);
      const rejected = 'tessera_trace_spans_dropped_total{reason="rejected"}';
      await eventually('five spans are counted', async () => (await metric(caller, rejected)) >= 5);
    }));
});
