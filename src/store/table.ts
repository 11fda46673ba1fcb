// What a back end needs to know of a kind of row. Back ends build their statements from these descriptions, so a row has
// one shape, written once, whatever it is stored in.

export type Value = string | number | Uint8Array | null;

/**
 * - `bytes`, `text`, `json`: as they say; `bytes` are never empty, `json` is text to the back end
 * - `hex`: a few bytes, stored as such; rows hold their digits, in lower case, which are cheaper to read, write and compare
 * - `integer`: times, flags and small codes
 * - `counter`: grows with every change. A back end whose integers vary in size must store it in a fixed one: rows that
 *   grow on refresh would split pages for ever.
 */
export type ColumnKind = 'bytes' | 'hex' | 'text' | 'json' | 'integer' | 'counter';

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
}

export interface TableColumn<Row> extends Column {
  readonly of: (row: Row) => Value;
  /** Set on insert and never again; changes do not carry it. */
  readonly fixed?: true;
}

/** Row: what the rules see. Companion: the one other row that decisions about it always need, loaded in the same step. */
export interface Table<Row, Companion = undefined> {
  readonly name: string;
  /** The first is the key. */
  readonly columns: readonly TableColumn<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly encodeKey: (key: string) => Value;
  readonly decode: (values: readonly Value[], companion: Companion | undefined) => Row;
  readonly companion?: { readonly table: Table<Companion>; readonly by: string };
  /** Columns with an index: `find` and `page` work by these alone. */
  readonly indexes: readonly string[];
  /** The moment after which a row may be swept, where rows end. */
  readonly endsAt?: string;
}

/** The rows whose indexed column has this value. The files of tables/ make these, so that no one else names columns. */
export interface Where {
  readonly column: string;
  readonly value: Value;
}

// biome-ignore lint/suspicious/noExplicitAny: a back end handles tables of every row alike
export type AnyTable = Table<any, any>;

const HEX_DIGITS = /^(?:[0-9a-f]{2})+$/i;

/** The `encodeKey` of tables whose key is hex digits. Operators and strangers may name anything: what is no key equals nothing. */
export function hexKey(text: string): Value {
  return HEX_DIGITS.test(text) ? text : null;
}

/** What is to be stored as bytes. A database may take what is no hex digits for nothing at all, and say so to nobody. */
export function hexDigits(value: Value): Value {
  if (value !== null && !HEX_DIGITS.test(value as string)) throw new Error('what should be hex digits is not');
  return value;
}

/** A row as the values of its columns. */
export function encodeRow({ columns }: AnyTable, row: unknown): Value[] {
  return columns.map(({ of }) => of(row));
}

/** The columns that a change may write. */
export function changingColumns(table: AnyTable): AnyTable['columns'] {
  return table.columns.filter((column) => !column.fixed);
}
