import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Story } from '../story.ts';

/** What /metrics shows. Labels are closed sets: never an identity, an address or a client_id of a stranger. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: 'tessera_requests_total',
    help: 'Requests by operation, outcome and reason of refusal.',
    labelNames: ['operation', 'outcome', 'reason'],
    registers: [this.#registry],
  });
  readonly #duration = new Histogram({
    name: 'tessera_request_duration_seconds',
    help: 'Time from the first byte of a request to its answer, by operation.',
    labelNames: ['operation'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [this.#registry],
  });
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

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  endingSoon(grants: number): void {
    this.#endingSoon.set(grants);
  }

  observe({ operation, outcome, reason }: Story, milliseconds: number): void {
    this.#requests.inc({ operation, outcome, reason: reason ?? 'none' });
    this.#duration.observe({ operation }, milliseconds / 1000);
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
