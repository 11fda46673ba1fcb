import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** The statements of one connection, prepared on first use. Rows are returned as arrays. */
export class Prepared {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const prepared = this.#database.prepare(sql);
    prepared.setReturnArrays(true);
    this.#statements.set(sql, prepared);
    return prepared;
  }
}
