import { setTimeout as sleep } from 'node:timers/promises';
import { rows } from './pages.ts';
import type { Store } from './store.ts';
import type { Table } from './table.ts';

/** What is kept of the rows of a small table, in memory; read again when the table's stamp changes. */
export class FollowedTable<Row, Kept = readonly Row[]> {
  readonly #store: Store;
  readonly #table: Table<Row>;
  readonly #keep: (rows: readonly Row[]) => Kept;
  readonly #query = new SharedQuery(() => this.refresh());
  #rows: Kept;
  #stamp = '';
  #lastRefresh = 0;
  #appliedRefresh = 0;

  constructor(store: Store, table: Table<Row>, keep: (rows: readonly Row[]) => Kept) {
    this.#store = store;
    this.#table = table;
    this.#keep = keep;
    this.#rows = keep([]);
  }

  get rows(): Kept {
    return this.#rows;
  }

  /** Reads the store again: a row may have been added or changed a moment ago. */
  async lookAgain(): Promise<Kept> {
    await this.#query.run();
    return this.#rows;
  }

  /** Returns whether something had changed. */
  async refresh(): Promise<boolean> {
    this.#lastRefresh += 1;
    const refresh = this.#lastRefresh;
    const stamp = await this.#store.stamp(this.#table);
    if (stamp === this.#stamp) return false;
    const found = await Array.fromAsync(rows(this.#store, this.#table));
    if (refresh < this.#appliedRefresh) return false; // a later refresh finished first
    this.#appliedRefresh = refresh;
    this.#rows = this.#keep(found);
    this.#stamp = stamp;
    return true;
  }
}

// Queries the store on behalf of requests, at a bounded rate: unauthenticated clients cause requests, but must not cause as many queries.

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
