import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { EpochSeconds } from '../../core/time.ts';
import type { BackEnd, Commit, LoadedVersion, Versioned } from '../back-end.ts';
import { CommitUnknown, StoreUnavailable } from '../store.ts';
import type { AnyTable, Table, Value } from '../table.ts';
import { decodeEvent } from '../tables/events.ts';
import { openForReading, storeFault } from './database.ts';
import { appendStep, eventsStatement, newestStatement, SWEEP_EVENTS } from './events.ts';
import { GroupCommit, type RunUnits } from './group-commit.ts';
import {
  countStatement,
  decodeCounts,
  decodeRow,
  findStatement,
  insertValues,
  pageStatement,
  type TableStatements,
  tableStatements,
  updateValues,
} from './statements.ts';
import type { Step, Unit } from './writer.ts';

const FIND_LIMIT = 100;

export interface SqliteParts {
  readonly path: string;
  readonly clock: () => EpochSeconds;
  /** Writes durably, in this thread or in another. */
  readonly run: RunUnits;
  readonly stop: () => Promise<void>;
}

/** Reads go straight to the database, on this thread: a few microseconds each. Writes go through the group commit. */
export function sqliteBackEnd({ path, clock, run, stop }: SqliteParts): BackEnd {
  const reader = new Reader(openForReading(path));
  const commits = new GroupCommit(run);
  // Whether a step of sweeping took place matters to nobody: the next one finds out.
  const swept = (unit: Unit) =>
    commits.submit(unit).catch((fault) => {
      throw fault instanceof CommitUnknown ? new StoreUnavailable(fault.message) : fault;
    });
  let closing: Promise<void> | undefined;
  const closeAll = async () => {
    await commits.close();
    await stop();
    reader.close();
  };

  return {
    now: async () => clock(),
    loadVersioned: async <Row, Companion>(
      table: Table<Row, Companion>,
      key: string,
    ): Promise<LoadedVersion<Row, Companion>> => {
      const values = reader.first(statementsOf(table).select, [table.encodeKey(key)]);
      return { found: values && (decodeRow(table, values) as Versioned<Row, Companion>), now: clock() };
    },
    commit: async (commit) => (await commits.submit(unitOf(commit))) >= 0,
    find: async (table, { column, value }, limit = FIND_LIMIT) =>
      rowsOf(table, reader.all(findStatement(table, column), [value, limit])),
    page: async (table, query) => {
      const { sql, values } = pageStatement(table, query);
      return rowsOf(table, reader.all(sql, values));
    },
    events: async (query) => {
      const { sql, values } = eventsStatement(query);
      return reader.all(sql, values).map(decodeEvent);
    },
    newestEvents: async (query) => {
      const { sql, values } = newestStatement(query);
      return reader.all(sql, values).map(decodeEvent).toReversed();
    },
    sweep: (table, before, limit) => swept([sweepStep(table, [before, limit])]),
    sweepEvents: (before, limit) => swept([{ sql: SWEEP_EVENTS, values: [limit, before], decisive: false }]),
    count: async (table, column) => decodeCounts(table, column, reader.all(countStatement(table, column), [])),
    stamp: async (table) => String(reader.first(statementsOf(table).stamp, [])),
    close: () => {
      closing ??= closeAll();
      return closing;
    },
  };
}

class Reader {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  first(sql: string, values: readonly Value[]): Value[] | undefined {
    return this.#read(() => this.#statement(sql).get(...values) as unknown as Value[] | undefined);
  }

  all(sql: string, values: readonly Value[]): Value[][] {
    return this.#read(() => this.#statement(sql).all(...values) as unknown as Value[][]);
  }

  close(): void {
    this.#database.close();
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const prepared = this.#database.prepare(sql);
    prepared.setReturnArrays(true);
    this.#statements.set(sql, prepared);
    return prepared;
  }

  #read<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw storeFault(error);
    }
  }
}

const known = new WeakMap<AnyTable, TableStatements>();

function statementsOf(table: AnyTable): TableStatements {
  let statements = known.get(table);
  if (!statements) {
    statements = tableStatements(table);
    known.set(table, statements);
  }
  return statements;
}

function unitOf({ swap, inserts, events, revision }: Commit): Unit {
  const unit: Step[] = [];
  if (swap)
    unit.push(
      swap.expected === undefined
        ? insertStep(swap.table, swap.row, revision)
        : updateStep(swap.table, swap.row, revision, swap.expected),
    );
  for (const { table, row } of inserts) unit.push(insertStep(table, row, revision));
  for (const event of events) unit.push(appendStep(event));
  return unit;
}

function insertStep(table: AnyTable, row: unknown, revision: number): Step {
  return { sql: statementsOf(table).insert, values: insertValues(table, row, revision), decisive: true };
}

function updateStep(table: AnyTable, row: unknown, revision: number, expected: number): Step {
  return { sql: statementsOf(table).update, values: updateValues(table, row, revision, expected), decisive: true };
}

function sweepStep(table: AnyTable, values: readonly Value[]): Step {
  const sql = statementsOf(table).sweep;
  if (!sql) throw new Error(`rows of ${table.name} never end`);
  return { sql, values, decisive: false };
}

function rowsOf<Row>(table: AnyTable, results: readonly Value[][]): Row[] {
  return results.map((values) => decodeRow(table, values).row as Row);
}
