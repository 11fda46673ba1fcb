// SQL text from table descriptions. Only the descriptions supply names; values are always bound.
import { oncePer } from '../../core/once-per.ts';
import type { Swap } from '../back-end.ts';
import type { Found, PageQuery } from '../store.ts';
import {
  type AnyTable,
  type Column,
  changingColumns,
  columnOf,
  decodeSelected,
  endColumn,
  indexedColumn,
  keyColumn,
  selectedColumns,
  type Value,
} from '../table.ts';
import { decodeColumns, decodedOf, decodeValue, encodeValue, readable, written } from './values.ts';

/** With a bare parameter, SQLite plans the statement again whenever it is bound, which takes longer than most statements. */
export const LIMIT = 'LIMIT ? + 0';

export interface Update {
  readonly sql: string;
  /** What it sets besides the revision. */
  readonly columns: AnyTable['columns'];
}

export const statementsOf = oncePer((table: AnyTable) => {
  const key = keyColumn(table);
  const columns = ['revision', ...table.columns.map(({ name }) => name)];
  const values = ['?', ...table.columns.map(written)];
  const changing = changingColumns(table);
  const { name } = table;
  return {
    select: `${selectFrom(table)} WHERE t.${isValue(key)}`,
    insert: `INSERT INTO ${name} (${columns}) VALUES (${values}) ON CONFLICT DO NOTHING`,
    update: updateOf(table, changing),
    /** For rows whose rare columns are null and remain so. */
    updateCommon: updateOf(
      table,
      changing.filter(({ rare }) => !rare),
    ),
    stamp: `SELECT count(*), total(revision), (SELECT max(epoch) FROM store_history) FROM ${name}`,
    changingRare: changing.filter(({ rare }) => rare),
    decoded: decodedOf(table.columns),
    /** Rows may have more than a page. */
    hasBytes: table.columns.some(({ kind }) => kind === 'bytes'),
  };
});

function updateOf(table: AnyTable, columns: AnyTable['columns']): Update {
  const set = ['revision = ?', ...columns.map((column) => isValue(column))];
  return { sql: `UPDATE ${table.name} SET ${set} WHERE ${isValue(keyColumn(table))} AND revision = ?`, columns };
}

export function sweepStatement(table: AnyTable): string {
  const [key, end] = [keyColumn(table).name, endColumn(table)];
  return `DELETE FROM ${table.name} WHERE ${key} IN (SELECT ${key} FROM ${table.name} WHERE ${end} < ? ${LIMIT})`;
}

export function countEndingStatement(table: AnyTable): string {
  const end = endColumn(table);
  const rows = `SELECT ${table.ends?.early ?? 'NULL'} AS early FROM ${table.name} WHERE ${end} >= ? AND ${end} < ? ${LIMIT}`;
  return `SELECT count(*), count(*) - count(early) FROM (${rows})`;
}

export function findStatement(table: AnyTable, column: string): string {
  return `${selectFrom(table)} WHERE t.${isValue(indexedColumn(table, column))} ${LIMIT}`;
}

export function pageStatement(table: AnyTable, query: PageQuery): { sql: string; values: Value[] } {
  // A plus keeps the planner from an index: from reading the whole table in the order of keys to find the few that end soon, and from
  // sorting, once for every page, the many that have not ended.
  const keyed = keyColumn(table);
  const key = `${query.endingBefore === undefined ? '' : '+'}t.${keyed.name}`;
  const conditions: [string, Value][] = [];
  if (query.where) conditions.push([`t.${isValue(indexedColumn(table, query.where.column))}`, query.where.value]);
  if (query.endingBefore !== undefined) conditions.push([`t.${endColumn(table)} < ?`, query.endingBefore]);
  if (query.endingFrom !== undefined) conditions.push([`+t.${endColumn(table)} >= ?`, query.endingFrom]);
  const [beyond, order] = query.isDescending ? ['<', 'DESC'] : ['>', 'ASC'];
  if (query.after !== undefined) conditions.push([`${key} ${beyond} ${written(keyed)}`, table.encodeKey(query.after)]);
  const where = conditions.length > 0 ? `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}` : '';
  return {
    sql: `${selectFrom(table)} ${where} ORDER BY ${key} ${order} ${LIMIT}`,
    values: [...conditions.map(([, value]) => value), query.limit],
  };
}

export function countStatement(table: AnyTable, column: string): string {
  return `SELECT ${readable('t', columnOf(table, column))}, count(*) FROM ${table.name} t GROUP BY t.${column}`;
}

export function decodeCounts(table: AnyTable, column: string, results: readonly Value[][]): Map<Value, number> {
  const counted = columnOf(table, column);
  return new Map(results.map(([value = null, count]) => [decodeValue(counted, value), count as number]));
}

const selectFrom = oncePer((table: AnyTable) => {
  const { name, companion } = table;
  const from = `SELECT ${selectedColumns(table, readable)} FROM ${name} t`;
  if (!companion) return from;
  return `${from} LEFT JOIN ${companion.table.name} c ON c.${keyColumn(companion.table).name} = t.${companion.by}`;
});

function isValue(column: Column): string {
  return `${column.name} = ${written(column)}`;
}

export function insertValues({ columns }: AnyTable, row: unknown, revision: number): Value[] {
  const values: Value[] = [revision];
  for (const column of columns) values.push(encodeValue(column, row));
  return values;
}

export function updateValues({ columns }: Update, { table, row, expected }: Swap, revision: number): Value[] {
  const values: Value[] = [revision];
  for (const column of columns) values.push(encodeValue(column, row));
  values.push(table.encodeKey(table.keyOf(row)), expected as number);
  return values;
}

export function decodeRow(table: AnyTable, values: readonly Value[]): Found<unknown, unknown> | undefined {
  return decodeSelected(table, values, decodeValues);
}

function decodeValues(table: AnyTable, values: Value[]): Value[] {
  return decodeColumns(statementsOf(table).decoded, values);
}
