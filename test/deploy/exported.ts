// What /metrics shows, for tests of files that query it.
import { isReason } from '../../src/core/refusal.ts';
import { Metrics } from '../../src/doors/ops/metrics.ts';
import { DurationTally } from '../../src/store/duration-tally.ts';
import { recordings } from './rules.ts';

export function exportedText(): Promise<string> {
  const sessions = { open: 4, idle: 1, limit: 8, waiting: 0 };
  const [commits, reads] = [new DurationTally(), new DurationTally()];
  const metrics = new Metrics({
    store: () => ({ commits, reads, waiting: 0, walBytes: 4096, sessions }),
    isReady: () => true,
    spans: () => ({ sent: 1, dropped: { 'queue-full': 1 }, waiting: 0 }),
  });
  metrics.certificateEnd = 2e9;
  metrics.endingCertificates = { server: 1, issuer: 0 };
  metrics.observe({ operation: 'token', outcome: 'refused', reason: 'store-unavailable' }, 12);
  metrics.ignoredHeader();
  metrics.directory('corp', { ended: 1 });
  return metrics.text();
}

/** Metrics of the service and of Node that a query uses but /metrics lacks. */
export function unknownMetrics(queries: readonly string[], exported: string): string[] {
  const names = new Set([...exported.matchAll(/^(?:# TYPE )?([a-z0-9_]+)[{ ]/gm)].map(([, name]) => name));
  const used = new Set(queries.flatMap((query) => query.match(/\b(?:tessera|process|nodejs)_[a-z0-9_]+/g) ?? []));
  return [...used].filter((name) => !names.has(name));
}

/** The series of a query. */
function seriesOf(query: string): string[] {
  const bare = query
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '')
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]|\b(?:by|on|without|ignoring) \([^)]*\)/g, '');
  const words = bare.match(/\b[a-z_][\w:]*\b(?!\s*\()/gi) ?? [];
  return words.filter((word) => !['and', 'or', 'unless', 'offset'].includes(word) && !/^\d/.test(word));
}

/** Series that queries use, but that neither /metrics nor a rule nor Prometheus itself makes. */
export function unmadeSeries(queries: readonly string[], exported: string): string[] {
  const recorded = recordings.map(({ record }) => record);
  const made = [...exported.matchAll(/^(?:# TYPE )?([a-z0-9_]+)[{ ]/gm)].map(([, name]) => name);
  const histograms = [...exported.matchAll(/^# TYPE ([a-z0-9_]+) histogram$/gm)].map(([, name]) => `${name}_bucket`);
  const known = new Set(['up', ...recorded, ...made, ...histograms]);
  return [...new Set(queries.flatMap(seriesOf))].filter((name) => !known.has(name));
}

/** Recorded series that a query uses but no rule records. */
export function unknownRecordings(queries: readonly string[]): string[] {
  const recorded = new Set(recordings.map(({ record }) => record));
  const used = new Set(queries.flatMap((query) => query.match(/\btessera:[a-z]+:[a-z0-9_]+/g) ?? []));
  return [...used].filter((name) => !recorded.has(name));
}

/** Labels that queries group by, without the one that Prometheus adds. */
export function groupedBy(queries: readonly string[]): Set<string> {
  const lists = queries.flatMap((query) => [...query.matchAll(/by \(([a-z, ]+)\)/g)].map(([, by = '']) => by));
  return new Set(lists.flatMap((by) => by.split(', ')).filter((label) => label !== 'instance'));
}

/** The refusals that queries match, and those among them that do not exist. */
export function matchedReasons(queries: readonly string[]): { matched: string[]; unknown: string[] } {
  const texts = queries.flatMap((query) => [...query.matchAll(/reason=~?"([^"]+)"/g)].map(([, either = '']) => either));
  const matched = texts.flatMap((either) => either.split('|'));
  return { matched, unknown: matched.filter((reason) => !isReason(reason)) };
}
