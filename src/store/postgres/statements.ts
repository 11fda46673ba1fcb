// SQL text from table descriptions. Only the descriptions supply names; values are always bound.
import { oncePer } from '../../core/once-per.ts';
import type { PageQuery } from '../store.ts';
import {
  type AnyTable,
  type Column,
  type ColumnKind,
  changingColumns,
  columnOf,
  decodeSelected,
  endColumn,
  indexedColumn,
  keyColumn,
  selectedColumns,
  type Value,
  type Where,
} from '../table.ts';
import { ARRAY_TYPE } from './arrays.ts';
import type { Statement } from './prepared-query.ts';

/** Common table expressions and the columns of their parameters. `done` lists the units that succeeded. */
export interface Writing {
  readonly text: string;
  readonly columns: readonly Column[];
}

export const statementsOf = oncePer((table: AnyTable) => {
  const changing = changingColumns(table);
  const [rare, common] = [changing.filter((column) => column.rare), changing.filter((column) => !column.rare)];
  return {
    load: loadStatement(table),
    /** The columns that a swap sets besides the revision. */
    changing,
    changingRare: rare,
    /** The positions of the columns of kind `bytes`. */
    bytesAt: table.columns.flatMap(({ kind }, at) => (kind === 'bytes' ? [at] : [])),
    swap: swapText(table, changing),
    /** For rows whose rare columns are null and remain so. */
    swapCommon: swapText(table, common),
    create: createText(table),
    sweep: sweepStatement(table),
    /** Leaves locked rows for the next sweep. */
    sweepFree: sweepStatement(table, 'FOR UPDATE SKIP LOCKED'),
    countEnding: countEndingStatement(table),
    stamp: stampStatement(table),
  };
});

/** One row per key, found or not, with its position in the array and the time, which every load needs. */
function loadStatement(table: AnyTable): Statement {
  const { name, kind } = keyColumn(table);
  return {
    name: `load_${table.name}`,
    text: `SELECT asked.place, floor(extract(epoch FROM clock_timestamp()))::bigint, ${selected(table)}
      FROM /*spread event_sequence, */ unnest($1::${ARRAY_TYPE[kind]}) WITH ORDINALITY AS asked (key, place)
      LEFT JOIN ${quote(table.name)} t ON t.${quote(name)} = asked.key
        /*spread AND t.${quote(name)} = ANY ($1) */ ${joinedCompanion(table)}`,
  };
}

/** Rows may be changed meanwhile, hence the second condition. */
function sweepStatement(table: AnyTable, lock = ''): Statement | undefined {
  if (!table.endsAt) return undefined;
  const [name, key, endsAt] = [table.name, keyColumn(table).name, table.endsAt].map(quote);
  return {
    name: `sweep_${table.name}${lock}`,
    text: `DELETE FROM ${name} WHERE ${key} = ANY (ARRAY(
      SELECT ${key} FROM ${name} WHERE ${endsAt} < $1::bigint ORDER BY ${endsAt} LIMIT $2::bigint ${lock}))
      AND ${endsAt} < $1::bigint`,
  };
}

/** The keys of the rows that can be locked without waiting. The locks end with the statement. */
export function freeStatement(table: AnyTable, strength: 'NO KEY UPDATE' | 'KEY SHARE'): Statement {
  const { name, kind } = keyColumn(table);
  return {
    name: `free_${table.name}_${strength}`,
    text: `SELECT ${quote(name)} FROM ${quote(table.name)} WHERE ${quote(name)} = ANY ($1::${ARRAY_TYPE[kind]})
      FOR ${strength} SKIP LOCKED`,
  };
}

function countEndingStatement({ name, endsAt, endedEarly }: AnyTable): Statement | undefined {
  if (!endsAt) return undefined;
  const end = quote(endsAt);
  const isLiving = endedEarly === undefined ? '' : `AND ${quote(endedEarly)} IS NULL`;
  return {
    name: `count_ending_${name}`,
    text: `SELECT count(*) FROM (SELECT 1 FROM ${quote(name)} WHERE ${end} >= $1::bigint AND ${end} < $2::bigint
      ${isLiving} LIMIT $3::bigint) counted`,
  };
}

function stampStatement({ name }: AnyTable): Statement {
  const history = 'SELECT max(epoch) FROM store_history';
  return {
    name: `stamp_${name}`,
    text: `SELECT count(*), coalesce(sum(revision), 0)::bigint, (${history}) FROM ${quote(name)}`,
  };
}

export function removeStatement(table: AnyTable): Statement {
  const { name, kind } = keyColumn(table);
  return {
    name: `remove_${table.name}`,
    text: `DELETE FROM ${quote(table.name)} WHERE ${quote(name)} = ANY ($1::${ARRAY_TYPE[kind]})`,
  };
}

export function findStatement(table: AnyTable, column: string): Statement {
  return {
    name: `find_${table.name}_${indexedColumn(table, column).name}`,
    text: `${selectFrom(table)} WHERE t.${quote(column)} = $1 LIMIT $2::bigint`,
  };
}

export function pageStatement(table: AnyTable, query: PageQuery): { statement: Statement; values: Value[] } {
  const key = keyColumn(table).name;
  const conditions: [column: string, operator: string, value: Value][] = [];
  if (query.where) conditions.push([query.where.column, '=', parameterOf(table, query.where)]);
  if (query.endingBefore !== undefined) conditions.push([endColumn(table), '<', query.endingBefore]);
  const [beyond, order] = query.isDescending ? ['<', 'DESC'] : ['>', 'ASC'];
  if (query.after !== undefined) conditions.push([key, beyond, positionOf(table, query.after)]);
  const where = conditions.map(([column, operator], index) => `t.${quote(column)} ${operator} $${index + 2}`);
  const text = `${selectFrom(table)} ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''}
    ORDER BY t.${quote(key)} ${order} LIMIT $1::bigint`;
  const name = ['page', order, table.name, ...conditions.map(([column, operator]) => column + operator)].join('_');
  return { statement: { name, text }, values: [query.limit, ...conditions.map(([, , value]) => value)] };
}

export function parameterOf(table: AnyTable, { column, value }: Where): Value {
  const { kind } = indexedColumn(table, column);
  return bytesText(kind, withoutNul(value));
}

export function countStatement(table: AnyTable, column: string): Statement {
  const { name } = columnOf(table, column);
  return {
    name: `count_${table.name}_${name}`,
    text: `SELECT ${quote(name)}, count(*) FROM ${quote(table.name)} GROUP BY 1`,
  };
}

/** Compare-and-set of many rows; returns which had the expected revision. Sorted keys prevent deadlocks. */
function swapText(table: AnyTable, changing: readonly Column[]): Writing {
  const columns: Column[] = [...REVISIONS, keyColumn(table), ...changing];
  const set = ['revision', ...changing.map(({ name }) => name)].map((name) => `${quote(name)} = i.${quote(name)}`);
  const key = quote(keyColumn(table).name);
  const text = `done AS (UPDATE ${quote(table.name)} t SET ${set.join(', ')} FROM ${unnested(columns, 'i')}
    WHERE t.${key} = i.${key} /*spread AND t.${key} = ANY ($3) */ AND t.revision = i.expected AND ${IN_TIME} RETURNING i.unit)`;
  return { text, columns };
}

/** Inserts many rows at once; returns which of them are new. If several have the same key, the first one wins. */
function createText(table: AnyTable): Writing {
  const columns: Column[] = [REVISIONS[1], ...table.columns];
  const names = columns.map(({ name }) => quote(name)).join(', ');
  const key = quote(keyColumn(table).name);
  const text = `given AS (SELECT DISTINCT ON (${key}) * FROM ${unnested(columns, 'i')} WHERE ${IN_TIME} ORDER BY ${key}, unit),
    made AS (INSERT INTO ${quote(table.name)} (${names}) SELECT ${names} FROM given ORDER BY ${key}
      ON CONFLICT DO NOTHING RETURNING ${key}),
    done AS (SELECT given.unit FROM given JOIN made ON made.${key} = given.${key})`;
  return { text, columns };
}

/** True in every part of a changing statement, or in none: the clock is read once. */
export const IN_TIME = '(SELECT is_in_time FROM start)';

/**
 * A statement made of common table expressions that check IN_TIME. The parameter behind theirs is the latest moment, in
 * seconds, at which it may start. If it starts later it does nothing and returns unit 0.
 */
export function changingStatement(name: string, parts: string, parameters: number): Statement {
  return {
    name,
    text: `WITH start AS MATERIALIZED (
      SELECT clock_timestamp() <= to_timestamp($${parameters + 1}::float8) AS is_in_time), ${parts}
      SELECT 0::bigint AS unit FROM start WHERE NOT is_in_time UNION ALL SELECT unit FROM done`,
  };
}

const REVISIONS = [
  { name: 'expected', kind: 'integer' },
  { name: 'revision', kind: 'integer' },
] as const satisfies readonly Column[];

/** The parameters as rows; `unit` is a row's place in them, from 1. */
export function unnested(columns: readonly Column[], alias: string, first = 1): string {
  const arrays = columns.map(({ kind }, index) => `$${first + index}::${ARRAY_TYPE[kind]}`);
  const names = columns.map(({ name }) => quote(name));
  return `unnest(${arrays.join(', ')}) WITH ORDINALITY AS ${alias} (${names.join(', ')}, unit)`;
}

function selectFrom(table: AnyTable): string {
  return `SELECT ${selected(table)} FROM ${quote(table.name)} t ${joinedCompanion(table)}`;
}

function selected(table: AnyTable): string {
  const read = (of: 'row' | 'companion', { name }: Column) => `${of === 'row' ? 't' : 'c'}.${quote(name)}`;
  return selectedColumns(table, read, 't.revision').join(', ');
}

function joinedCompanion({ companion }: AnyTable): string {
  if (!companion) return '';
  const key = quote(keyColumn(companion.table).name);
  return `LEFT JOIN ${quote(companion.table.name)} c ON c.${key} = t.${quote(companion.by)}`;
}

/** Reads the columns of `selected`, which begin at `first`. Undefined if there was no such row. */
export function decodeRow(
  table: AnyTable,
  values: readonly Value[],
  first = 0,
): { row: unknown; companion: unknown; revision: number } | undefined {
  return decodeSelected(table, values, first, decodeValues);
}

/** Bytes arrive as hex digits. Rows hold hex digits too, but bytes in columns of kind `bytes`. */
function decodeValues(table: AnyTable, values: Value[]): Value[] {
  for (const at of statementsOf(table).bytesAt)
    if (values[at] !== null) values[at] = Buffer.from(values[at] as string, 'hex');
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

function quote(name: string): string {
  return `"${name}"`;
}
