// Reads all results of a query page by page, so that a large table is never in memory as a whole.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EpochSeconds } from '../core/time.ts';
import { type EventQuery, type LoggedEvent, type PageQuery, type Store, writeRow } from './store.ts';
import type { Table, Where } from './table.ts';

const STEP = 500;
const CHANGED_AT_ONCE = 200;

/** Pages of at most `limit` rows, never empty. The next is read after the last has been processed, and other work gets a turn between them: SQLite answers at once. */
export async function* pages<Row, Companion>(
  from: Pick<Store, 'page'>,
  table: Table<Row, Companion>,
  query: PageQuery,
): AsyncGenerator<readonly Row[]> {
  for (let next = query; ; ) {
    const page = await from.page(table, next);
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (page.length < query.limit || last === undefined) return;
    next = { ...query, after: table.keyOf(last) };
    await nextTurn();
  }
}

/** Each row. Small tables (integrations, issuers, keys) are read as a whole with `Array.fromAsync`. */
export async function* rows<Row, Companion>(
  from: Pick<Store, 'page'>,
  table: Table<Row, Companion>,
  query: Omit<PageQuery, 'limit'> = {},
): AsyncGenerator<Row> {
  for await (const page of pages(from, table, { ...query, limit: STEP })) yield* page;
}

/** Every row that has not ended. `next` returns undefined to leave a row unchanged. Returns how many rows changed. */
export async function changeEvery<Row, Companion>(
  store: Store,
  table: Table<Row, Companion>,
  next: (row: Row, now: EpochSeconds) => Row | undefined,
  where?: Where,
): Promise<number> {
  let changed = 0;
  const now = await store.now();
  const changeOne = (row: Row) => writeRow(store, table, table.keyOf(row), (found, at) => found && next(found, at));
  const living = { ...(where && { where }), endingFrom: now, limit: CHANGED_AT_ONCE };
  for await (const page of pages(store, table, living))
    changed += (await Promise.all(page.filter((row) => next(row, now)).map(changeOne))).filter(Boolean).length;
  return changed;
}

/** The event log, oldest first: all of it, or what the query selects. */
export async function* eventPages(
  from: Pick<Store, 'events'>,
  limit: number,
  { after: start = 0, ...query }: Partial<Omit<EventQuery, 'limit'>> = {},
): AsyncGenerator<readonly LoggedEvent[]> {
  for (let after = start; ; ) {
    const page = await from.events({ ...query, after, limit });
    if (page.length > 0) yield page;
    if (page.length < limit) return;
    after = page.at(-1)?.sequence ?? after;
    await nextTurn();
  }
}
