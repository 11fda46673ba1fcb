import { type Seconds, seconds } from '../../core/time.ts';

/** So many at once, refilled at so many a second. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

interface Bucket {
  level: number;
  at: number;
}

/** Of each of the two generations: whoever comes again before so many others have come is known. */
const MOST_KEYS = 50_000;

/** A token bucket per key, in memory: request rates hold per node. */
export class RateLimit {
  readonly #rate: Rate;
  readonly #milliseconds: () => number;
  #recent = new Map<string, Bucket>();
  #older = new Map<string, Bucket>();

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

  /** When the recent ones are many they become the older ones, and those older still are forgotten, if not used meanwhile. */
  #bucket(key: string, now: number): Bucket {
    const recent = this.#recent.get(key);
    if (recent) return recent;
    const bucket = this.#older.get(key) ?? { level: this.#rate.burst, at: now };
    if (this.#recent.size >= MOST_KEYS) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, bucket);
    return bucket;
  }
}
