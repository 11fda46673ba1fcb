import type { EpochSeconds } from '../core/time.ts';
import type { BackEnd, Commit, LoadedVersion } from './back-end.ts';
import { CommitUnknown, type Decision, type Found, type Store, StoreUnavailable } from './store.ts';
import type { AnyTable, Table } from './table.ts';

type Decide<Row, Companion, T> = (found: Found<Row, Companion> | undefined, now: EpochSeconds) => Decision<Row, T>;

/** More conflicts than this in a single change mean a fault, not contention. */
const MOST_ATTEMPTS = 1000;

/** Makes a Store of a back end: all that they share is the way a change is decided and committed. */
export function storeOf(backEnd: BackEnd): Store {
  return {
    load: (table, key) => backEnd.loadVersioned(table, key),
    change: (table, key, decide) => change(backEnd, table, key, decide),
    find: (table, column, value, limit) => backEnd.find(table, column, value, limit),
    page: (table, query) => backEnd.page(table, query),
    now: () => backEnd.now(),
    events: (query) => backEnd.events(query),
    sweep: (table, before, limit) => backEnd.sweep(table, before, limit),
    sweepEvents: (before, limit) => backEnd.sweepEvents(before, limit),
    count: (table, column) => backEnd.count(table, column),
    stamp: (table) => backEnd.stamp(table),
    close: () => backEnd.close(),
  };
}

async function change<Row, Companion, T>(
  backEnd: BackEnd,
  table: Table<Row, Companion>,
  key: string,
  decide: Decide<Row, Companion, T>,
): Promise<T> {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const loaded = await backEnd.loadVersioned(table, key);
    const decision = decide(loaded.found, loaded.now);
    const commit = commitOf(table, decision, loaded);
    if (!commit || (await happens(backEnd, commit))) return decision.outcome;
  }
  throw new StoreUnavailable(`a row of ${table.name} changed ${MOST_ATTEMPTS} times while one change waited`);
}

function commitOf(
  table: AnyTable,
  decision: Decision<unknown, unknown>,
  { found }: LoadedVersion<unknown, unknown>,
): Commit | undefined {
  const { next, inserts = [], events = [] } = decision;
  if (next === undefined && inserts.length === 0 && events.length === 0) return undefined;
  const swap = next === undefined ? {} : { swap: { table, row: next, expected: found?.revision } };
  return { ...swap, inserts, events, revision: drawRevision() };
}

/** Whether the commit took place, even where the connection broke before the store could say. */
async function happens(backEnd: BackEnd, commit: Commit): Promise<boolean> {
  try {
    return await backEnd.commit(commit);
  } catch (error) {
    if (!(error instanceof CommitUnknown)) throw error;
    const written = commit.swap ?? commit.inserts[0];
    if (!written) return true; // events alone: at worst they are missing, and saying so twice would be worse
    const { found } = await backEnd.loadVersioned(written.table, written.table.keyOf(written.row));
    return found?.revision === commit.revision;
  }
}

/** Random rather than counted, so that a commit knows its own work; of a constant size, so that rows never grow. */
function drawRevision(): number {
  return 2 ** 30 + Math.floor(Math.random() * 2 ** 30);
}
