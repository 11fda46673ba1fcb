// The description of a table, from which back ends build their statements.
import { type Seconds, seconds } from '../core/time.ts';

export type Value = string | number | Uint8Array | null;

/**
 * - `bytes`: never empty
 * - `text`
 * - `json`: text to the back end
 * - `hex`: a few bytes, stored as bytes; rows hold lower-case hex digits, which are cheaper to read, write and compare
 * - `small`: flags and codes
 * - `integer`: times and numbers
 * - `counter`: grows with every change. A back end whose integers vary in size must store it in a fixed size: rows that
 *   grow on refresh would keep splitting pages.
 */
export type ColumnKind = 'bytes' | 'hex' | 'text' | 'json' | 'small' | 'integer' | 'counter';

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  /** May be null. */
  readonly optional?: true;
  /** Null in most rows. These are the last columns of a table. */
  readonly rare?: true;
  /** The schema that added it, which older stores get by an upgrade: one more than the newest so far (schema.ts). It is optional. */
  readonly since?: number;
}

export function isOptional({ optional, rare }: Column): boolean {
  return optional === true || rare === true;
}

export interface TableColumn<Row> extends Column {
  readonly of: (row: Row) => Value;
  /** Set on insert; a change never writes it. */
  readonly fixed?: true;
  /** No two rows have the same. It needs no further index. */
  readonly unique?: true;
  /** For joins and conditions only: `decode` does without it. Reading 32 hex digits takes a twentieth of loading a grant. */
  readonly unread?: true;
}

/**
 * How a back end stores rows:
 * - `steady`: they change seldom, and there are few
 * - `changing`: requests change them, so they have room on their page
 * - `busy`: likewise, and there are very many
 * - `large`: not in the index of their key
 */
export type RowStorage = 'steady' | 'changing' | 'busy' | 'large';

/** Row: what the rules see. Companion: the one other row that every decision about it needs, loaded in the same step. */
export interface Table<Row, Companion = undefined> {
  readonly name: string;
  /** The first is the key. */
  readonly columns: readonly TableColumn<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly encodeKey: (key: string) => Value;
  readonly decode: (values: readonly Value[], companion: Companion | undefined) => Row;
  readonly companion?: { readonly table: Table<Companion>; readonly by: string };
  /** Columns with an index. `find` and `page` accept no others. */
  readonly indexes?: readonly string[];
  /** Absent: rows never end. */
  readonly ends?: RowsEnd;
  /** Nodes write it again by themselves: a move leaves it behind. */
  readonly isRebuilt?: true;
  /** Every node asks all the time whether a row has changed: an index makes the stamp cheap. */
  readonly isFollowed?: true;
  /** Absent: `steady`. */
  readonly rows?: RowStorage;
  /** The schema that added it, as of a column. */
  readonly since?: number;
}

export interface RowsEnd {
  /** The column with the time. */
  readonly at: string;
  /** The column with the time at which a row ended early. Such rows are not counted as those that end. */
  readonly early?: string;
  /** How long rows stay after their end, so that a wrong clock sweeps nothing that still counts. */
  readonly kept: Seconds;
}

export const HOUR = seconds(3600);
export const DAY = seconds(86_400);

/** A table whose keys are texts: the values of its first column. */
export function keyedTable<Row>(table: Omit<Table<Row>, 'keyOf' | 'encodeKey'>): Table<Row> {
  const [key] = table.columns;
  return { ...table, keyOf: (row) => key?.of(row) as string, encodeKey: (text) => text };
}

/** Columns that hold the fields of a row as they are, under the same names in snake case. Optional fields end in `?`; absent ones are null. */
export type FieldKinds<Row> = {
  readonly [Field in keyof Row]-?: `${'' | 'fixed ' | 'fixed unique '}${ColumnKind}${Record<never, never> extends Pick<Row, Field> ? '?' : ''}`;
};

/** Where the values of columns are, by their names. */
export function placesOf<const Columns extends readonly Column[]>(columns: Columns) {
  const places = columns.map(({ name }, at) => [name, at] as const);
  return Object.fromEntries(places) as { readonly [Name in Columns[number]['name']]: number };
}

/** `own`: columns of the table that are no fields. They come first. */
export function fieldColumns<Row>(
  kinds: FieldKinds<Row>,
  ...own: TableColumn<Row>[]
): Pick<Table<Row>, 'columns' | 'decode'> {
  const fields = Object.entries<string>(kinds).map(([field, how]) => {
    const [, fixed, unique, kind, optional] = /^(fixed )?(unique )?(\w+)(\?)?$/.exec(how) ?? [];
    const name = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return {
      field: field as keyof Row,
      kind: kind as ColumnKind,
      name,
      ...(fixed && { fixed: true as const }),
      ...(unique && { unique: true as const }),
      ...(optional && { optional: true as const }),
    };
  });
  const columns = fields.map(({ field, ...column }): TableColumn<Row> => {
    const of = (row: Row) => (row[field] ?? null) as Value;
    const asJson = (row: Row) => (row[field] === undefined ? null : JSON.stringify(row[field]));
    return { ...column, of: column.kind === 'json' ? asJson : of };
  });
  const decode = (values: readonly Value[]) => {
    const row: Partial<Record<keyof Row, unknown>> = {};
    for (const [at, { field, kind }] of fields.entries()) {
      const value = values[own.length + at];
      if (value !== null) row[field] = kind === 'json' ? JSON.parse(value as string) : value;
    }
    return row as Row;
  };
  return { columns: [...own, ...columns], decode };
}

/** A table of registered things: a key, and everything else as JSON. */
export function registeredTable<Row>(
  name: string,
  [key, column]: readonly [key: keyof Row & string, column: string],
  body: (row: Row) => object = (row) => row as object,
  read: (stored: ReturnType<typeof JSON.parse>, id: string) => object = (stored) => stored,
): Table<Row> {
  return keyedTable<Row>({
    name,
    isFollowed: true,
    columns: [
      { name: column, kind: 'text', fixed: true, of: (row) => row[key] as string },
      { name: 'body', kind: 'json', of: (row) => JSON.stringify({ ...body(row), [key]: undefined }) },
    ],
    decode: ([id, stored]) => ({ [key]: id, ...read(JSON.parse(stored as string), id as string) }) as Row,
  });
}

/** The rows whose indexed column has this value. Only the files of tables/ make these: nothing else names columns. */
export interface Where {
  readonly column: string;
  readonly value: Value;
}

// biome-ignore lint/suspicious/noExplicitAny: a back end handles tables of every row alike
export type AnyTable = Table<any, any>;

const HEX_DIGITS = /^[0-9a-f]+$/i;

/** The pairs are counted apart: an expression that also counts takes several times as long. */
function isHex(text: string): boolean {
  return text.length % 2 === 0 && HEX_DIGITS.test(text);
}

/** The `encodeKey` of tables whose key is hex digits. Malformed hex matches no row. */
export function hexKey(text: string): Value {
  return isHex(text) ? text : null;
}

/** Checks hex digits that are about to be stored as bytes: a database may silently treat bad hex as empty. */
export function hexDigits(value: Value): Value {
  if (value !== null && !isHex(value as string)) throw new Error('a value to be stored as bytes is not hex digits');
  return value;
}

export function encodeRow({ columns }: AnyTable, row: unknown): Value[] {
  return columns.map(({ of }) => of(row));
}

export function changingColumns(table: AnyTable): AnyTable['columns'] {
  return table.columns.filter((column) => !column.fixed);
}

/** Whether a change leaves these columns null, so that it need not write them. */
export function staysNull(columns: AnyTable['columns'], before: unknown, row: unknown): boolean {
  return before !== undefined && columns.every(({ of }) => of(before) === null && of(row) === null);
}

export function keyColumn(table: AnyTable): Column {
  return table.columns[0] ?? fail(table, 'a key');
}

export function columnOf(table: AnyTable, column: string): Column {
  return table.columns.find(({ name }) => name === column) ?? fail(table, `a column ${column}`);
}

export function indexedColumn(table: AnyTable, column: string): Column {
  return table.indexes?.includes(column) ? columnOf(table, column) : fail(table, `an index on ${column}`);
}

export function endColumn({ name, ends }: AnyTable): string {
  if (ends === undefined) throw new Error(`rows of ${name} never end`);
  return ends.at;
}

function fail({ name }: AnyTable, what: string): never {
  throw new Error(`the table ${name} does not have ${what}`);
}

/** The columns of a row as both back ends select them: its own (of `t`), its revision, then its companion's (of `c`). */
export function selectedColumns(
  { columns, companion }: AnyTable,
  read: (from: 't' | 'c', column: Column) => string,
): string[] {
  const readOf = (from: 't' | 'c') => (column: TableColumn<unknown>) => (column.unread ? 'NULL' : read(from, column));
  return [...columns.map(readOf('t')), 't.revision', ...(companion?.table.columns.map(readOf('c')) ?? [])];
}

/** Decodes the values of `selectedColumns`. Undefined if there was no such row. */
export function decodeSelected(
  table: AnyTable,
  values: readonly Value[],
  decodeValues: (table: AnyTable, values: Value[]) => Value[],
): { row: unknown; companion: unknown; revision: number } | undefined {
  const end = table.columns.length;
  const revision = values[end] as number | null;
  if (revision === null) return undefined;
  const companion = table.companion && decodeCompanion(table.companion.table, values.slice(end + 1), decodeValues);
  return { row: table.decode(decodeValues(table, values.slice(0, end)), companion), companion, revision };
}

function decodeCompanion(
  table: AnyTable,
  values: Value[],
  decodeValues: (table: AnyTable, values: Value[]) => Value[],
): unknown {
  if (values.every((value) => value === null)) return undefined;
  return table.decode(decodeValues(table, values), undefined);
}
