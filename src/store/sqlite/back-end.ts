import type { DatabaseSync } from 'node:sqlite';
import type { EpochSeconds } from '../../core/time.ts';
import type { BackEnd, Commit, LoadedVersion } from '../back-end.ts';
import { Lane } from '../lane.ts';
import { check } from '../report.ts';
import { CommitUnknown, StoreUnavailable } from '../store.ts';
import type { AnyTable, Table, Value, Where } from '../table.ts';
import { storeFault, whileBusy } from './database.ts';
import { appendStep, eventsStatement, newestStatement, readEvent, SWEEP_EVENTS } from './events.ts';
import { assertSchema } from './migrations.ts';
import { Prepared } from './prepared.ts';
import type { Soundness } from './soundness.ts';
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
const ANY_READ = 'SELECT count(*) FROM service_times';

export interface SqliteParts {
  /** One connection to read and to write: SQLite keeps its pages at hand as long as no other writes. */
  readonly database: DatabaseSync;
  readonly writer: Writer;
  readonly soundness: Soundness;
  readonly clock: () => EpochSeconds;
}

/** More than these wait for the transaction after it: what one adds to the WAL is bounded, and so is its time. */
const WRITING = { most: 250, parallel: 1 };
const SWEEPING = { most: 1, parallel: 1 };
const READING = { most: 1000, parallel: 1 };

/** Reads that wait at the same moment share one transaction, and so do commits. */
export function sqliteBackEnd({ database, writer, soundness, clock }: SqliteParts): BackEnd {
  const reader = new Reader(database, soundness);
  const reads = new Lane(async (waiting: readonly Read[]) => reader.together(waiting), READING);
  const commits = new Lane(async (units: readonly Unit[]) => (await writer.run(units)).map(happened), WRITING);
  const sweeps = new Lane((units: readonly Unit[]) => writer.run(units).catch(sweptOrNot), SWEEPING);
  let closing: Promise<void> | undefined;
  // What was read before may still be decided and committed; nothing more is begun.
  const refused = () => Promise.reject(new StoreUnavailable('the store is closed'));
  const read = (asked: Read) => (closing ? refused() : reads.submit(asked));
  const closeAll = async () => {
    await new Promise(setImmediate); // whoever was told the time has decided by then
    await reads.drain();
    await commits.drain();
    await sweeps.drain();
    await writer.close();
  };

  return {
    now: () => (closing ? refused() : Promise.resolve(clock())),
    examine: async () => ({
      now: clock(),
      checks: [
        check('store', 'the database cannot be read', () => reader.all(ANY_READ, [])),
        check('schema', 'another release has changed the schema', () => assertSchema(database)),
        ...soundness.examine(),
      ],
    }),
    loadVersioned: <Row, Companion>(table: Table<Row, Companion>, key: string) =>
      read(() => reader.load(table, key, clock())) as Promise<LoadedVersion<Row, Companion>>,
    commit: (commit) => commits.submit(unitOf(commit)),
    find: <Row, Companion>(table: Table<Row, Companion>, { column, value }: Where, limit = FIND_LIMIT) =>
      read(() => rowsOf(table, reader.all(findStatement(table, column), [value, limit]))) as Promise<Row[]>,
    page: async (table, query) => {
      const { sql, values } = pageStatement(table, query);
      return rowsOf(table, reader.all(sql, values));
    },
    events: async (query) => {
      const { sql, values } = eventsStatement(query);
      return reader.all(sql, values).map(readEvent);
    },
    eventProgress: async () => {
      const newest = (reader.all('SELECT coalesce(max(sequence), 0) FROM events', [])[0]?.[0] ?? 0) as number;
      return { readable: newest, drawn: newest };
    },
    newestEvents: async (query) => {
      const { sql, values } = newestStatement(query);
      return reader.all(sql, values).map(readEvent).toReversed();
    },
    sweep: (table, before, limit) => sweeps.submit([sweepStep(table, [before, limit])]),
    sweepEvents: (before, limit) =>
      sweeps.submit([{ sql: SWEEP_EVENTS, values: [limit, before], decisive: false, pages: 1 }]),
    countEnding: async (table, { from, before }, most) =>
      reader.all(ending(table, statementsOf(table).countEnding), [from, before, most])[0]?.[0] as number,
    count: async (table, column) => decodeCounts(table, column, reader.all(countStatement(table, column), [])),
    stamp: async (table) => String(reader.all(statementsOf(table).stamp, [])[0]),
    close: () => {
      closing ??= closeAll();
      return closing;
    },
  };
}

type Read = () => unknown;

/** What may have been swept or not is swept the next time. */
function sweptOrNot(fault: unknown): never {
  throw fault instanceof CommitUnknown ? new StoreUnavailable(fault.message) : fault;
}

/** Of what Writer.run says about a unit. */
function happened(changed: number): boolean {
  return changed >= 0;
}

class Reader {
  readonly #prepared: Prepared;
  readonly #soundness: Soundness;

  constructor(database: DatabaseSync, soundness: Soundness) {
    this.#prepared = new Prepared(database);
    this.#soundness = soundness;
  }

  /** In one transaction: each would take and leave the locks of its own, which costs as much as most reads. */
  together(reads: readonly Read[]): unknown[] {
    return this.#guarded(() => {
      if (reads.length === 1) return reads.map((read) => read());
      this.#prepared.get('BEGIN').run();
      try {
        return reads.map((read) => read());
      } finally {
        this.#prepared.get('COMMIT').run();
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
  return {
    sql: statementsOf(table).insert,
    values: insertValues(table, row, revision),
    decisive: true,
    pages: pagesOf(table),
  };
}

function updateStep(table: AnyTable, row: unknown, revision: number, expected: number): Step {
  return {
    sql: statementsOf(table).update,
    values: updateValues(table, row, revision, expected),
    decisive: true,
    pages: 1,
  };
}

/** The row's own, and one of each index, that of its end included. */
function pagesOf({ indexes, endsAt }: AnyTable): number {
  return 1 + indexes.length + (endsAt ? 1 : 0);
}

function sweepStep(table: AnyTable, values: readonly Value[]): Step {
  const sql = ending(table, statementsOf(table).sweep);
  return { sql, values, decisive: false, pages: pagesOf(table) };
}

function ending<Statement>({ name }: AnyTable, statement: Statement | undefined): Statement {
  if (statement === undefined) throw new Error(`rows of ${name} never end`);
  return statement;
}

function rowsOf<Row>(table: AnyTable, results: readonly Value[][]): Row[] {
  return results.map((values) => decodeRow(table, values).row as Row);
}
