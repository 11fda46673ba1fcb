import type { BackEnd, Commit, Swap } from './back-end.ts';
import {
  CommitUnknown,
  type Decision,
  type Found,
  type Loaded,
  MOST_ROWS,
  OutcomeUnknown,
  type RowReferences,
  RowUnavailable,
  type Store,
  StoreUnavailable,
} from './store.ts';
import type { AnyTable } from './table.ts';

/** More conflicts than this in a single change mean a fault, not contention. */
const MOST_ATTEMPTS = 1000;
/** A commit that fails this often although its row stays the same: something in the database swallows the update. */
const MOST_SWALLOWED = 5;

/** What a decision commits, if anything. */
interface Plan<T> {
  readonly outcome: T;
  readonly commit: Commit | undefined;
}

/** Turns a back end into a Store. What back ends share is how a change is decided and committed. */
export function storeOf(backEnd: BackEnd): Store {
  return {
    ...backEnd,
    change: (table, key, decide) => {
      const load = () => backEnd.load(table, key);
      return change(backEnd, load, ({ found, now }, mustFence) => planOf(table, found, decide(found, now), mustFence));
    },
    changeAll: async (rows, decide) => {
      assertWritable(rows);
      const load = () => loadAll(backEnd, rows);
      return change(backEnd, load, ({ found, now }, mustFence) =>
        planOfAll(rows, found, decide(found as never, now), mustFence),
      );
    },
    create: (table, key, decide) => {
      const load = () => backEnd.load(table, key);
      const plan = ({ found, now }: Loaded<unknown, unknown>) =>
        found ? taken(table) : planOf(table, undefined, decide(now), false);
      return change(backEnd, load, plan, notThere(backEnd));
    },
  };
}

async function change<Found, T>(
  backEnd: BackEnd,
  load: () => Promise<Found>,
  plan: (loaded: Found, mustFence: boolean) => Plan<T>,
  loading = load(),
): Promise<T> {
  const uncertain: Uncertain<T>[] = [];
  let [expected, swallowed] = ['', 0];
  try {
    let loaded = await loading;
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      if (attempt > 1) loaded = await load();
      for (const { commit, outcome } of uncertain) if (await happened(commit, backEnd)) return outcome;
      const { outcome, commit } = plan(loaded, uncertain.length > 0);
      if (!commit) return outcome;
      try {
        if (await backEnd.commit(commit)) return outcome;
        const before = commit.swaps.map((swap) => swap.expected ?? 'new').join();
        swallowed = before === expected && !before.includes('new') ? swallowed + 1 : 0;
        if (swallowed >= MOST_SWALLOWED) throw new RowUnavailable('a row stays as it was, whatever is written to it');
        expected = before;
      } catch (error) {
        if (!(error instanceof CommitUnknown)) throw error;
        uncertain.push({ commit, outcome });
      }
    }
    throw new RowUnavailable(`a row changed ${MOST_ATTEMPTS} times while one change of it waited`);
  } catch (error) {
    if (uncertain.length === 0 || !(error instanceof StoreUnavailable)) throw error;
    throw new OutcomeUnknown(error.message, { cause: error });
  }
}

async function loadAll(backEnd: BackEnd, rows: RowReferences) {
  const loaded = await Promise.all(rows.map(({ table, key }) => backEnd.load(table, key)));
  return { found: loaded.map(({ found }) => found), now: await backEnd.now() };
}

/** What loading a newly drawn key would return: no row. */
async function notThere(backEnd: BackEnd): Promise<Loaded<never, never>> {
  return { found: undefined, now: await backEnd.now() };
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

/** A commit whose connection broke. It may still be in progress and become visible only later. */
interface Uncertain<T> {
  readonly commit: Commit;
  readonly outcome: T;
}

/** Recognised by its revision, in any of the rows that it wrote: others may have changed some of them since. */
async function happened({ swaps, revision }: Commit, backEnd: BackEnd): Promise<boolean> {
  if (swaps.length === 0) return true; // events alone: they may be missing, but appending them twice would be worse
  const written = await Promise.all(swaps.map(({ table, row }) => backEnd.load(table, table.keyOf(row))));
  return written.some(({ found }) => found?.revision === revision);
}

/** `mustFence`: writes an unchanged row again, so that an uncertain commit that is still in progress conflicts. */
function planOf<Row, T>(
  table: AnyTable,
  found: Found<Row, unknown> | undefined,
  decision: Decision<Row, T>,
  mustFence: boolean,
): Plan<T> {
  const next = decision.next ?? (mustFence ? found?.row : undefined);
  return {
    outcome: decision.outcome,
    commit: commitOf(next === undefined ? [] : [swapOf(table, found, next)], decision),
  };
}

/** Rows that are only read are written again in the same way, so that this commit conflicts if one of them has changed. */
function planOfAll<T>(
  rows: RowReferences,
  found: readonly (Found<unknown, unknown> | undefined)[],
  decision: Decision<readonly unknown[], T>,
  mustFence: boolean,
): Plan<T> {
  const { outcome, next = [], inserts = [], events = [] } = decision;
  const writes = mustFence || inserts.length > 0 || events.length > 0 || next.some((row) => row !== undefined);
  if (!writes) return { outcome, commit: undefined };
  const swaps = rows.flatMap(({ table }, place) => {
    const row = next[place] ?? found[place]?.row;
    return row === undefined ? [] : [swapOf(table, found[place], row)];
  });
  return { outcome, commit: commitOf(swaps, decision) };
}

function swapOf(table: AnyTable, found: Found<unknown, unknown> | undefined, row: unknown): Swap {
  return { table, row, expected: found?.revision, before: found?.row };
}

function commitOf(swaps: Swap[], { inserts = [], events = [] }: Decision<unknown, unknown>): Commit | undefined {
  for (const { table, row } of inserts) swaps.push({ table, row, expected: undefined });
  if (swaps.length === 0 && events.length === 0) return undefined;
  return { swaps: swaps.length > 1 ? inLockOrder(swaps) : swaps, events, revision: drawRevision(swaps) };
}

/** One order prevents deadlocks: tables that others refer to, then new rows, which may wait for a change of those. */
function inLockOrder(swaps: readonly Swap[]): Swap[] {
  const orderOf = ({ table, row, expected }: Swap) =>
    [table.companion ? 1 : 0, expected === undefined ? 0 : 1, table.name, table.keyOf(row)].join(' ');
  const ordered = swaps.map((swap) => ({ swap, order: orderOf(swap) }));
  return ordered.sort((a, b) => (a.order < b.order ? -1 : 1)).map(({ swap }) => swap);
}

/** Random rather than counted, so that a commit recognises its own work; of constant size, so that rows never grow. */
export function drawRevision(swaps: readonly Swap[]): number {
  const drawn = 2 ** 30 + Math.floor(Math.random() * 2 ** 30);
  // an equal revision would look like no change
  return swaps.some(({ expected }) => expected === drawn) ? drawRevision(swaps) : drawn;
}
