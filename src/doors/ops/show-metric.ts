import type { Metric, Registry } from 'prom-client';
import { DURATION_BOUNDS, type Durations } from '../../store/duration-tally.ts';

/** One line of a metric. */
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
  /** How the values of workers are combined: see merge-metrics.ts. */
  readonly aggregator?: 'max' | 'worker' | 'sum';
  readonly values: (name: string) => readonly Value[];
}

/** Registers a metric whose values are kept elsewhere. The registry calls only `get`, though its type requires more. */
export function show(registry: Registry, { name, help, type, aggregator = 'sum', values }: Shown): void {
  const get = async () => ({ name, help, type, values: values(name), aggregator });
  registry.registerMetric({ name, get } as unknown as Metric);
}

/** The value of a metric without labels; none if there is no value. */
export function single(value: number | undefined): readonly Value[] {
  return value === undefined ? [] : [{ labels: {}, value }];
}

/** The values of a histogram. */
export function histogram(
  name: string,
  labels: Value['labels'],
  { buckets, seconds, count }: Durations,
): readonly Value[] {
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
