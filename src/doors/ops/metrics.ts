import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import type { Census } from '../server/places.ts';
import type { Story } from '../server/story.ts';
import { type MetricsPart, mergeParts, type PartsOfWorkers } from './merge-metrics.ts';
import { RequestTally, type Value } from './request-tally.ts';

/** What /metrics shows. Every label has a closed set of values: never an identity, an address or an unknown client_id. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = shownTally(this.#registry);
  readonly #ignoredHeaders = new Counter({
    name: 'tessera_ignored_certificate_headers_total',
    help: 'Certificate headers from addresses that are no listed proxy.',
    registers: [this.#registry],
  });

  readonly #endingSoon = new Gauge({
    name: 'tessera_grants_ending_soon',
    help: 'Grants that end within 30 days, revoked ones included, as counted every few minutes and up to 10,000.',
    aggregator: 'max',
    registers: [this.#registry],
  });

  readonly #censuses: (() => Census)[] = [];
  #gather: (() => Promise<PartsOfWorkers>) | undefined;

  readonly #eventLag = new Gauge({
    name: 'tessera_event_log_lag_seconds',
    help: 'For how long readers of the event log have been held back by a commit that does not end.',
    aggregator: 'max',
    registers: [this.#registry],
  });

  constructor() {
    showCensus(this.#registry, this.#censuses);
    collectDefaultMetrics({ register: this.#registry });
  }

  endingSoon(grants: number): void {
    this.#endingSoon.set(grants);
  }

  /** Adds a listener's requests to the gauges. */
  showPlaces(census: () => Census): void {
    this.#censuses.push(census);
  }

  eventLag(seconds: number): void {
    this.#eventLag.set(seconds);
  }

  observe(story: Story, milliseconds: number): void {
    this.#requests.add(story, milliseconds);
  }

  ignoredHeader(): void {
    this.#ignoredHeaders.inc();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** From now on, shows the metrics of all workers. `join` is given this worker's part, and returns how to get all parts. */
  shareWithWorkers(join: (ownPart: () => Promise<MetricsPart>) => () => Promise<PartsOfWorkers>): void {
    this.#gather = join(async () => (await this.#registry.getMetricsAsJSON()) as unknown as MetricsPart);
  }

  async text(): Promise<string> {
    if (!this.#gather) return this.#registry.metrics();
    const merged = new Registry();
    for (const { values, ...family } of mergeParts(await this.#gather()))
      show(merged, { ...family, values: () => values });
    return merged.metrics();
  }
}

function shownTally(registry: Registry): RequestTally {
  const tally = new RequestTally();
  show(registry, {
    name: 'tessera_requests_total',
    help: 'Requests by operation, outcome and reason of refusal.',
    type: 'counter',
    values: () => tally.counts(),
  });
  show(registry, {
    name: 'tessera_request_duration_seconds',
    help: 'Time from the first byte of a request to its answer, by operation.',
    type: 'histogram',
    values: (name) => tally.durations(name),
  });
  return tally;
}

const CENSUS: readonly (readonly [name: string, type: 'counter' | 'gauge', what: keyof Census, help: string])[] = [
  [
    'tessera_requests_in_flight',
    'gauge',
    'held',
    'Requests under way, without those for health, readiness and metrics.',
  ],
  [
    'tessera_places_living',
    'gauge',
    'living',
    'Requests under way whose connection or stream is open: the same number.',
  ],
  ['tessera_places_orphaned_total', 'counter', 'orphaned', 'Requests that outlived their connection. Not 0: a defect.'],
];

function showCensus(registry: Registry, censuses: readonly (() => Census)[]): void {
  for (const [name, type, what, help] of CENSUS) {
    const total = () => censuses.reduce((sum, census) => sum + census()[what], 0);
    const aggregator = type === 'gauge' ? 'worker' : 'sum'; // each worker has its own limit
    show(registry, { name, help, type, aggregator, values: () => [{ labels: {}, value: total() }] });
  }
}

interface Shown {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator?: string;
  readonly values: (name: string) => readonly Value[];
}

/** Registers a metric whose values are kept elsewhere. The registry calls only `get`, though its type requires more. */
function show(registry: Registry, { name, help, type, aggregator = 'sum', values }: Shown): void {
  const get = async () => ({ name, help, type, values: values(name), aggregator });
  registry.registerMetric({ name, get } as unknown as Metric);
}
