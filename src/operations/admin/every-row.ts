import type { PageQuery, Store } from '../../store/store.ts';
import type { Table } from '../../store/table.ts';

const STEP = 500;

/** All rows that a query finds, page by page, so that a large table never sits in memory. */
export async function* everyRow<Row, Companion>(
  store: Store,
  table: Table<Row, Companion>,
  query: Omit<PageQuery, 'limit' | 'after'> = {},
): AsyncGenerator<Row> {
  let after: string | undefined;
  for (;;) {
    const page = await store.page(table, { ...query, limit: STEP, ...(after !== undefined && { after }) });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < STEP) return;
    after = table.keyOf(last);
  }
}

/** For the tables that are small by nature: integrations, issuers, keys. */
export async function allRows<Row, Companion>(store: Store, table: Table<Row, Companion>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of everyRow(store, table)) rows.push(row);
  return rows;
}
