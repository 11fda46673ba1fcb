import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Counts } from '../../core/figures.ts';
import type { StoreFigures } from '../../store/store.ts';
import type { Story } from '../http/story.ts';
import { type ListenerLoad, showLoad } from './load-metrics.ts';
import { type MetricsPart, mergeParts, type PartsOfWorkers } from './merge-metrics.ts';
import { RequestTally } from './request-tally.ts';
import { type Shown, show, single } from './show-metric.ts';
import { type SpanTally, showSpans } from './span-metrics.ts';
import { showStore } from './store-metrics.ts';

export type DirectoryOutcome = 'rechecked' | 'ended' | 'alarm' | 'away';

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
    help: 'Grants that end within 30 days, as counted every few minutes.',
    aggregator: 'max',
    registers: [this.#registry],
  });

  readonly #endingSecrets = new Gauge({
    name: 'tessera_client_secrets_ending_soon',
    help: 'Integrations whose last generated secret ends within 14 days, or has ended.',
    aggregator: 'max',
    registers: [this.#registry],
  });

  readonly #directories = new Counter({
    name: 'tessera_directory_outcomes_total',
    help: 'What rechecks of directories found: identities rechecked and ended, alarms (too many ended), and times that one was away.',
    labelNames: ['directory', 'outcome'],
    registers: [this.#registry],
  });

  lag = 0;
  readonly #loads: (() => ListenerLoad)[] = [];
  #figures: (() => StoreFigures) | undefined;
  #spans: (() => SpanTally) | undefined;
  #gather: (() => Promise<PartsOfWorkers>) | undefined;

  readonly #eventLag = new Gauge({
    name: 'tessera_event_log_lag_seconds',
    help: 'For how long readers of the event log have been held back by a commit that does not end.',
    aggregator: 'max',
    registers: [this.#registry],
  });

  constructor() {
    showLoad(this.#registry, this.#loads);
    showStore(this.#registry, () => this.#figures?.());
    showSpans(this.#registry, () => this.#spans?.());
    collectDefaultMetrics({ register: this.#registry });
  }

  endingSoon(grants: number): void {
    this.#endingSoon.set(grants);
  }

  endingSecrets(integrations: number): void {
    this.#endingSecrets.set(integrations);
  }

  /** Adds what a listener has in use. */
  watchListener(load: () => ListenerLoad): void {
    this.#loads.push(load);
  }

  watchStore(figures: () => StoreFigures): void {
    this.#figures = figures;
  }

  watchSpans(tally: () => SpanTally): void {
    this.#spans = tally;
  }

  watchLists(dropped: () => number): void {
    show(this.#registry, {
      name: 'tessera_revocation_lists_dropped_total',
      help: 'Fetched revocation lists that were dropped because of a limit.',
      type: 'counter',
      values: () => single(dropped()),
    });
  }

  readonly directory = (label: string, outcomes: Partial<Record<DirectoryOutcome, number>>): void => {
    for (const [outcome, count] of Object.entries(outcomes))
      this.#directories.inc({ directory: label, outcome }, count);
  };

  eventLag(seconds: number): void {
    this.#eventLag.set(seconds);
    this.lag = seconds;
  }

  /** Everything that was counted since the start. */
  totals(): Counts {
    return this.#requests.totals();
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
    for (const { values, type, ...family } of mergeParts(await this.#gather()))
      show(merged, { ...family, type: type as Shown['type'], aggregator: 'sum', values: () => values });
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
