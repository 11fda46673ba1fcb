// SQL text from table descriptions. Names come from the descriptions alone, values are always bound.
import type { PageQuery } from '../store.ts';
import { type AnyTable, type Column, type ColumnKind, changingColumns, type Value, type Where } from '../table.ts';
import { ARRAY_TYPE } from './arrays.ts';
import type { Statement } from './connection.ts';

export interface TableStatements {
  readonly load: Statement;
  /** What a swap sets, besides the revision. */
  readonly changing: AnyTable['columns'];
  /** Where in a row the columns of kind `bytes` are. */
  readonly bytesAt: readonly number[];
  readonly swap: Writing;
  readonly create: Writing;
  readonly sweep: Statement | undefined;
  readonly countEnding: Statement | undefined;
  readonly stamp: Statement;
}

/** Common table expressions, of which `done` names the units that it happened to, and the columns of their parameters. */
export interface Writing {
  readonly text: string;
  readonly columns: readonly Column[];
}

const known = new WeakMap<AnyTable, TableStatements>();

export function statementsOf(table: AnyTable): TableStatements {
  let statements = known.get(table);
  if (!statements) {
    statements = {
      load: loadStatement(table),
      changing: changingColumns(table),
      bytesAt: table.columns.flatMap(({ kind }, at) => (kind === 'bytes' ? [at] : [])),
      swap: swapText(table),
      create: createText(table),
      sweep: sweepStatement(table),
      countEnding: countEndingStatement(table),
      stamp: stampStatement(table),
    };
    known.set(table, statements);
  }
  return statements;
}

/** One row per key, found or not, each with its place in the array and the clock; so a load that finds nothing knows the time. */
function loadStatement(table: AnyTable): Statement {
  const { name, kind } = keyColumn(table);
  return {
    name: `load_${table.name}`,
    text: `SELECT asked.place, floor(extract(epoch FROM clock_timestamp()))::bigint, ${selected(table)}
      FROM unnest($1::${ARRAY_TYPE[kind]}) WITH ORDINALITY AS asked (key, place)
      LEFT JOIN ${quote(table.name)} t ON t.${quote(name)} = asked.key ${joinedCompanion(table)}`,
  };
}

/** Rows that somebody is changing at this moment are left for the next time. */
function sweepStatement(table: AnyTable): Statement | undefined {
  if (!table.endsAt) return undefined;
  const [name, key, endsAt] = [table.name, keyColumn(table).name, table.endsAt].map(quote);
  return {
    name: `sweep_${table.name}`,
    text: `DELETE FROM ${name} WHERE ${key} = ANY (ARRAY(
      SELECT ${key} FROM ${name} WHERE ${endsAt} < $1::bigint ORDER BY ${endsAt} LIMIT $2::bigint FOR UPDATE SKIP LOCKED))`,
  };
}

/** The keys of those rows that can be locked at once. The locks end with the statement. */
export function freeStatement(table: AnyTable, strength: 'NO KEY UPDATE' | 'KEY SHARE'): Statement {
  const { name, kind } = keyColumn(table);
  return {
    name: `free_${table.name}_${strength}`,
    text: `SELECT ${quote(name)} FROM ${quote(table.name)} WHERE ${quote(name)} = ANY ($1::${ARRAY_TYPE[kind]})
      FOR ${strength} SKIP LOCKED`,
  };
}

function countEndingStatement({ name, endsAt }: AnyTable): Statement | undefined {
  if (!endsAt) return undefined;
  const end = quote(endsAt);
  return {
    name: `count_ending_${name}`,
    text: `SELECT count(*) FROM (SELECT 1 FROM ${quote(name)} WHERE ${end} >= $1::bigint AND ${end} < $2::bigint
      LIMIT $3::bigint) counted`,
  };
}

function stampStatement({ name }: AnyTable): Statement {
  return { name: `stamp_${name}`, text: `SELECT count(*), coalesce(sum(revision), 0)::bigint FROM ${quote(name)}` };
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
    name: `find_${table.name}_${indexed(table, column)}`,
    text: `${selectFrom(table)} WHERE t.${quote(column)} = $1 LIMIT $2::bigint`,
  };
}

export function pageStatement(table: AnyTable, query: PageQuery): { statement: Statement; values: Value[] } {
  const key = keyColumn(table).name;
  const conditions: [column: string, operator: string, value: Value][] = [];
  if (query.where) conditions.push([query.where.column, '=', parameterOf(table, query.where)]);
  if (query.endingBefore !== undefined)
    conditions.push([table.endsAt ?? fail(table, 'its end'), '<', query.endingBefore]);
  if (query.after !== undefined) conditions.push([key, '>', positionOf(table, query.after)]);
  const where = conditions.map(([column, operator], index) => `t.${quote(column)} ${operator} $${index + 2}`);
  const text = `${selectFrom(table)} ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''}
    ORDER BY t.${quote(key)} LIMIT $1::bigint`;
  const name = ['page', table.name, ...conditions.map(([column, operator]) => column + operator)].join('_');
  return { statement: { name, text }, values: [query.limit, ...conditions.map(([, , value]) => value)] };
}

/** The value that an indexed column is compared with, as a parameter of its own. */
export function parameterOf(table: AnyTable, { column, value }: Where): Value {
  const { kind } = columnOf(table, indexed(table, column));
  return bytesText(kind, withoutNul(value));
}

export function countStatement(table: AnyTable, column: string): Statement {
  const { name } = columnOf(table, column);
  return {
    name: `count_${table.name}_${name}`,
    text: `SELECT ${quote(name)}, count(*) FROM ${quote(table.name)} GROUP BY 1`,
  };
}

/** Compare-and-set of many rows at once; says which of them were as expected. Sorted keys: nobody waits in a circle. */
function swapText(table: AnyTable): Writing {
  const changing = changingColumns(table);
  const columns: Column[] = [...REVISIONS, keyColumn(table), ...changing];
  const set = ['revision', ...changing.map(({ name }) => name)].map((name) => `${quote(name)} = i.${quote(name)}`);
  const key = quote(keyColumn(table).name);
  const text = `done AS (UPDATE ${quote(table.name)} t SET ${set.join(', ')} FROM ${unnested(columns, 'i')}
    WHERE t.${key} = i.${key} AND t.revision = i.expected AND ${IN_TIME} RETURNING i.unit)`;
  return { text, columns };
}

/** Inserts many rows at once; says which of them are new. Of several with one key, the first counts. */
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
 * A statement out of common table expressions that ask IN_TIME. The parameter behind theirs is the latest moment, in
 * seconds, at which it may start; if it starts later it does nothing, and answers with unit 0.
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

/** The row's columns, its revision, then the companion's columns. */
function selected(table: AnyTable): string {
  const own = [...table.columns.map(({ name }) => `t.${quote(name)}`), 't.revision'];
  const others = table.companion?.table.columns.map(({ name }) => `c.${quote(name)}`) ?? [];
  return [...own, ...others].join(', ');
}

function joinedCompanion({ companion }: AnyTable): string {
  if (!companion) return '';
  const key = quote(keyColumn(companion.table).name);
  return `LEFT JOIN ${quote(companion.table.name)} c ON c.${key} = t.${quote(companion.by)}`;
}

/** Reads the columns of `selected`, which begin at `first`. Undefined where the row was not there. */
export function decodeRow(
  table: AnyTable,
  values: readonly Value[],
  first = 0,
): { row: unknown; companion: unknown; revision: number } | undefined {
  const end = first + table.columns.length;
  const revision = values[end] as number | null;
  if (revision === null) return undefined;
  const companion = table.companion && decodeCompanion(table.companion.table, values.slice(end + 1));
  return { row: table.decode(decodeColumns(table, values.slice(first, end)), companion), companion, revision };
}

/** Bytes come as hex digits, which is what rows hold of a few; of many they hold the bytes. */
function decodeColumns(table: AnyTable, values: Value[]): Value[] {
  for (const at of statementsOf(table).bytesAt)
    if (values[at] !== null) values[at] = Buffer.from(values[at] as string, 'hex');
  return values;
}

function decodeCompanion(table: AnyTable, values: Value[]): unknown {
  return values[0] === null ? undefined : table.decode(decodeColumns(table, values), undefined);
}

export function keyColumn(table: AnyTable): Column {
  return table.columns[0] ?? fail(table, 'its key');
}

/** No row's text holds NUL, so what lies behind a text with NUL lies behind the part before it. */
function positionOf(table: AnyTable, key: string): Value {
  const value = table.encodeKey(key);
  const { kind } = keyColumn(table);
  return bytesText(kind, typeof value === 'string' ? (value.split('\0')[0] ?? '') : value);
}

/** No row's text holds NUL: such a value is asked for as none at all, which equals nothing. */
export function withoutNul(value: Value): Value {
  return typeof value === 'string' && value.includes('\0') ? null : value;
}

/** How PostgreSQL reads bytes from a text. */
function bytesText(kind: ColumnKind, value: Value): Value {
  return kind === 'hex' && value !== null ? `\\x${value}` : value;
}

function columnOf(table: AnyTable, column: string): Column {
  return table.columns.find(({ name }) => name === column) ?? fail(table, column);
}

function quote(name: string): string {
  return `"${name}"`;
}

function indexed(table: AnyTable, column: string): string {
  return table.indexes.includes(column) ? column : fail(table, column);
}

function fail(table: AnyTable, column: string): never {
  throw new Error(`${table.name} has no index on ${column}`);
}
