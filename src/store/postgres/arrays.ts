// Arrays in PostgreSQL's binary format, a column of every row of a batch: several times cheaper than text.
import { type Column, type ColumnKind, hexDigits, type Value } from '../table.ts';

const HEADER_LENGTH = 20;

/** How the elements of an array are written: directly to their position. */
interface Form<T> {
  readonly type: string;
  readonly oid: number;
  readonly lengthOf: (value: T) => number;
  readonly write: (array: Buffer, value: T, at: number, length: number) => void;
}

const BYTEA = { type: 'bytea', oid: 17 };

const BYTES: Form<Uint8Array> = {
  ...BYTEA,
  lengthOf: ({ length }) => length,
  write: (array, value, at) => array.set(value, at),
};

const HEX: Form<string> = {
  ...BYTEA,
  lengthOf: ({ length }) => length >> 1,
  write: (array, value, at, length) => {
    hexDigits(value);
    array.write(value, at, length, 'hex');
  },
};

const TEXT: Form<string> = {
  type: 'text',
  oid: 25,
  lengthOf: (text) => Buffer.byteLength(text),
  write: (array, value, at, length) => {
    // PostgreSQL's text cannot contain NUL. Input with NUL is refused earlier, so one that arrives here is a fault.
    if (value.includes('\0')) throw new Error('a text with NUL cannot be stored');
    array.write(value, at, length);
  },
};

const INTEGER: Form<number> = {
  type: 'bigint',
  oid: 20,
  lengthOf: () => 8,
  write: (array, value, at) => {
    array.writeInt32BE(Math.floor(value / 2 ** 32), at);
    array.writeUInt32BE(value >>> 0, at + 4);
  },
};

// biome-ignore lint/suspicious/noExplicitAny: a column's kind says what its values are
const FORMS: Readonly<Record<ColumnKind, Form<any>>> = {
  bytes: BYTES,
  hex: HEX,
  text: TEXT,
  json: TEXT,
  small: INTEGER,
  integer: INTEGER,
  counter: INTEGER,
};

export function arrayType(kind: ColumnKind): string {
  return `${FORMS[kind].type}[]`;
}

export function columnArrays(columns: readonly Pick<Column, 'kind'>[], rows: readonly (readonly Value[])[]): Buffer[] {
  return columns.map(({ kind }, index) => writeArray(FORMS[kind], rows.length, (row) => rows[row]?.[index] ?? null));
}

export function arrayOf(kind: ColumnKind, values: readonly Value[]): Buffer {
  return writeArray(FORMS[kind], values.length, (index) => values[index] ?? null);
}

function writeArray<T>({ oid, lengthOf, write }: Form<T>, count: number, valueAt: (index: number) => T | null): Buffer {
  let size = HEADER_LENGTH + 4 * count;
  for (let index = 0; index < count; index++) {
    const value = valueAt(index);
    if (value !== null) size += lengthOf(value);
  }
  const array = Buffer.allocUnsafe(size);
  let at = 0;
  for (const field of [1, 1, oid, count, 1]) at = array.writeInt32BE(field, at); // dimensions, nulls, type, length, lower bound
  for (let index = 0; index < count; index++) {
    const value = valueAt(index);
    const length = value === null ? -1 : lengthOf(value);
    at = array.writeInt32BE(length, at);
    if (value === null) continue;
    write(array, value, at, length);
    at += length;
  }
  return array;
}
