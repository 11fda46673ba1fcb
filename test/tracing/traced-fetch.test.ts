import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Fetch } from '../../src/outbound/download.ts';
import { systemRandom } from '../../src/system.ts';
import { tracedFetch } from '../../src/tracing/traced-fetch.ts';
import type { Span } from '../../src/tracing/tracer.ts';
import { Tracer } from '../../src/tracing/tracer.ts';

const URL_OF_OCSP = 'http://ocsp.example:8080/MFowWDBW?x=y';

function fetching(answer: () => number, samplePercent = 100) {
  const spans: Span[] = [];
  const headers: (Readonly<Record<string, string>> | undefined)[] = [];
  const tracer = new Tracer({ random: systemRandom, samplePercent, record: (span) => spans.push(span) });
  const fetch: Fetch = async (_url, init) => {
    headers.push(init.headers);
    const status = answer();
    return { ok: status === 200, status, headers: { get: () => null }, body: null };
  };
  const traced = tracedFetch(fetch, tracer);
  const call = () => traced(URL_OF_OCSP, { redirect: 'error', signal: new AbortController().signal });
  return { spans, tracer, headers, call };
}

suite('requests to CRL and OCSP servers', () => {
  test('are spans of the request that needs them, with the host but without the path', async () => {
    const { spans, tracer, call, headers } = fetching(() => 200);
    const request = tracer.open(undefined);
    await tracer.within(request, call);
    const [{ parentId, traceId, kind, attributes, error } = {} as Span] = spans;
    assert.deepEqual([parentId, traceId, kind, error], [request.spanId, request.traceId, 'client', undefined]);
    assert.equal(attributes['server.address'], 'ocsp.example:8080');
    assert.equal(attributes['http.response.status_code'], 200);
    assert.doesNotMatch(JSON.stringify(spans), /MFow/);
    assert.deepEqual(headers, [undefined], 'they do not learn the trace');
  });

  test('in the background begin a trace of their own', async () => {
    const { spans, call } = fetching(() => 503);
    await call();
    assert.deepEqual([spans[0]?.parentId, spans[0]?.error], [undefined, '503']);
  });

  test('that fail are recorded, and fail for the caller too', async () => {
    const { spans, call } = fetching(() => {
      throw new TypeError('connecting to 192.0.2.1 timed out');
    });
    await assert.rejects(call, /timed out/);
    assert.equal(spans[0]?.error, 'TypeError');
    assert.doesNotMatch(JSON.stringify(spans), /192\.0\.2\.1/);
  });

  test('are recorded by share: none at 0 percent, about a third at 33', async () => {
    const none = fetching(() => 200, 0);
    const third = fetching(() => 200, 33);
    for (let n = 0; n < 1000; n++) await Promise.all([none.call(), third.call()]);
    assert.equal(none.spans.length, 0);
    assert.ok(third.spans.length > 250 && third.spans.length < 410, `${third.spans.length}`);
  });
});
