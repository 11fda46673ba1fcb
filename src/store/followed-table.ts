import { rows } from './pages.ts';
import type { Store } from './store.ts';
import type { Table } from './table.ts';

/** The rows of a small table in memory, read again when the table's stamp changes. */
export class FollowedTable<Row> {
  readonly #store: Store;
  readonly #table: Table<Row>;
  readonly #take: (rows: readonly Row[]) => void;
  #stamp = '';
  #lastRefresh = 0;
  #appliedRefresh = 0;

  /** `take` gets all rows whenever one has changed. */
  constructor(store: Store, table: Table<Row>, take: (rows: readonly Row[]) => void) {
    this.#store = store;
    this.#table = table;
    this.#take = take;
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
    this.#take(found);
    this.#stamp = stamp;
    return true;
  }
}
