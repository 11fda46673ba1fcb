// How values are stored in SQLite, where that differs from what rows hold.
import { type Column, hexDigits, type TableColumn, type Value } from '../table.ts';

/** Counters are stored with this offset, so that they always take four bytes and a row never grows. */
const COUNTER_BASE = 2 ** 24;

/** Columns, each with its position in a row. */
export type Decoded = readonly { readonly column: Column; readonly at: number }[];

/** The expression that reads a column. Hex columns are read as text: node:sqlite allocates memory for every value of bytes. */
export function readable(from: string, { name, kind }: Column): string {
  return kind === 'hex' ? `hex(${from}.${name})` : `${from}.${name}`;
}

export function written({ kind }: Column): string {
  return kind === 'hex' ? 'unhex(?)' : '?';
}

/** The columns that are stored in another form than rows hold. */
export function decodedOf(columns: readonly (Column & Pick<TableColumn<never>, 'unread'>)[]): Decoded {
  return columns
    .map((column, at) => ({ column, at }))
    .filter(({ column: { kind, unread } }) => !unread && (kind === 'hex' || kind === 'counter'));
}

/** Decodes in place: most values need no decoding. */
export function decodeColumns(decoded: Decoded, values: Value[]): Value[] {
  for (const { column, at } of decoded) values[at] = decodeValue(column, values[at] as Value);
  return values;
}

export function encodeValue<Row>({ kind, of }: TableColumn<Row>, row: Row): Value {
  const value = of(row);
  if (kind === 'hex') return hexDigits(value);
  return kind === 'counter' ? (value as number) + COUNTER_BASE : value;
}

export function decodeValue({ kind }: Column, value: Value): Value {
  if (kind === 'counter') return (value as number) - COUNTER_BASE;
  if (kind !== 'hex') return value;
  return value === '' ? null : (value as string).toLowerCase(); // hex(NULL) is ''
}
