// Queries the store on behalf of requests, at a bounded rate: unauthenticated clients cause requests, but must not cause as many queries.
import { setTimeout as sleep } from 'node:timers/promises';

/** The least time between the beginnings of two queries. */
const PAUSE_MS = 100;

/** A call returns the result of a query that begins after the call. Calls before it begins share it; queries never overlap. */
export class SharedQuery<Result> {
  readonly #query: () => Promise<Result>;
  #next: Promise<Result> | undefined;
  #current: Promise<unknown> = Promise.resolve();
  #began = Number.NEGATIVE_INFINITY;

  constructor(query: () => Promise<Result>) {
    this.#query = query;
  }

  run(): Promise<Result> {
    this.#next ??= this.#runNext(this.#current);
    return this.#next;
  }

  async #runNext(previous: Promise<unknown>): Promise<Result> {
    await previous;
    const pause = this.#began + PAUSE_MS - performance.now();
    if (pause > 0) await sleep(pause);
    this.#began = performance.now();
    this.#next = undefined;
    const result = this.#query();
    this.#current = result.catch(() => undefined); // the callers get the fault
    return result;
  }
}
