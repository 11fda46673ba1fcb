import type { EpochSeconds } from '../core/time.ts';
import type { BackEnd, Commit, Swap, Versioned } from './back-end.ts';
import {
  CommitUnknown,
  type Decision,
  MOST_ROWS,
  OutcomeUnknown,
  type RowReferences,
  type Store,
  StoreUnavailable,
} from './store.ts';
import type { AnyTable } from './table.ts';

/** More conflicts than this in a single change mean a fault, not contention. */
const MOST_ATTEMPTS = 1000;

/** Rows as they were loaded, in the order of their references. */
interface LoadedRows {
  readonly found: readonly (Versioned<unknown, unknown> | undefined)[];
  readonly now: EpochSeconds;
}

type NextRows = readonly unknown[];

/** Turns a back end into a Store. What back ends share is how a change is decided and committed. */
export function storeOf(backEnd: BackEnd): Store {
  return {
    load: (table, key) => backEnd.loadVersioned(table, key),
    change: (table, key, decide) => {
      const load = () => loadOne(backEnd, table, key);
      return change(backEnd, [{ table, key }], load, ({ found: [found], now }) => ofOne(decide(found as never, now)));
    },
    changeAll: async (rows, decide) => {
      assertWritable(rows);
      const load = () => loadAll(backEnd, rows);
      return change(backEnd, rows, load, (loaded) => {
        const decision = decide(loaded.found as never, loaded.now);
        return isEmpty(decision) ? decision : writingAll(decision, loaded);
      });
    },
    create: (table, key, decide) => {
      const load = () => loadOne(backEnd, table, key);
      const decideNew = ({ found: [found], now }: LoadedRows) => (found ? taken(table) : ofOne(decide(now)));
      return change(backEnd, [{ table, key }], load, decideNew, notThere(backEnd));
    },
    find: (table, where, limit) => backEnd.find(table, where, limit),
    page: (table, query) => backEnd.page(table, query),
    now: () => backEnd.now(),
    examine: () => backEnd.examine(),
    events: (query) => backEnd.events(query),
    newestEvents: (query) => backEnd.newestEvents(query),
    eventProgress: () => backEnd.eventProgress(),
    sweep: (table, before, limit) => backEnd.sweep(table, before, limit),
    sweepEvents: (before, limit) => backEnd.sweepEvents(before, limit),
    countEnding: (table, time, most) => backEnd.countEnding(table, time, most),
    count: (table, column) => backEnd.count(table, column),
    stamp: (table) => backEnd.stamp(table),
    figures: () => backEnd.figures(),
    close: () => backEnd.close(),
  };
}

async function change<T>(
  backEnd: BackEnd,
  rows: RowReferences,
  load: () => Promise<LoadedRows>,
  decide: (loaded: LoadedRows) => Decision<NextRows, T>,
  loading = load(),
): Promise<T> {
  const uncertain: Uncertain<T>[] = [];
  try {
    let loaded = await loading;
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      if (attempt > 1) loaded = await load();
      for (const { commit, outcome } of uncertain) if (await happened(commit, backEnd)) return outcome;
      const decision = decide(loaded);
      const { outcome } = decision;
      const commit = commitOf(rows, uncertain.length > 0 ? writingAll(decision, loaded) : decision, loaded);
      if (!commit) return outcome;
      try {
        if (await backEnd.commit(commit)) return outcome;
      } catch (error) {
        if (!(error instanceof CommitUnknown)) throw error;
        uncertain.push({ commit, outcome });
      }
    }
    const names = [...new Set(rows.map(({ table }) => table.name))];
    throw new StoreUnavailable(`a row of ${names.join(', ')} changed ${MOST_ATTEMPTS} times while one change waited`);
  } catch (error) {
    if (uncertain.length === 0 || !(error instanceof StoreUnavailable)) throw error;
    throw new OutcomeUnknown(error.message, { cause: error });
  }
}

async function loadOne(backEnd: BackEnd, table: AnyTable, key: string): Promise<LoadedRows> {
  const { found, now } = await backEnd.loadVersioned(table, key);
  return { found: [found], now };
}

async function loadAll(backEnd: BackEnd, rows: RowReferences): Promise<LoadedRows> {
  const loaded = await Promise.all(rows.map(({ table, key }) => backEnd.loadVersioned(table, key)));
  return { found: loaded.map(({ found }) => found), now: await backEnd.now() };
}

/** What loading a newly drawn key would return: no row. */
async function notThere(backEnd: BackEnd): Promise<LoadedRows> {
  return { found: [], now: await backEnd.now() };
}

/** Id collision: the existing row wins. */
function taken({ name }: AnyTable): never {
  throw new Error(`a key that was drawn for a new row of ${name} is taken`);
}

function assertWritable(rows: RowReferences): void {
  if (rows.length > MOST_ROWS) throw new Error(`${rows.length} rows in one change; there may be ${MOST_ROWS}`);
  if (new Set(rows.map(({ table, key }) => `${table.name} ${key}`)).size < rows.length)
    throw new Error('a row occurs twice in one change');
}

function ofOne<Row, T>(decision: Decision<Row, T>): Decision<NextRows, T> {
  return { ...decision, next: [decision.next] };
}

/** A commit whose connection broke. It may still be in progress and become visible only later. */
interface Uncertain<T> {
  readonly commit: Commit;
  readonly outcome: T;
}

/** Recognised by its revision, in any of the rows that it wrote: others may have changed some of them since. */
async function happened({ swaps, revision }: Commit, backEnd: BackEnd): Promise<boolean> {
  if (swaps.length === 0) return true; // events alone: they may be missing, but appending them twice would be worse
  const written = await Promise.all(swaps.map(({ table, row }) => backEnd.loadVersioned(table, table.keyOf(row))));
  return written.some(({ found }) => found?.revision === revision);
}

/**
 * Rows that the decision leaves unchanged are written again under a new revision. So this commit conflicts if one of them has
 * changed, and an earlier one that is still in progress conflicts with this: it must not succeed after we answered that it failed.
 */
function writingAll<T>(decision: Decision<NextRows, T>, { found }: LoadedRows): Decision<NextRows, T> {
  return { ...decision, next: found.map((each, place) => decision.next?.[place] ?? each?.row) };
}

function isEmpty({ next = [], inserts = [], events = [] }: Decision<NextRows, unknown>): boolean {
  return inserts.length === 0 && events.length === 0 && next.every((row) => row === undefined);
}

function commitOf(
  rows: RowReferences,
  decision: Decision<NextRows, unknown>,
  { found }: LoadedRows,
): Commit | undefined {
  if (isEmpty(decision)) return undefined;
  const { next = [], inserts = [], events = [] } = decision;
  const swaps: Swap[] = inserts.map(({ table, row }) => ({ table, row, expected: undefined }));
  for (const [place, { table }] of rows.entries()) {
    const [row, before] = [next[place], found[place]];
    if (row !== undefined) swaps.push({ table, row, expected: before?.revision, before: before?.row });
  }
  return { swaps: inLockOrder(swaps), events, revision: drawRevision(...found.map((each) => each?.revision)) };
}

/**
 * Tables that others refer to come first. Then new rows, since adding a row may wait for somebody who changes it, but not
 * the other way round.
 */
function inLockOrder(swaps: Swap[]): Swap[] {
  if (swaps.length < 2) return swaps;
  const ordered = swaps.map((swap) => {
    const { table, row, expected } = swap;
    return {
      swap,
      order: [table.companion ? 1 : 0, expected === undefined ? 0 : 1, table.name, table.keyOf(row)].join(' '),
    };
  });
  return ordered.sort((a, b) => (a.order < b.order ? -1 : 1)).map(({ swap }) => swap);
}

/** Random rather than counted, so that a commit recognises its own work; of constant size, so that rows never grow. */
export function drawRevision(...before: readonly (number | undefined)[]): number {
  const drawn = 2 ** 30 + Math.floor(Math.random() * 2 ** 30);
  return before.includes(drawn) ? drawRevision(...before) : drawn; // an equal revision would look like no change
}
