import type { Metric, Registry } from 'prom-client';
import { DURATION_BOUNDS, type Durations } from '../../store/duration-tally.ts';

export interface Value {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** If it differs from the metric's own name. */
  readonly metricName?: string;
}

export interface Shown {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** How the values of workers are combined: `max`, `min`, `worker` (kept apart by label), otherwise summed. */
  readonly aggregator?: string | undefined;
  readonly values: () => readonly Value[];
}

/** Registers a metric whose values are kept elsewhere. The registry calls only `get`, though its type requires more. */
export function show(registry: Registry, { values, ...metric }: Shown): void {
  const get = async () => ({ ...metric, values: values() });
  registry.registerMetric({ name: metric.name, get } as unknown as Metric);
}

/** The values of a histogram; none if nothing is measured. */
export function histogram(name: string, labels: Value['labels'], durations: Durations | undefined): readonly Value[] {
  if (!durations) return [];
  const { buckets, seconds, count } = durations;
  let below = 0;
  const bounded = DURATION_BOUNDS.map((le, at) => {
    below += buckets[at] ?? 0;
    return { labels: { le, ...labels }, value: below, metricName: `${name}_bucket` };
  });
  return [
    ...bounded,
    { labels: { le: '+Inf', ...labels }, value: count, metricName: `${name}_bucket` },
    { labels, value: seconds, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  ];
}
