import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import type { Census } from '../server/places.ts';
import type { Story } from '../server/story.ts';
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
    registers: [this.#registry],
  });

  readonly #censuses: (() => Census)[] = [];

  readonly #eventLag = new Gauge({
    name: 'tessera_event_log_lag_seconds',
    help: 'For how long readers of the event log have been held back by a commit that does not end.',
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

  text(): Promise<string> {
    return this.#registry.metrics();
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

const CENSUS: readonly (readonly [name: string, type: Shown['type'], what: keyof Census, help: string])[] = [
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
    show(registry, { name, help, type, values: () => [{ labels: {}, value: total() }] });
  }
}

interface Shown {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly values: (name: string) => readonly Value[];
}

/** Registers a metric whose values are kept elsewhere. The registry calls only `get`, though its type requires more. */
function show(registry: Registry, { name, help, type, values }: Shown): void {
  const get = async () => ({ name, help, type, values: values(name), aggregator: 'sum' });
  registry.registerMetric({ name, get } as unknown as Metric);
}
