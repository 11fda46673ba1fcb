import type { EpochSeconds } from '../core/time.ts';
import type { Fetch } from './download.ts';

const MINUTE = 60;

/** Counts what each of several causes in a minute. */
export class PerMinute {
  readonly #most: number;
  readonly #now: () => EpochSeconds;
  #since = 0;
  #counts = new Map<string, number>();

  constructor(most: number, now: () => EpochSeconds) {
    this.#most = most;
    this.#now = now;
  }

  /** Whether one more is within the limit. */
  take(by: string): boolean {
    const now = this.#now();
    if (now - this.#since >= MINUTE) {
      this.#since = now;
      this.#counts = new Map();
    }
    const count = (this.#counts.get(by) ?? 0) + 1;
    this.#counts.set(by, count);
    return count <= this.#most;
  }
}

const REQUESTS_PER_HOST = 20;

/** For addresses that guests choose: this service must not flood their hosts. On all ports together. */
export function limitedPerHost(fetch: Fetch, now: () => EpochSeconds): Fetch {
  const requests = new PerMinute(REQUESTS_PER_HOST, now);
  return async (url, init) => {
    if (requests.take(new URL(url).hostname)) return fetch(url, init);
    throw new Error(`this service sends at most ${REQUESTS_PER_HOST} requests a minute to one host`);
  };
}
