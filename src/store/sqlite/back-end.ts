import type { DatabaseSync } from 'node:sqlite';
import type { EpochSeconds } from '../../core/time.ts';
import { type BackEnd, type Commit, check, FIND_LIMIT, type Swap } from '../back-end.ts';
import { Lane } from '../lane.ts';
import {
  CommitUnknown,
  type EndingCount,
  type EventQuery,
  type Loaded,
  type NewestQuery,
  StoreUnavailable,
} from '../store.ts';
import { type AnyTable, staysNull, type Table, type Value, type Where } from '../table.ts';
import type { Commits, Step, Unit } from './commits.ts';
import { PAGE_SIZE } from './connection.ts';
import { appendStep, eventsStatement, readEvent, SWEEP_EVENTS } from './events.ts';
import { loadsOf, type Read } from './loads.ts';
import { assertSchema } from './migrations.ts';
import type { Soundness } from './soundness.ts';
import {
  countEndingStatement,
  countStatement,
  decodeCounts,
  decodeRow,
  findStatement,
  insertValues,
  pageStatement,
  statementsOf,
  sweepStatement,
  updateValues,
} from './statements.ts';

export interface SqliteParts {
  /** One connection to read and write: SQLite keeps its page cache as long as no other connection writes. */
  readonly database: DatabaseSync;
  readonly commits: Commits;
  readonly soundness: Soundness;
  readonly clock: () => EpochSeconds;
}

/** The rest waits for the next transaction, which bounds a transaction's time and what it adds to the WAL. */
const WRITING = { most: 250, parallel: 1 };
const SWEEPING = { most: 1, parallel: 1 };
const READING = { most: 1000, parallel: 1 };

/** Reads that wait at the same moment share one transaction, and so do commits. */
export function sqliteBackEnd({ database, commits, soundness, clock }: SqliteParts): BackEnd {
  const loads = loadsOf(database, soundness);
  const reads = new Lane(async (waiting: readonly Read[]) => loads.together(waiting), READING);
  const changes = new Lane(async (units: readonly Unit[]) => (await commits.run(units)).map(happened), WRITING);
  const sweeps = new Lane((units: readonly Unit[]) => commits.run(units).catch(sweptOrNot), SWEEPING);
  let closing: Promise<void> | undefined;
  // Rows that were loaded before may still be committed; no new work is accepted.
  const refused = () => Promise.reject(new StoreUnavailable('the store is closed'));
  const read = (asked: Read) => (closing ? refused() : reads.submit(asked));
  const events = (query: EventQuery | NewestQuery) => {
    const { sql, values } = eventsStatement(query);
    return loads.all(sql, values).map(readEvent);
  };
  const closeAll = async () => {
    await new Promise(setImmediate); // callers of now() have decided by then
    await reads.drain();
    await changes.drain();
    await sweeps.drain();
    await commits.close();
  };

  return {
    now: () => (closing ? refused() : Promise.resolve(clock())),
    examine: async () => ({
      now: clock(),
      checks: [
        check('store', 'the database cannot be read', () => loads.all('SELECT count(*) FROM service_times', [])),
        check('schema', 'another release has changed the schema', () => assertSchema(database)),
        ...soundness.examine(),
      ],
    }),
    load: <Row, Companion>(table: Table<Row, Companion>, key: string) =>
      read(() => loads.load(table, key, clock())) as Promise<Loaded<Row, Companion>>,
    commit: (commit) => changes.submit(unitOf(commit)),
    find: <Row, Companion>(table: Table<Row, Companion>, { column, value }: Where, limit = FIND_LIMIT) =>
      read(() => rowsOf(table, loads.all(findStatement(table, column), [value, limit]))) as Promise<Row[]>,
    page: async (table, query) => {
      const { sql, values } = pageStatement(table, query);
      return rowsOf(table, loads.all(sql, values));
    },
    events: async (query) => events(query),
    eventProgress: async () => {
      const newest = (loads.all('SELECT coalesce(max(sequence), 0) FROM events', [])[0]?.[0] ?? 0) as number;
      return { readable: newest, drawn: newest };
    },
    newestEvents: async (query) => events(query).toReversed(),
    sweep: (table, before, limit) =>
      sweeps.submit([{ sql: sweepStatement(table), values: [before, limit], decisive: false, pages: pagesOf(table) }]),
    sweepEvents: (before, limit) =>
      sweeps.submit([{ sql: SWEEP_EVENTS, values: [limit, before], decisive: false, pages: 1 }]),
    countEnding: async (table, { from, before }, most) => {
      const [[read, living] = []] = loads.all(countEndingStatement(table), [from, before, most]);
      return { read, living } as EndingCount;
    },
    count: async (table, column) => decodeCounts(table, column, loads.all(countStatement(table, column), [])),
    stamp: async (table) => String(loads.all(statementsOf(table).stamp, [])[0]),
    figures: () => ({
      commits: commits.durations,
      waiting: changes.waiting + sweeps.waiting,
      walBytes: commits.walBytes,
    }),
    close: () => {
      closing ??= closeAll();
      return closing;
    },
  };
}

/** Rows that may not have been swept are swept the next time. */
function sweptOrNot(fault: unknown): never {
  throw fault instanceof CommitUnknown ? new StoreUnavailable(fault.message) : fault;
}

function happened(changed: number): boolean {
  return changed >= 0;
}

function unitOf({ swaps, events, revision }: Commit): Unit {
  const unit: Step[] = [];
  for (const swap of swaps)
    unit.push(swap.expected === undefined ? insertStep(swap, revision) : updateStep(swap, revision));
  for (const event of events) unit.push(appendStep(event));
  return unit;
}

function insertStep({ table, row }: Swap, revision: number): Step {
  const { insert, hasBytes } = statementsOf(table);
  const values = insertValues(table, row, revision);
  return { sql: insert, values, decisive: true, pages: pagesOf(table) + (hasBytes ? pagesOfBytes(values) : 0) };
}

function updateStep(swap: Swap, revision: number): Step {
  const { update, updateCommon, changingRare, hasBytes } = statementsOf(swap.table);
  const chosen = staysNull(changingRare, swap.before, swap.row) ? updateCommon : update;
  const values = updateValues(chosen, swap, revision);
  return { sql: chosen.sql, values, decisive: true, pages: 1 + (hasBytes ? pagesOfBytes(values) : 0) };
}

/** Long values are stored on pages of their own. */
function pagesOfBytes(values: readonly Value[]): number {
  const octets = values.reduce<number>((sum, value) => sum + (value instanceof Uint8Array ? value.length : 0), 0);
  return Math.ceil(octets / PAGE_SIZE);
}

/** One for the row and one for each index, including the index on its end. */
function pagesOf({ indexes = [], ends }: AnyTable): number {
  return 1 + indexes.length + (ends ? 1 : 0);
}

function rowsOf<Row>(table: AnyTable, results: readonly Value[][]): Row[] {
  return results.map((values) => decodeRow(table, values)?.row as Row);
}
