import { keepNewest } from '../core/keep-newest.ts';

const MOST_CAUSES = 1000;

/** Lines about causes that last: the first one, and then one per interval. */
export class RepeatedLines {
  readonly #everyMs: number;
  readonly #milliseconds: () => number;
  readonly #most: number;
  readonly #last = new Map<string, { readonly at: number; omitted: number }>();

  /** `most`: of the causes that it remembers. If there are more, each has a line every time. */
  constructor(everyMs: number, milliseconds: () => number, most = MOST_CAUSES) {
    this.#everyMs = everyMs;
    this.#milliseconds = milliseconds;
    this.#most = most;
  }

  /** How many lines about this cause were left out since the last one; undefined: leave this one out, too. */
  take(cause: string): number | undefined {
    const at = this.#milliseconds();
    const last = this.#last.get(cause);
    if (last && Math.abs(at - last.at) < this.#everyMs) {
      last.omitted += 1;
      return undefined;
    }
    keepNewest(this.#last, cause, { at, omitted: 0 }, this.#most);
    return last?.omitted ?? 0;
  }
}
