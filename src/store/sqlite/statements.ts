// SQL text from table descriptions. Names come from the descriptions alone, values are always bound.
import type { PageQuery } from '../store.ts';
import { type AnyTable, type Column, changingColumns, type TableColumn, type Value } from '../table.ts';

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
  readonly decoded: readonly { readonly column: Column; readonly at: number }[];
}

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
  const key = table.columns[0]?.name;
  const columns = ['revision', ...table.columns.map(({ name }) => name)];
  const changing = changingColumns(table);
  const set = ['revision', ...changing.map(({ name }) => name)].map((name) => `${name} = ?`);
  const { name, endsAt } = table;
  return {
    select: `${selectFrom(table)} WHERE t.${key} = ?`,
    finds: new Map(table.indexes.map((column) => [column, `${selectFrom(table)} WHERE t.${column} = ? ${LIMIT}`])),
    insert: `INSERT INTO ${name} (${columns}) VALUES (${columns.map(() => '?')}) ON CONFLICT DO NOTHING`,
    update: `UPDATE ${name} SET ${set} WHERE ${key} = ? AND revision = ?`,
    sweep: endsAt && `DELETE FROM ${name} WHERE ${key} IN (SELECT ${key} FROM ${name} WHERE ${endsAt} < ? ${LIMIT})`,
    countEnding:
      endsAt && `SELECT count(*) FROM (SELECT 1 FROM ${name} WHERE ${endsAt} >= ? AND ${endsAt} < ? ${LIMIT})`,
    stamp: `SELECT count(*), total(revision) FROM ${name}`,
    changing,
    decoded: table.columns
      .map((column, at) => ({ column, at }))
      .filter(({ column: { kind } }) => kind === 'bytes' || kind === 'counter'),
  };
}

export function findStatement(table: AnyTable, column: string): string {
  return statementsOf(table).finds.get(column) ?? fail(table, column);
}

export function pageStatement(table: AnyTable, query: PageQuery): { sql: string; values: Value[] } {
  // The plus keeps the planner from reading the whole table in the order of keys to find the few that end soon.
  const key = `${query.endingBefore === undefined ? '' : '+'}t.${table.columns[0]?.name}`;
  const conditions: [string, Value][] = [];
  if (query.where) conditions.push([`t.${indexed(table, query.where.column)} = ?`, query.where.value]);
  if (query.endingBefore !== undefined) conditions.push([`t.${table.endsAt} < ?`, query.endingBefore]);
  if (query.after !== undefined) conditions.push([`${key} > ?`, table.encodeKey(query.after)]);
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
  return `SELECT ${[...own, ...others]} FROM ${table.name} t LEFT JOIN ${other.name} c ON c.${other.columns[0]?.name} = t.${by}`;
}

/** Bytes are read as text: node:sqlite takes memory from the system for every piece of bytes, half the cost of a read. */
function readable(from: string, { name, kind }: Column): string {
  return kind === 'bytes' ? `hex(${from}.${name})` : `${from}.${name}`;
}

function indexed(table: AnyTable, column: string): string {
  return table.indexes.includes(column) ? column : fail(table, column);
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
  const row = table.decode(decodeColumns(table, values.slice(0, width)), companion);
  return { row, companion, revision: values[width] as number };
}

function decodeCompanion(table: AnyTable, values: Value[]): unknown {
  const decoded = decodeColumns(table, values);
  return decoded[0] === null ? undefined : table.decode(decoded, undefined);
}

/** In place: most values are what they are. */
function decodeColumns(table: AnyTable, values: Value[]): Value[] {
  for (const { column, at } of statementsOf(table).decoded) values[at] = decodeValue(column, values[at] as Value);
  return values;
}

function encodeValue<Row>({ kind, of }: TableColumn<Row>, row: Row): Value {
  return kind === 'counter' ? (of(row) as number) + COUNTER_BASE : of(row);
}

function decodeValue({ kind }: Column, value: Value): Value {
  if (kind === 'counter') return (value as number) - COUNTER_BASE;
  if (kind !== 'bytes') return value;
  return value === '' ? null : Buffer.from(value as string, 'hex'); // hex(NULL) is ''
}
