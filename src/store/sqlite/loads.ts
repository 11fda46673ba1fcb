import type { DatabaseSync } from 'node:sqlite';
import type { EpochSeconds } from '../../core/time.ts';
import type { Loaded } from '../store.ts';
import type { AnyTable, Value } from '../table.ts';
import { preparer, rollBack, whileBusy } from './connection.ts';
import { storeFault } from './faults.ts';
import type { Soundness } from './soundness.ts';
import { decodeRow, statementsOf } from './statements.ts';

export type Read = () => unknown;

export function loadsOf(database: DatabaseSync, soundness: Soundness) {
  const prepared = preparer(database);
  const guarded = <T>(read: () => T): T => {
    try {
      soundness.assertReadable();
      return whileBusy(read);
    } catch (error) {
      throw storeFault(error);
    }
  };
  return {
    /** In one transaction: taking and releasing locks for each costs as much as most reads. */
    together: (reads: readonly Read[]): unknown[] =>
      guarded(() => {
        if (reads.length === 1) return reads.map((read) => read());
        prepared('BEGIN').run();
        try {
          const results = reads.map((read) => read());
          prepared('COMMIT').run();
          return results;
        } catch (error) {
          rollBack(database);
          throw error;
        }
      }),
    load: (table: AnyTable, key: string, now: EpochSeconds): Loaded<unknown, unknown> => {
      const values: unknown = prepared(statementsOf(table).select).get(table.encodeKey(key));
      return { found: values ? decodeRow(table, values as Value[]) : undefined, now };
    },
    all: (sql: string, values: readonly Value[]): Value[][] =>
      guarded(() => prepared(sql).all(...values) as unknown as Value[][]),
  };
}
