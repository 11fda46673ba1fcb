// Reads all results of a query page by page, so that a large table is never in memory as a whole.
import type { LoggedEvent, PageQuery, Store } from './store.ts';
import type { Table } from './table.ts';

const STEP = 500;

/** Pages of at most `limit` rows, never empty. The next is read after the last has been processed. */
export async function* pages<Row, Companion>(
  from: Pick<Store, 'page'>,
  table: Table<Row, Companion>,
  query: Omit<PageQuery, 'after'>,
): AsyncGenerator<readonly Row[]> {
  for (let last: Row | undefined; ; ) {
    const page = await from.page(table, { ...query, ...(last !== undefined && { after: table.keyOf(last) }) });
    if (page.length > 0) yield page;
    if (page.length < query.limit) return;
    last = page.at(-1);
  }
}

/** Each row. Small tables (integrations, issuers, keys) are read as a whole with `Array.fromAsync`. */
export async function* rows<Row, Companion>(
  from: Pick<Store, 'page'>,
  table: Table<Row, Companion>,
  query: Omit<PageQuery, 'after' | 'limit'> = {},
): AsyncGenerator<Row> {
  for await (const page of pages(from, table, { ...query, limit: STEP })) yield* page;
}

/** The whole event log, oldest first. */
export async function* eventPages(from: Pick<Store, 'events'>, limit: number): AsyncGenerator<readonly LoggedEvent[]> {
  for (let after = 0; ; ) {
    const page = await from.events({ after, limit });
    if (page.length > 0) yield page;
    if (page.length < limit) return;
    after = page.at(-1)?.sequence ?? after;
  }
}
