import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Value } from '../table.ts';
import { whileBusy } from './database.ts';

/** One statement of a unit. `decisive`: changing no row means that the unit conflicts. */
export interface Step {
  readonly sql: string;
  readonly values: readonly Value[];
  readonly decisive: boolean;
}

/** All of its steps happen, or none of them. */
export type Unit = readonly Step[];

/** Executes units, as many as wait at one moment in one durable transaction. */
export class Writer {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec('PRAGMA busy_timeout = 0'); // whileBusy waits instead
  }

  /** How many rows the last step of each unit changed; -1 where the unit conflicted and left nothing. Throws where none is durable. */
  run(units: readonly Unit[]): number[] {
    whileBusy(() => this.#database.exec('BEGIN IMMEDIATE'));
    try {
      const results = units.map((unit) => this.#runUnit(unit));
      this.#database.exec('COMMIT');
      return results;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    this.#database.close();
  }

  #runUnit(unit: Unit): number {
    // A single decisive step that fails has changed nothing; only several need a way back.
    const guarded = unit.filter((step) => step.decisive).length > 1;
    if (guarded) this.#database.exec('SAVEPOINT unit');
    const result = this.#runSteps(unit);
    if (guarded) this.#database.exec(result < 0 ? 'ROLLBACK TO unit; RELEASE unit' : 'RELEASE unit');
    return result;
  }

  #runSteps(unit: Unit): number {
    let changed = 0;
    for (const { sql, values, decisive } of unit) {
      changed = Number(this.#statement(sql).run(...values).changes);
      if (decisive && changed === 0) return -1;
    }
    return changed;
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const prepared = this.#database.prepare(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }
}
