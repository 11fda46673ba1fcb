import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Value } from '../table.ts';
import { BUSY_TIMEOUT_MS, isBusy } from './database.ts';

const LOOK_AGAIN_MS = 0.2;
/** Nobody wakes who waits for this: a thread that writes has nothing else to do. */
const NEVER = new Int32Array(new SharedArrayBuffer(4));

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
    database.exec('PRAGMA busy_timeout = 0'); // #begin waits instead
  }

  /** How many rows the last step of each unit changed; -1 where the unit conflicted and left nothing. Throws where none is durable. */
  run(units: readonly Unit[]): number[] {
    this.#begin();
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

  /** Another process may be writing. SQLite would look again after 1, 2, 5 … 100 ms; its transactions take less than one. */
  #begin(): void {
    const patience = performance.now() + BUSY_TIMEOUT_MS;
    for (;;) {
      try {
        this.#database.exec('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > patience) throw error;
        Atomics.wait(NEVER, 0, 0, LOOK_AGAIN_MS);
      }
    }
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
