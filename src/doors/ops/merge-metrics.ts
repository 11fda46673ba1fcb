// Metrics of several workers as those of one service.
import type { Shown, Value } from './show-metric.ts';

export interface Family extends Omit<Shown, 'values'> {
  readonly values: readonly Value[];
}

export type MetricsPart = readonly Family[];

export interface PartsOfWorkers {
  readonly current: readonly { readonly worker: number; readonly part: MetricsPart }[];
  /** Of workers that died or do not reply: only their counters still count. */
  readonly past: readonly MetricsPart[];
}

export function mergeParts({ current, past }: PartsOfWorkers): MetricsPart {
  const labelled = current.map(({ worker, part }) => part.map((family) => labelByWorker(family, worker)));
  return combine([...labelled, sumOfCounters(past)]);
}

/** The counters of workers that are gone, so that the sum never falls: Prometheus would take that for a restart. */
export function sumOfCounters(parts: readonly MetricsPart[]): MetricsPart {
  const isCounting = (family: Family) => !isPerWorker(family) && family.type !== 'gauge';
  return combine(parts.map((part) => part.filter(isCounting)));
}

/** Memory, processor and event loop belong to a process, and so do the limits on requests in flight. */
function isPerWorker({ name, aggregator }: Family): boolean {
  return aggregator === 'worker' || !name.startsWith('tessera_');
}

function labelByWorker(family: Family, worker: number): Family {
  if (!isPerWorker(family)) return family;
  return { ...family, values: family.values.map((value) => ({ ...value, labels: { ...value.labels, worker } })) };
}

function combine(parts: readonly MetricsPart[]): MetricsPart {
  const byName = Map.groupBy(parts.flat(), ({ name }) => name);
  return [...byName.values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, values: combineValues([first, ...others]) }] : [],
  );
}

const sum = (a: number, b: number) => a + b;
const COMBINING: Readonly<Record<string, typeof sum>> = {
  max: (a, b) => Math.max(a, b),
  min: (a, b) => Math.min(a, b),
};

function combineValues(families: readonly [Family, ...Family[]]): readonly Value[] {
  const add = COMBINING[families[0].aggregator ?? ''] ?? sum;
  const combined = new Map<string, Value>();
  for (const value of families.flatMap(({ values }) => values)) {
    const key = JSON.stringify([value.metricName, value.labels]);
    const before = combined.get(key);
    combined.set(key, before ? { ...before, value: add(before.value, value.value) } : value);
  }
  return [...combined.values()];
}
