// SQL text from table descriptions. Only the descriptions supply names; values are always bound.
import { oncePer } from '../../core/once-per.ts';
import type { Found, PageQuery } from '../store.ts';
import {
  type AnyTable,
  type Column,
  type ColumnKind,
  columnOf,
  decodeSelected,
  endColumn,
  indexedColumn,
  keyColumn,
  selectedColumns,
  type Value,
  type Where,
} from '../table.ts';
import { arrayType } from './arrays.ts';
import { readValue } from './values.ts';

export const statementsOf = oncePer((table: AnyTable) => {
  const [name, key] = [quote(table.name), quote(keyColumn(table).name)];
  const keys = `$1::${arrayType(keyColumn(table).kind)}`;
  return {
    /** One row per key, found or not, with its position in the array and the time, which every load needs. */
    load: `SELECT asked.place, floor(extract(epoch FROM clock_timestamp()))::bigint, ${selected(table)}
      FROM unnest(${keys}) WITH ORDINALITY AS asked (key, place)
      LEFT JOIN ${name} t ON t.${key} = asked.key ${joinedCompanion(table)}`,
    remove: `DELETE FROM ${name} WHERE ${key} = ANY (${keys})`,
    stamp: `SELECT count(*), coalesce(sum(revision), 0)::bigint, (SELECT max(epoch) FROM store_history) FROM ${name}`,
  };
});

/** The keys of the rows that can be locked without waiting. The locks end with the statement. */
export function freeText(table: AnyTable, strength: 'NO KEY UPDATE' | 'KEY SHARE'): string {
  const { name, kind } = keyColumn(table);
  return `SELECT ${quote(name)} FROM ${quote(table.name)} WHERE ${quote(name)} = ANY ($1::${arrayType(kind)})
    FOR ${strength} SKIP LOCKED`;
}

/** Leaves locked rows for the next sweep. */
export function sweepText(table: AnyTable): string {
  const [name, key, end] = [table.name, keyColumn(table).name, endColumn(table)].map(quote);
  return `DELETE FROM ${name} WHERE ${key} = ANY (ARRAY(
    SELECT ${key} FROM ${name} WHERE ${end} < $1::bigint ORDER BY ${end} LIMIT $2::bigint FOR UPDATE SKIP LOCKED))`;
}

export function countEndingText(table: AnyTable): string {
  const end = quote(endColumn(table));
  const early = table.ends?.early === undefined ? 'NULL' : quote(table.ends.early);
  return `SELECT count(*), count(*) - count(early) FROM (SELECT ${early} AS early FROM ${quote(table.name)}
    WHERE ${end} >= $1::bigint AND ${end} < $2::bigint LIMIT $3::bigint) counted`;
}

export function findText(table: AnyTable, column: string): string {
  return `${selectFrom(table)} WHERE t.${quote(indexedColumn(table, column).name)} = $1 LIMIT $2::bigint`;
}

export function pageStatement(table: AnyTable, query: PageQuery): { text: string; values: Value[] } {
  const key = keyColumn(table).name;
  const conditions: [column: string, operator: string, value: Value][] = [];
  if (query.where) conditions.push([query.where.column, '=', parameterOf(table, query.where)]);
  if (query.endingBefore !== undefined) conditions.push([endColumn(table), '<', query.endingBefore]);
  if (query.endingFrom !== undefined) conditions.push([endColumn(table), '>=', query.endingFrom]);
  const [beyond, order] = query.isDescending ? ['<', 'DESC'] : ['>', 'ASC'];
  if (query.after !== undefined) conditions.push([key, beyond, positionOf(table, query.after)]);
  const where = conditions.map(([column, operator], index) => `t.${quote(column)} ${operator} $${index + 2}`);
  const text = `${selectFrom(table)} ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''}
    ORDER BY t.${quote(key)} ${order} LIMIT $1::bigint`;
  return { text, values: [query.limit, ...conditions.map(([, , value]) => value)] };
}

export function parameterOf(table: AnyTable, { column, value }: Where): Value {
  const { kind } = indexedColumn(table, column);
  return bytesText(kind, withoutNul(value));
}

export function countText(table: AnyTable, column: string): string {
  return `SELECT ${quote(columnOf(table, column).name)}, count(*) FROM ${quote(table.name)} GROUP BY 1`;
}

/** The parameters as rows; `unit` is a row's place in them, from 1. */
export function unnested(columns: readonly Column[], alias: string, first = 1): string {
  const arrays = columns.map(({ kind }, index) => `$${first + index}::${arrayType(kind)}`);
  const names = columns.map(({ name }) => quote(name));
  return `unnest(${arrays.join(', ')}) WITH ORDINALITY AS ${alias} (${names.join(', ')}, unit)`;
}

function selectFrom(table: AnyTable): string {
  return `SELECT ${selected(table)} FROM ${quote(table.name)} t ${joinedCompanion(table)}`;
}

/** One column with all values of a row: describing and reading 36 columns takes longer than all else that `pg` does for a load. */
function selected(table: AnyTable): string {
  return `json_build_array(${selectedColumns(table, (from, { name }) => `${from}.${quote(name)}`).join(', ')})`;
}

function joinedCompanion({ companion }: AnyTable): string {
  if (!companion) return '';
  const key = quote(keyColumn(companion.table).name);
  return `LEFT JOIN ${quote(companion.table.name)} c ON c.${key} = t.${quote(companion.by)}`;
}

/** Reads a value of `selected`. Undefined if there was no such row. */
export function decodeRow(table: AnyTable, json: Value | undefined): Found<unknown, unknown> | undefined {
  return decodeSelected(table, JSON.parse(json as string), decodeValues);
}

function decodeValues({ columns }: AnyTable, values: Value[]): Value[] {
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (value != null) values[at] = readValue((columns[at] as Column).kind, value);
  }
  return values;
}

/** No stored text contains NUL, so the rows after a text with NUL are the rows after the part before the NUL. */
function positionOf(table: AnyTable, key: string): Value {
  const value = table.encodeKey(key);
  const { kind } = keyColumn(table);
  return bytesText(kind, typeof value === 'string' ? (value.split('\0')[0] ?? '') : value);
}

/** No stored text contains NUL: such a value becomes null, which matches no row. */
export function withoutNul(value: Value): Value {
  return typeof value === 'string' && value.includes('\0') ? null : value;
}

/** How PostgreSQL reads bytes from a text. */
function bytesText(kind: ColumnKind, value: Value): Value {
  return kind === 'hex' && value !== null ? `\\x${value}` : value;
}

export function quote(name: string): string {
  return `"${name}"`;
}
