/** Upper bounds of the buckets, in seconds. */
export const DURATION_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export interface Durations {
  /** Per bound: those that took at most this long, but longer than the bound before. Slower ones count in `count` only. */
  readonly buckets: readonly number[];
  readonly seconds: number;
  readonly count: number;
}

export class DurationTally implements Durations {
  readonly buckets: number[] = DURATION_BOUNDS.map(() => 0);
  seconds = 0;
  count = 0;

  add(milliseconds: number): void {
    const seconds = milliseconds / 1000;
    const bucket = DURATION_BOUNDS.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1;
    this.seconds += seconds;
    this.count += 1;
  }
}
