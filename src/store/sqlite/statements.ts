// SQL text from table descriptions. Names come from the descriptions alone, values are always bound.
import type { PageQuery } from '../store.ts';
import { type AnyTable, type Column, changingColumns, hexDigits, type TableColumn, type Value } from '../table.ts';

/** SQLite plans a statement anew whenever a bare parameter of LIMIT is bound, which takes longer than most statements. */
export const LIMIT = 'LIMIT ? + 0';

/** Counters are stored from here on, so that they always take four bytes and a row never grows. */
const COUNTER_BASE = 2 ** 24;

export interface TableStatements {
  readonly select: string;
  /** By the column that has an index. */
  readonly finds: ReadonlyMap<string, string>;
  readonly insert: string;
  readonly update: string;
  readonly sweep: string | undefined;
  readonly countEnding: string | undefined;
  readonly stamp: string;
  /** What an update sets, besides the revision. */
  readonly changing: AnyTable['columns'];
  /** The columns whose values are stored otherwise than rows hold them. */
  readonly decoded: Decoded;
}

/** Columns, each with its place in a row. */
export type Decoded = readonly { readonly column: Column; readonly at: number }[];

const known = new WeakMap<AnyTable, TableStatements>();

export function statementsOf(table: AnyTable): TableStatements {
  let statements = known.get(table);
  if (!statements) {
    statements = tableStatements(table);
    known.set(table, statements);
  }
  return statements;
}

function tableStatements(table: AnyTable): TableStatements {
  const key = keyColumn(table);
  const columns = ['revision', ...table.columns.map(({ name }) => name)];
  const values = ['?', ...table.columns.map(written)];
  const changing = changingColumns(table);
  const set = ['revision = ?', ...changing.map((column) => isValue(column))];
  const { name, endsAt } = table;
  return {
    select: `${selectFrom(table)} WHERE t.${isValue(key)}`,
    finds: new Map(
      table.indexes.map((column) => [
        column,
        `${selectFrom(table)} WHERE t.${isValue(columnOf(table, column))} ${LIMIT}`,
      ]),
    ),
    insert: `INSERT INTO ${name} (${columns}) VALUES (${values}) ON CONFLICT DO NOTHING`,
    update: `UPDATE ${name} SET ${set} WHERE ${isValue(key)} AND revision = ?`,
    sweep:
      endsAt &&
      `DELETE FROM ${name} WHERE ${key.name} IN (SELECT ${key.name} FROM ${name} WHERE ${endsAt} < ? ${LIMIT})`,
    countEnding:
      endsAt && `SELECT count(*) FROM (SELECT 1 FROM ${name} WHERE ${endsAt} >= ? AND ${endsAt} < ? ${LIMIT})`,
    stamp: `SELECT count(*), total(revision) FROM ${name}`,
    changing,
    decoded: decodedOf(table.columns),
  };
}

export function findStatement(table: AnyTable, column: string): string {
  return statementsOf(table).finds.get(column) ?? fail(table, column);
}

export function pageStatement(table: AnyTable, query: PageQuery): { sql: string; values: Value[] } {
  // The plus keeps the planner from reading the whole table in the order of keys to find the few that end soon.
  const keyed = keyColumn(table);
  const key = `${query.endingBefore === undefined ? '' : '+'}t.${keyed.name}`;
  const conditions: [string, Value][] = [];
  if (query.where) conditions.push([`t.${isValue(indexed(table, query.where.column))}`, query.where.value]);
  if (query.endingBefore !== undefined) conditions.push([`t.${table.endsAt} < ?`, query.endingBefore]);
  if (query.after !== undefined) conditions.push([`${key} > ${written(keyed)}`, table.encodeKey(query.after)]);
  const where = conditions.length > 0 ? `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}` : '';
  return {
    sql: `${selectFrom(table)} ${where} ORDER BY ${key} ${LIMIT}`,
    values: [...conditions.map(([, value]) => value), query.limit],
  };
}

export function countStatement(table: AnyTable, column: string): string {
  return `SELECT ${readable('t', columnOf(table, column))}, count(*) FROM ${table.name} t GROUP BY t.${column}`;
}

/** Reads the results of `countStatement`. */
export function decodeCounts(table: AnyTable, column: string, results: readonly Value[][]): Map<Value, number> {
  const counted = columnOf(table, column);
  return new Map(results.map(([value = null, count]) => [decodeValue(counted, value), count as number]));
}

/** The row's columns, its revision, then the companion's columns. */
function selectFrom(table: AnyTable): string {
  const own = [...table.columns.map((column) => readable('t', column)), 't.revision'];
  if (!table.companion) return `SELECT ${own} FROM ${table.name} t`;
  const { table: other, by } = table.companion;
  const others = other.columns.map((column) => readable('c', column));
  return `SELECT ${[...own, ...others]} FROM ${table.name} t LEFT JOIN ${other.name} c ON c.${keyColumn(other).name} = t.${by}`;
}

/** A column as it is read. Its few bytes as text: node:sqlite takes memory from the system for every value of bytes. */
export function readable(from: string, { name, kind }: Column): string {
  return kind === 'hex' ? `hex(${from}.${name})` : `${from}.${name}`;
}

/** A column's parameter. */
export function written({ kind }: Column): string {
  return kind === 'hex' ? 'unhex(?)' : '?';
}

function isValue(column: Column): string {
  return `${column.name} = ${written(column)}`;
}

function keyColumn(table: AnyTable): Column {
  return table.columns[0] ?? fail(table, 'its key');
}

function indexed(table: AnyTable, column: string): Column {
  return table.indexes.includes(column) ? columnOf(table, column) : fail(table, column);
}

function columnOf(table: AnyTable, column: string): Column {
  return table.columns.find(({ name }) => name === column) ?? fail(table, column);
}

function fail(table: AnyTable, column: string): never {
  throw new Error(`${table.name} has no index on ${column}`);
}

export function insertValues({ columns }: AnyTable, row: unknown, revision: number): Value[] {
  const values: Value[] = [revision];
  for (const column of columns) values.push(encodeValue(column, row));
  return values;
}

export function updateValues(table: AnyTable, row: unknown, revision: number, expected: number): Value[] {
  const values: Value[] = [revision];
  for (const column of statementsOf(table).changing) values.push(encodeValue(column, row));
  values.push(table.encodeKey(table.keyOf(row)), expected);
  return values;
}

/** Reads a result of `selectFrom`. */
export function decodeRow(
  table: AnyTable,
  values: readonly Value[],
): { row: unknown; companion: unknown; revision: number } {
  const width = table.columns.length;
  const companion = table.companion && decodeCompanion(table.companion.table, values.slice(width + 1));
  const row = table.decode(decodeColumns(statementsOf(table).decoded, values.slice(0, width)), companion);
  return { row, companion, revision: values[width] as number };
}

function decodeCompanion(table: AnyTable, values: Value[]): unknown {
  const decoded = decodeColumns(statementsOf(table).decoded, values);
  return decoded[0] === null ? undefined : table.decode(decoded, undefined);
}

/** Those of the columns whose values are stored otherwise than rows hold them. */
export function decodedOf(columns: readonly Column[]): Decoded {
  return columns
    .map((column, at) => ({ column, at }))
    .filter(({ column: { kind } }) => kind === 'hex' || kind === 'counter');
}

/** In place: most values are what they are. */
export function decodeColumns(decoded: Decoded, values: Value[]): Value[] {
  for (const { column, at } of decoded) values[at] = decodeValue(column, values[at] as Value);
  return values;
}

function encodeValue<Row>({ kind, of }: TableColumn<Row>, row: Row): Value {
  const value = of(row);
  if (kind === 'hex') return hexDigits(value);
  return kind === 'counter' ? (value as number) + COUNTER_BASE : value;
}

function decodeValue({ kind }: Column, value: Value): Value {
  if (kind === 'counter') return (value as number) - COUNTER_BASE;
  if (kind !== 'hex') return value;
  return value === '' ? null : (value as string).toLowerCase(); // hex(NULL) is ''
}
