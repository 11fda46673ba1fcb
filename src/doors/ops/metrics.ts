import type { Registry } from 'prom-client';
import type { Counts } from '../../core/figures.ts';
import type { StoreFigures } from '../../store/store.ts';
import type { RequestRecord } from '../http/request-record.ts';
import { type MetricsPart, mergeParts, type PartsOfWorkers } from './merge-metrics.ts';
import { RequestTally } from './request-tally.ts';
import { histogram, type Shown, show, type Value } from './show-metric.ts';

/** What one listener has in use, and the most it may use. */
export interface ListenerLoad {
  /** Requests under way. */
  readonly held: number;
  /** Requests under way whose connection is open. */
  readonly living: number;
  readonly orphaned: number;
  readonly places: number;
  readonly connections: number;
  readonly mostConnections: number;
}

/** Kept elsewhere, and read with each scrape. */
export interface WatchedFigures {
  readonly store?: () => StoreFigures;
  /** How the export of traces is doing. */
  readonly spans?: (() => SpanTally) | undefined;
  readonly droppedLists?: () => number;
  readonly isReady?: () => boolean;
  /** The memory of DPoP proofs. */
  readonly proofs?: () => { readonly used: number; readonly most: number };
}

interface SpanTally {
  readonly sent: number;
  readonly dropped: Readonly<Record<string, number>>;
  readonly waiting: number;
}

/** What /metrics shows. Every label has a closed set of values: never an identity, an address or an unknown client_id. */
export class Metrics {
  readonly #watched: WatchedFigures;
  readonly #requests = new RequestTally();
  readonly #loads: (() => ListenerLoad)[] = [];
  readonly #directories = new Map<string, Value>();
  #ignoredHeaders = 0;
  #siblings = 0;
  endingGrants = 0;
  endingSecrets = 0;
  endingCertificates: Readonly<Record<string, number>> = {};
  certificateEnd: number | undefined;
  eventLag = 0;
  #gather: (() => Promise<PartsOfWorkers>) | undefined;
  #registered: Promise<Registry> | undefined;

  constructor(watched: WatchedFigures = {}) {
    this.#watched = watched;
  }

  /** Only where metrics are served, and once the service listens: prom-client loads 88 modules. */
  registered(): Promise<Registry> {
    this.#registered ??= this.#register();
    return this.#registered;
  }

  async #register(): Promise<Registry> {
    const { collectDefaultMetrics, Registry } = await import('prom-client');
    const registry = new Registry();
    const metrics = { ...this.#own(), ...this.#load(), ...ofStore(this.#watched), ...ofOthers(this.#watched) };
    for (const [name, { values, ...metric }] of Object.entries(metrics))
      show(registry, { ...metric, name, values: () => valuesOf(values(name)) });
    collectDefaultMetrics({ register: registry });
    return registry;
  }

  #own(): ByName {
    const requests = this.#requests;
    return {
      tessera_requests_total: counter('Requests by operation, outcome and reason of refusal.', () => requests.counts()),
      tessera_request_duration_seconds: durations(
        'Time from the first byte of a request to its answer, by operation.',
        (name) => requests.durations(name),
      ),
      tessera_ignored_certificate_headers_total: counter(
        'Certificate headers from addresses that are no listed proxy.',
        () => this.#ignoredHeaders,
      ),
      tessera_sibling_refreshes_total: counter(
        'Refreshes with a spent token of a program that shares its login.',
        () => this.#siblings,
      ),
      tessera_grants_ending_soon: highest(
        'Grants that end within 30 days, as counted every few minutes.',
        () => this.endingGrants,
      ),
      tessera_client_secrets_ending_soon: highest(
        'Integrations whose last generated secret ends soon, or has ended.',
        () => this.endingSecrets,
      ),
      tessera_certificates_ending_soon: highest(
        'Certificates of listeners and of enabled issuers that expire soon, or that are not valid.',
        () => byLabel('of', this.endingCertificates),
      ),
      tessera_server_certificate_expires_timestamp_seconds: lowest(
        'When the first server certificate of the listeners expires.',
        () => this.certificateEnd,
      ),
      tessera_directory_outcomes_total: counter(
        'What rechecks of directories found: identities rechecked and ended, alarms (too many ended), and times that one was away.',
        () => [...this.#directories.values()],
      ),
      tessera_event_log_lag_seconds: highest(
        'For how long readers of the event log have been held back by a commit that does not end.',
        () => this.eventLag,
      ),
    };
  }

  /** The sum over listeners. Each worker has its own limits, so workers are kept apart. */
  #load(): ByName {
    const sum = (what: keyof ListenerLoad) => () => this.#loads.reduce((total, load) => total + load()[what], 0);
    const { proofs } = this.#watched;
    const active = () => performance.eventLoopUtilization().active / 1000;
    const load: ByName = {
      tessera_requests_in_flight: gauge(
        'Requests under way, without those for health, readiness and metrics.',
        sum('held'),
      ),
      tessera_slots_held: gauge(
        'Requests under way whose connection or stream is open: the same number.',
        sum('living'),
      ),
      tessera_slots_orphaned: gauge('Requests that outlived their connection. Not 0: a defect.', sum('orphaned')),
      tessera_slots_limit: gauge('The most requests that may be under way, over all listeners.', sum('places')),
      tessera_connections: gauge(
        'Open connections, those that are in their TLS handshake included.',
        sum('connections'),
      ),
      tessera_connections_limit: gauge('The most connections, over all listeners.', sum('mostConnections')),
      tessera_event_loop_active_seconds_total: counter(
        'Time in which the event loop had something to do. Its rate is the utilization of a process, from 0 to 1.',
        active,
      ),
      tessera_dpop_proofs_remembered: gauge('DPoP proofs that cannot be used again.', () => proofs?.().used),
      tessera_dpop_proofs_limit: gauge(
        'The most that are remembered. Before that, their keys get 429.',
        () => proofs?.().most,
      ),
    };
    return Object.fromEntries(
      Object.entries(load).map(([name, metric]) => [name, { ...metric, aggregator: 'worker' }]),
    );
  }

  watchListener(load: () => ListenerLoad): void {
    this.#loads.push(load);
  }

  readonly directory = (label: string, outcomes: Partial<Record<DirectoryOutcome, number>>): void => {
    for (const [outcome, count] of Object.entries(outcomes)) {
      const key = `${label} ${outcome}`;
      const value = (this.#directories.get(key)?.value ?? 0) + count;
      this.#directories.set(key, { labels: { directory: label, outcome }, value });
    }
  };

  /** Everything that was counted since the start. */
  totals(): Counts {
    return this.#requests.totals();
  }

  observe(record: RequestRecord, milliseconds: number): void {
    this.#requests.add(record, milliseconds);
  }

  ignoredHeader(): void {
    this.#ignoredHeaders += 1;
  }

  sibling(): void {
    this.#siblings += 1;
  }

  /** From now on, shows the metrics of all workers. `join` is given this worker's part, and returns how to get all parts. */
  shareWithWorkers(join: (ownPart: () => Promise<MetricsPart>) => () => Promise<PartsOfWorkers>): void {
    this.#gather = join(async () => (await (await this.registered()).getMetricsAsJSON()) as unknown as MetricsPart);
  }

  async text(): Promise<string> {
    const own = await this.registered();
    if (!this.#gather) return own.metrics();
    const merged = new (await import('prom-client')).Registry();
    for (const { values, ...family } of mergeParts(await this.#gather()))
      show(merged, { ...family, values: () => values });
    return merged.metrics();
  }
}

type DirectoryOutcome = 'rechecked' | 'ended' | 'alarm' | 'away';

function ofStore({ store }: WatchedFigures): ByName {
  const sessions = () => store?.().sessions;
  return {
    tessera_store_commit_duration_seconds: durations(
      'Time of a transaction until it is durable. Changes that wait at the same moment share one.',
      (name) => histogram(name, {}, store?.().commits),
    ),
    tessera_store_read_duration_seconds: durations(
      'Time of a read from PostgreSQL, with the wait for a session. Reads of one table that wait at the same moment share one.',
      (name) => histogram(name, {}, store?.().reads),
    ),
    tessera_store_commits_waiting: gauge('Changes that wait for the transaction before them.', () => store?.().waiting),
    tessera_store_wal_bytes: highest('Size of the WAL file of SQLite.', () => store?.().walBytes),
    tessera_store_sessions: gauge('Sessions to PostgreSQL by state: busy or idle.', () => {
      const { open, idle } = sessions() ?? {};
      return open === undefined || idle === undefined ? undefined : byLabel('state', { busy: open - idle, idle });
    }),
    tessera_store_sessions_limit: gauge('The most sessions to PostgreSQL that may be open.', () => sessions()?.limit),
    tessera_store_sessions_waiting: gauge(
      'Statements that wait for a free session to PostgreSQL.',
      () => sessions()?.waiting,
    ),
  };
}

function ofOthers({ spans, droppedLists, isReady }: WatchedFigures): ByName {
  const lists = 'Fetched revocation lists that were dropped because of a limit.';
  return {
    tessera_ready: lowest('Whether /readyz is 200: 1, or 0.', () => isReady && Number(isReady())),
    ...(droppedLists && { tessera_revocation_lists_dropped_total: counter(lists, droppedLists) }),
    tessera_trace_spans_sent_total: counter('Spans that the collector accepted.', () => spans?.().sent),
    tessera_trace_spans_dropped_total: counter('Spans that were lost, by reason.', () =>
      byLabel('reason', spans?.().dropped ?? {}),
    ),
    tessera_trace_spans_waiting: gauge(
      'Spans that wait to be sent, of at most 4096 in each process.',
      () => spans?.().waiting,
    ),
  };
}

function byLabel(label: string, values: Readonly<Record<string, number>>): Value[] {
  return Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }));
}

/** A number stands for a value without labels. */
type Values = (name: string) => readonly Value[] | number | undefined;

interface Metric extends Omit<Shown, 'name' | 'values'> {
  readonly values: Values;
}

type ByName = Readonly<Record<string, Metric>>;

const metricOf =
  (type: Shown['type'], aggregator?: Shown['aggregator']) =>
  (help: string, values: Values): Metric => ({ help, type, aggregator, values });

const counter = metricOf('counter');
const gauge = metricOf('gauge');
/** Of the values of workers, the highest or the lowest. */
const highest = metricOf('gauge', 'max');
const lowest = metricOf('gauge', 'min');
const durations = metricOf('histogram');

function valuesOf(given: ReturnType<Values>): readonly Value[] {
  return typeof given === 'number' ? [{ labels: {}, value: given }] : (given ?? []);
}
