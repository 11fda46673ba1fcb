// Tracing as configured. Its modules are loaded only if it is on.
import type { Config } from '../config/schema.ts';
import type { Log } from '../log/log.ts';
import type { Clock } from '../operations/ports.ts';
import type { Fetch } from '../outbound/download.ts';
import { endsWithin } from '../serve/watch.ts';
import type { Store } from '../store/store.ts';
import { systemRandom } from '../system.ts';
import { VERSION } from '../version.ts';

export type Tracing = NonNullable<Awaited<ReturnType<typeof startTracing>>>;

/** How long the collector may take to accept a batch. */
const POST_MS = 10_000;
/** How long a stop waits for the last spans. */
const STOP_MS = 1_000;

export async function startTracing({ tracing }: Config, nodeName: string, clock: Clock, log: Log) {
  const { endpoint, samplePercent, serviceName } = tracing;
  if (endpoint === undefined) return undefined;
  const { exportRequest } = await import('../tracing/otlp.ts');
  const { poster } = await import('../tracing/post.ts');
  const { SpanQueue } = await import('../tracing/span-queue.ts');
  const { Tracer } = await import('../tracing/tracer.ts');
  const { tracedStore } = await import('../tracing/traced-store.ts');
  const { tracedFetch } = await import('../tracing/traced-fetch.ts');
  const { RequestTraces } = await import('../serve/trace-requests.ts');
  const resource = {
    'service.name': serviceName,
    'service.version': VERSION,
    'service.instance.id': nodeName,
    'process.pid': process.pid,
  };
  const origin = timeOrigin(clock);
  const queue = new SpanQueue({
    post: poster(endpoint, POST_MS),
    encode: (spans) => exportRequest(spans, resource, origin()),
    news: {
      failing: (why) => log.warn({ endpoint, why }, 'traces are not accepted: spans are dropped'),
      worksAgain: () => log.info({ endpoint }, 'traces are accepted again'),
    },
  });
  const tracer = new Tracer({ random: systemRandom, samplePercent, record: (span) => queue.add(span) });
  return {
    requests: new RequestTraces(tracer),
    traceStore: (store: Store) => tracedStore(store, tracer),
    traceFetch: (fetch: Fetch) => tracedFetch(fetch, tracer),
    tally: () => queue.tally(),
    stop: async () => void (await endsWithin(STOP_MS, queue.stop())),
  };
}

/** Follows the clock only if it was set: the milliseconds of the clock would make spans jitter. */
const CLOCK_WAS_SET_MS = 20;

function timeOrigin({ milliseconds }: Clock): () => number {
  let origin = performance.timeOrigin;
  return () => {
    const before = performance.now();
    const current = milliseconds() - before;
    const wasInterrupted = performance.now() - before > CLOCK_WAS_SET_MS;
    if (!wasInterrupted && Math.abs(current - origin) > CLOCK_WAS_SET_MS) origin = current;
    return origin;
  };
}
