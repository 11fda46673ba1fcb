import { accept, type PersonOutcome } from '../core/outcome.ts';
import type { PageQuery } from '../store/store.ts';
import type { Table } from '../store/table.ts';
import { openCursor, sealCursor } from './cursor.ts';
import type { Ports } from './ports.ts';

const PAGE_DEFAULT = 50;
const PAGE_MOST = 500;

/** Which page of a listing is wanted. */
export interface PageWish {
  /** Where the page before ended; the first page without it. */
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Leads to the next page, where there is one. */
  readonly next?: string;
}

/** One page of the rows that a filter lets through, in the order of their keys. */
export async function listPage<Row, Companion>(
  table: Table<Row, Companion>,
  filter: Pick<PageQuery, 'where' | 'endingBefore'>,
  { cursor, limit: wanted = PAGE_DEFAULT }: PageWish,
  { store, keyring }: Pick<Ports, 'store' | 'keyring'>,
): Promise<PersonOutcome<Page<Row>>> {
  const listing = listingOf(table.name, filter);
  const opened = cursor === undefined ? undefined : openCursor(listing, cursor, keyring);
  if (opened && !opened.ok) return opened;
  const limit = Math.max(1, Math.min(Math.floor(wanted) || PAGE_DEFAULT, PAGE_MOST));
  // One more than shown tells whether there is a next page.
  const found = await store.page(table, { ...filter, limit: limit + 1, ...(opened && { after: opened.value }) });
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  if (found.length <= limit || last === undefined) return accept({ rows });
  return accept({ rows, next: sealCursor(listing, table.keyOf(last), keyring) });
}

/** Names a listing by all that decides which rows are in it. */
function listingOf(table: string, { where, endingBefore }: Pick<PageQuery, 'where' | 'endingBefore'>): string {
  return JSON.stringify([table, where?.column, where?.value, endingBefore]);
}
