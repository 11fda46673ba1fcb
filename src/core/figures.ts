// Figures over time: what the nodes counted, minute by minute.
import type { EpochSeconds } from './time.ts';

/** By name: `accepted`, `refused grant-revoked`, `refreshes`, `issued`, `within 0.005`, `timed`. Zeros are left out. */
export type Counts = Readonly<Record<string, number>>;

/** The grants that have not ended: all, and by the day on which they end, for the next 30 days. */
export interface LivingGrants {
  readonly all: number;
  readonly endingByDay: readonly number[];
  /** How many rows were read to count them: also those of revoked grants. Missing in rows of 0.3.0. */
  readonly read?: number;
}

/** What one node did in a stretch of time. */
export interface Figures {
  /** The length of the stretch, in seconds. */
  readonly step: number;
  readonly at: EpochSeconds;
  readonly node: string;
  readonly version: string;
  /** For how long readers of the event log have been held back, in seconds. */
  readonly lag: number;
  readonly counts: Counts;
  /** If this node counted them. */
  readonly living?: LivingGrants;
}

export function sum(counts: readonly Counts[]): Counts {
  const total: Record<string, number> = {};
  for (const each of counts) for (const [name, count] of Object.entries(each)) total[name] = (total[name] ?? 0) + count;
  return total;
}

export function since(before: Counts, now: Counts): Counts {
  const grown = Object.entries(now).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
  return Object.fromEntries(grown.filter(([, count]) => count > 0));
}

const REFUSED = 'refused ';
const WITHIN = 'within ';

export function refusedFor(reason: string): string {
  return REFUSED + reason;
}

export function within(bound: number): string {
  return WITHIN + bound;
}

/** Reason and count, most frequent first. */
export function refusalsIn(counts: Counts): readonly (readonly [reason: string, count: number])[] {
  return startingWith(REFUSED, counts).sort(([, a], [, b]) => b - a);
}

/** The time within which this share of the answers was given, in seconds: interpolated within its bucket. */
export function quantile(counts: Counts, share: number): number | undefined {
  const wanted = share * (counts['timed'] ?? 0);
  if (wanted === 0) return undefined;
  const buckets = startingWith(WITHIN, counts).map(([bound, count]) => [Number(bound), count] as const);
  let [below, lower] = [0, 0];
  for (const [bound, count] of buckets.sort(([a], [b]) => a - b)) {
    if (below + count >= wanted) return lower + ((bound - lower) * (wanted - below)) / count;
    [below, lower] = [below + count, bound];
  }
  return lower; // slower than the last bound
}

function startingWith(prefix: string, counts: Counts): (readonly [rest: string, count: number])[] {
  return Object.entries(counts).flatMap(([name, count]) =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), count] as const] : [],
  );
}
