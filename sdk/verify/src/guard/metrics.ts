// What Prometheus reads. A few numbers, so the text is written here.

/** Seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 1, 10];

export class Metrics {
  /** By status and reason. */
  readonly #answers = new Map<string, number>();
  readonly #within = BOUNDS.map(() => 0);
  #count = 0;
  #seconds = 0;

  note(status: number, reason: string, seconds: number): void {
    const labels = `{status="${status}",reason="${reason}"}`;
    this.#answers.set(labels, (this.#answers.get(labels) ?? 0) + 1);
    this.#count += 1;
    this.#seconds += seconds;
    for (const [index, bound] of BOUNDS.entries())
      if (seconds <= bound) this.#within[index] = (this.#within[index] ?? 0) + 1;
  }

  /** `states`: of each resource server. */
  text(states: readonly GuardState[]): string {
    const of = (name: string, value: (state: GuardState) => number) =>
      states.map((state) => [`tessera_guard_${name}{resource_server="${state.id}"}`, value(state)] as const);
    const buckets = BOUNDS.map((bound, index) => [`tessera_guard_seconds_bucket{le="${bound}"}`, this.#within[index]]);
    return [
      ['# TYPE tessera_guard_answers_total counter'],
      ...[...this.#answers].map(([labels, count]) => [`tessera_guard_answers_total${labels}`, count]),
      ['# TYPE tessera_guard_seconds histogram'],
      ...buckets,
      [`tessera_guard_seconds_bucket{le="+Inf"}`, this.#count],
      ['tessera_guard_seconds_sum', this.#seconds],
      ['tessera_guard_seconds_count', this.#count],
      ['# TYPE tessera_guard_fresh gauge'],
      ...of('fresh', ({ isFresh }) => Number(isFresh)),
      ['# TYPE tessera_guard_within_bound gauge'],
      ...of('within_bound', ({ isWithinBound }) => Number(isWithinBound)),
      ['# TYPE tessera_guard_dpop_proofs gauge'],
      ...of('dpop_proofs', ({ proofs }) => proofs),
    ]
      .map((line) => `${line.join(' ')}\n`)
      .join('');
  }
}

export interface GuardState {
  readonly id: string;
  readonly isFresh: boolean;
  readonly isWithinBound: boolean;
  /** Since when it is fresh, or is not; in milliseconds. */
  readonly since: number;
  readonly proofs: number;
}
