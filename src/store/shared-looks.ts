// Looks at the store on behalf of requests, at a bounded rate: strangers cause requests, and must not cause as many queries.
import { setTimeout as sleep } from 'node:timers/promises';

/** The least time between the beginnings of two looks. */
const PAUSE_MS = 100;

/** Every caller gets a look that began after it asked. All who ask before a look begins share it; looks never overlap. */
export class SharedLooks<Seen> {
  readonly #query: () => Promise<Seen>;
  #next: Promise<Seen> | undefined;
  #current: Promise<unknown> = Promise.resolve();
  #began = Number.NEGATIVE_INFINITY;

  constructor(query: () => Promise<Seen>) {
    this.#query = query;
  }

  look(): Promise<Seen> {
    this.#next ??= this.#lookNext(this.#current);
    return this.#next;
  }

  async #lookNext(previous: Promise<unknown>): Promise<Seen> {
    await previous;
    const pause = this.#began + PAUSE_MS - performance.now();
    if (pause > 0) await sleep(pause);
    this.#began = performance.now();
    this.#next = undefined;
    const seen = this.#query();
    this.#current = seen.catch(() => undefined); // whoever asked is told
    return seen;
  }
}
