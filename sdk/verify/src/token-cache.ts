// What is known about tokens, which are kept as hashes. At most so many: the one that was not used for longest is dropped first.
import crypto from 'node:crypto';

export class TokenCache<Known> {
  readonly #most: number;
  readonly #known = new Map<string, Known>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Drops an entry for which `isGood` is false. */
  get(token: string, isGood: (known: Known) => boolean): Known | undefined {
    const key = hashOf(token);
    const found = this.#known.get(key);
    if (found === undefined) return undefined;
    this.#known.delete(key);
    if (!isGood(found)) return undefined;
    this.#known.set(key, found); // the newest again
    return found;
  }

  set(token: string, known: Known): void {
    const key = hashOf(token);
    this.#known.delete(key);
    this.#known.set(key, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > this.#most && oldest !== undefined) this.#known.delete(oldest);
  }

  clear(): void {
    this.#known.clear();
  }

  get size(): number {
    return this.#known.size;
  }
}

/** `crypto.hash`, which is faster, is missing in Node 20 before 20.12. */
export const hashOf: (token: string) => string = crypto.hash
  ? (token) => crypto.hash('sha256', token, 'base64')
  : (token) => crypto.createHash('sha256').update(token).digest('base64');
