import { rows } from './pages.ts';
import { SharedQuery } from './shared-query.ts';
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
