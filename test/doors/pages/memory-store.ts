// A store in memory, for simulations of a million steps. It keeps rows as they are and swaps them by revision, as every
// back end does; everything the simulations do not need throws.
import type { EpochSeconds } from '../../../src/core/time.ts';
import type { BackEnd, Commit, Swap } from '../../../src/store/back-end.ts';
import { storeOf } from '../../../src/store/change.ts';
import type { Found, Loaded, Store } from '../../../src/store/store.ts';
import { type AnyTable, encodeRow, type Table, type Where } from '../../../src/store/table.ts';

type Rows = Map<string, Found<unknown, unknown>>;

export function memoryStore(clock: () => EpochSeconds): Store {
  const tables = new Map<string, Rows>();
  const rowsOf = (table: AnyTable): Rows => {
    const known = tables.get(table.name);
    if (known) return known;
    const rows: Rows = new Map();
    tables.set(table.name, rows);
    return rows;
  };
  const notHere = async (): Promise<never> => {
    throw new Error('the memory store does not do this');
  };
  const backEnd: BackEnd = {
    now: async () => clock(),
    load: async <Row, Companion>(table: Table<Row, Companion>, key: string) => {
      const found = rowsOf(table).get(key) as Found<Row, Companion> | undefined;
      return { found, now: clock() } satisfies Loaded<Row, Companion>;
    },
    commit: async ({ swaps, revision }: Commit) => {
      const isCurrent = ({ table, row, expected }: Swap) => rowsOf(table).get(table.keyOf(row))?.revision === expected;
      if (!swaps.every(isCurrent)) return false;
      for (const { table, row } of swaps) rowsOf(table).set(table.keyOf(row), { row, companion: undefined, revision });
      return true;
    },
    find: async <Row, Companion>(table: Table<Row, Companion>, { column, value }: Where, limit = 100) => {
      const at = table.columns.findIndex(({ name }) => name === column);
      const wanted = String(value);
      const found: Row[] = [];
      for (const { row } of rowsOf(table).values()) {
        if (String(encodeRow(table, row)[at]) === wanted) found.push(row as Row);
        if (found.length === limit) break;
      }
      return found;
    },
    page: notHere,
    events: async () => [],
    newestEvents: async () => [],
    eventProgress: async () => ({ readable: 0, drawn: 0 }),
    countEnding: notHere,
    sweep: notHere,
    sweepEvents: notHere,
    count: notHere,
    stamp: notHere,
    examine: async () => ({ now: clock(), checks: [{ name: 'store' }] }),
    figures: () => ({ commits: { buckets: [], seconds: 0, count: 0 }, waiting: 0 }),
    close: async () => undefined,
  };
  return storeOf(backEnd);
}
