import { type Seconds, seconds } from '../core/time.ts';

/** So many at once, refilled at so many a second. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

interface Bucket {
  level: number;
  at: number;
}

/** Tracks no more keys than this; when full, the ones longest unused make room. */
const MOST_KEYS = 50_000;

/** A token bucket per key, in memory: request rates hold per node. */
export class RateLimit {
  readonly #rate: Rate;
  readonly #milliseconds: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: Rate, milliseconds: () => number) {
    this.#rate = rate;
    this.#milliseconds = milliseconds;
  }

  /** Takes one; where there is none, says how long to wait. */
  take(key: string): Seconds | undefined {
    const now = this.#milliseconds();
    const bucket = this.#bucket(key, now);
    const elapsed = Math.max(0, now - bucket.at); // a clock that is set back takes nothing away
    bucket.level = Math.min(this.#rate.burst, bucket.level + (elapsed / 1000) * this.#rate.perSecond);
    bucket.at = now;
    if (bucket.level < 1) return seconds(Math.ceil((1 - bucket.level) / this.#rate.perSecond));
    bucket.level -= 1;
    return undefined;
  }

  #bucket(key: string, now: number): Bucket {
    const known = this.#buckets.get(key);
    const bucket = known ?? { level: this.#rate.burst, at: now };
    if (known) this.#buckets.delete(key);
    else if (this.#buckets.size >= MOST_KEYS) this.#forgetOldest();
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** A Map iterates in the order of insertion, and every use inserts anew; forgetting a tenth at a time keeps the cost of a flood of keys flat. */
  #forgetOldest(): void {
    let left = MOST_KEYS / 10;
    for (const key of this.#buckets.keys()) {
      this.#buckets.delete(key);
      if (--left === 0) return;
    }
  }
}
