import type { FastifyRequest } from 'fastify';
import type { Refusal } from '../../core/refusal.ts';
import { type Seconds, seconds } from '../../core/time.ts';
import type { ReadConnection } from '../caller/connection.ts';

/** A bucket holds `burst` tokens and is refilled at `perSecond`. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

interface Bucket {
  level: number;
  at: number;
}

/** Keys per generation: a key survives at least this many newer keys. */
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

  /** Takes a token; if there is none, returns how long to wait. */
  take(key: string): Seconds | undefined {
    const now = this.#milliseconds();
    const bucket = this.#bucket(key, now);
    const elapsed = Math.max(0, now - bucket.at); // setting the clock back takes no tokens away
    bucket.level = Math.min(this.#rate.burst, bucket.level + (elapsed / 1000) * this.#rate.perSecond);
    bucket.at = now;
    if (bucket.level < 1) return seconds(Math.ceil((1 - bucket.level) / this.#rate.perSecond));
    bucket.level -= 1;
    return undefined;
  }

  /** Two generations: a full recent one becomes the older one, and unused keys of the previous older one are dropped. */
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

export type RateRefusal = Refusal<'rate-limited'>;

/** The refusal for a caller whose network is over its rate limit, if it is. */
export type AddressLimit = (request: FastifyRequest) => RateRefusal | undefined;

/** `isExempt`: whether an address is in a network without rate limits. */
export function addressLimit(
  rate: RateLimit,
  readConnection: ReadConnection,
  isExempt: (address: string) => boolean,
): AddressLimit {
  return (request) => {
    const { network, presenter } = readConnection(request);
    return isExempt(presenter.address) ? undefined : rateRefusal(rate.take(network));
  };
}

export function rateRefusal(wait: Seconds | undefined): RateRefusal | undefined {
  return wait === undefined ? undefined : { reason: 'rate-limited', retryAfter: wait };
}
