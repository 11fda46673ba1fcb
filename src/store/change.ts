import type { EpochSeconds } from '../core/time.ts';
import type { BackEnd, Commit, LoadedVersion } from './back-end.ts';
import { CommitUnknown, type Decision, type Found, OutcomeUnknown, type Store, StoreUnavailable } from './store.ts';
import type { AnyTable, Table } from './table.ts';

type Decide<Row, Companion, T> = (found: Found<Row, Companion> | undefined, now: EpochSeconds) => Decision<Row, T>;

/** More conflicts than this in a single change mean a fault, not contention. */
const MOST_ATTEMPTS = 1000;

/** Turns a back end into a Store. What back ends share is how a change is decided and committed. */
export function storeOf(backEnd: BackEnd): Store {
  return {
    load: (table, key) => backEnd.loadVersioned(table, key),
    change: (table, key, decide) => change(backEnd, table, key, decide, backEnd.loadVersioned(table, key)),
    create: (table, key, decide) =>
      change(backEnd, table, key, (found, now) => (found ? taken(table) : decide(now)), notThere(backEnd)),
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

async function change<Row, Companion, T>(
  backEnd: BackEnd,
  table: Table<Row, Companion>,
  key: string,
  decide: Decide<Row, Companion, T>,
  loading: Promise<LoadedVersion<Row, Companion>>,
): Promise<T> {
  const uncertain: Uncertain<T>[] = [];
  try {
    let loaded = await loading;
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      if (attempt > 1) loaded = await backEnd.loadVersioned(table, key);
      for (const { commit, outcome } of uncertain) if (await happened(commit, loaded, backEnd)) return outcome;
      const decision = decide(loaded.found, loaded.now);
      const { outcome } = decision;
      const commit = commitOf(table, uncertain.length > 0 ? fenced(decision, loaded) : decision, loaded);
      if (!commit) return outcome;
      try {
        if (await backEnd.commit(commit)) return outcome;
      } catch (error) {
        if (!(error instanceof CommitUnknown)) throw error;
        uncertain.push({ commit, outcome });
      }
    }
    throw new StoreUnavailable(`a row of ${table.name} changed ${MOST_ATTEMPTS} times while one change waited`);
  } catch (error) {
    if (uncertain.length === 0 || !(error instanceof StoreUnavailable)) throw error;
    throw new OutcomeUnknown(error.message, { cause: error });
  }
}

/** What loading a newly drawn key would return: no row. */
async function notThere(backEnd: BackEnd): Promise<LoadedVersion<never, never>> {
  return { found: undefined, now: await backEnd.now() };
}

/** Id collision: the existing row wins. */
function taken({ name }: AnyTable): never {
  throw new Error(`a key that was drawn for a new row of ${name} is taken`);
}

/** A commit whose connection broke. It may still be in progress and become visible only later. */
interface Uncertain<T> {
  readonly commit: Commit;
  readonly outcome: T;
}

/** Recognised by its revision: in the row it changed or, if that row has changed again, in a row it inserted. */
async function happened(
  { swap, inserts: [inserted], revision }: Commit,
  { found }: LoadedVersion<unknown, unknown>,
  backEnd: BackEnd,
): Promise<boolean> {
  if (swap && found?.revision === revision) return true;
  if (!inserted) return !swap; // events alone: they may be missing, but appending them twice would be worse
  const { table, row } = inserted;
  return (await backEnd.loadVersioned(table, table.keyOf(row))).found?.revision === revision;
}

/**
 * A commit that is still in progress must not succeed after we answered that it failed. If the new decision would leave the
 * row unchanged, the row is written again under a new revision, so that the old commit conflicts.
 */
function fenced<Row, T>(decision: Decision<Row, T>, { found }: LoadedVersion<Row, unknown>): Decision<Row, T> {
  return decision.next === undefined && found ? { ...decision, next: found.row } : decision;
}

function commitOf(
  table: AnyTable,
  decision: Decision<unknown, unknown>,
  { found }: LoadedVersion<unknown, unknown>,
): Commit | undefined {
  const { next, inserts = [], events = [] } = decision;
  if (next === undefined && inserts.length === 0 && events.length === 0) return undefined;
  const revision = drawRevision(found?.revision);
  if (next === undefined) return { inserts, events, revision };
  return { swap: { table, row: next, expected: found?.revision, before: found?.row }, inserts, events, revision };
}

/** Random rather than counted, so that a commit recognises its own work; of constant size, so that rows never grow. */
export function drawRevision(before: number | undefined): number {
  const drawn = 2 ** 30 + Math.floor(Math.random() * 2 ** 30);
  return drawn === before ? drawn - 1 : drawn; // an equal revision would look like no change
}
