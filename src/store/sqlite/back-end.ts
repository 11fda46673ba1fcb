import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { EpochSeconds } from '../../core/time.ts';
import type { BackEnd, Commit, LoadedVersion } from '../back-end.ts';
import { Lane } from '../lane.ts';
import { StoreUnavailable } from '../store.ts';
import type { AnyTable, Table, Value } from '../table.ts';
import { decodeEvent } from '../tables/events.ts';
import { storeFault, whileBusy } from './database.ts';
import { appendStep, eventsStatement, newestStatement, SWEEP_EVENTS } from './events.ts';
import {
  countStatement,
  decodeCounts,
  decodeRow,
  findStatement,
  insertValues,
  pageStatement,
  statementsOf,
  updateValues,
} from './statements.ts';
import type { Step, Unit, Writer } from './writer.ts';

const FIND_LIMIT = 100;

export interface SqliteParts {
  /** One connection to read and to write: SQLite keeps its pages at hand as long as no other writes. */
  readonly database: DatabaseSync;
  readonly writer: Writer;
  readonly clock: () => EpochSeconds;
}

/** More than these wait for the transaction after it: what one adds to the WAL is bounded, and so is its time. */
const MOST_UNITS = 250;
const MOST_LOADS = 1000;

/** Loads that wait at the same moment share one transaction, and so do commits. */
export function sqliteBackEnd({ database, writer, clock }: SqliteParts): BackEnd {
  const reader = new Reader(database);
  const loads = new Lane(async (asked: readonly Asked[]) => reader.load(asked, clock()), {
    most: MOST_LOADS,
    parallel: 1,
  });
  const commits = new Lane((units: readonly Unit[]) => writer.run(units), { most: MOST_UNITS, parallel: 1 });
  let closing: Promise<void> | undefined;
  const submit = (unit: Unit) =>
    closing ? Promise.reject(new StoreUnavailable('the store is closed')) : commits.submit(unit);
  const closeAll = async () => {
    await loads.drain();
    await commits.drain();
    await writer.close();
  };

  return {
    now: async () => clock(),
    loadVersioned: <Row, Companion>(table: Table<Row, Companion>, key: string) =>
      loads.submit({ table, key }) as Promise<LoadedVersion<Row, Companion>>,
    commit: async (commit) => (await submit(unitOf(commit))) >= 0,
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
    sweep: (table, before, limit) => submit([sweepStep(table, [before, limit])]),
    sweepEvents: (before, limit) => submit([{ sql: SWEEP_EVENTS, values: [limit, before], decisive: false }]),
    count: async (table, column) => decodeCounts(table, column, reader.all(countStatement(table, column), [])),
    stamp: async (table) => String(reader.all(statementsOf(table).stamp, [])[0]),
    close: () => {
      closing ??= closeAll();
      return closing;
    },
  };
}

interface Asked {
  readonly table: AnyTable;
  readonly key: string;
}

class Reader {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** In one transaction, which also spares each load the locks of its own. */
  load(asked: readonly Asked[], now: EpochSeconds): LoadedVersion<unknown, unknown>[] {
    return this.#read(() => {
      if (asked.length === 1) return asked.map((each) => this.#load(each, now));
      this.#statement('BEGIN').run();
      try {
        return asked.map((each) => this.#load(each, now));
      } finally {
        this.#statement('COMMIT').run();
      }
    });
  }

  #load({ table, key }: Asked, now: EpochSeconds): LoadedVersion<unknown, unknown> {
    const values = this.#statement(statementsOf(table).select).get(table.encodeKey(key)) as unknown as
      | Value[]
      | undefined;
    return { found: values && decodeRow(table, values), now };
  }

  all(sql: string, values: readonly Value[]): Value[][] {
    return this.#read(() => this.#statement(sql).all(...values) as unknown as Value[][]);
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
      return whileBusy(read);
    } catch (error) {
      throw storeFault(error);
    }
  }
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
