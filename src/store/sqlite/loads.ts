import type { DatabaseSync } from 'node:sqlite';
import type { EpochSeconds } from '../../core/time.ts';
import type { LoadedVersion } from '../back-end.ts';
import type { AnyTable, Value } from '../table.ts';
import { rollBack, whileBusy } from './connection.ts';
import { storeFault } from './faults.ts';
import { Prepared } from './prepared.ts';
import type { Soundness } from './soundness.ts';
import { decodeRow, statementsOf } from './statements.ts';

export type Read = () => unknown;

export class Loads {
  readonly #database: DatabaseSync;
  readonly #prepared: Prepared;
  readonly #soundness: Soundness;

  constructor(database: DatabaseSync, soundness: Soundness) {
    this.#database = database;
    this.#prepared = new Prepared(database);
    this.#soundness = soundness;
  }

  /** In one transaction: taking and releasing locks for each costs as much as most reads. */
  together(reads: readonly Read[]): unknown[] {
    return this.#guarded(() => {
      if (reads.length === 1) return reads.map((read) => read());
      this.#prepared.get('BEGIN').run();
      try {
        const results = reads.map((read) => read());
        this.#prepared.get('COMMIT').run();
        return results;
      } catch (error) {
        rollBack(this.#database);
        throw error;
      }
    });
  }

  load(table: AnyTable, key: string, now: EpochSeconds): LoadedVersion<unknown, unknown> {
    const values = this.#prepared.get(statementsOf(table).select).get(table.encodeKey(key)) as unknown as
      | Value[]
      | undefined;
    return { found: values && decodeRow(table, values), now };
  }

  all(sql: string, values: readonly Value[]): Value[][] {
    return this.#guarded(() => this.#prepared.get(sql).all(...values) as unknown as Value[][]);
  }

  #guarded<T>(read: () => T): T {
    try {
      this.#soundness.assertReadable();
      return whileBusy(read);
    } catch (error) {
      throw storeFault(error);
    }
  }
}
