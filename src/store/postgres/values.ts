// Reads the text that PostgreSQL sends. Any other form is a fault of the session, and never a missing row.
import { StoreUnavailable } from '../store.ts';
import type { ColumnKind, Value } from '../table.ts';

const OID = { boolean: 16, bytea: 17, int8: 20, int2: 21, int4: 23 } as const;
const BACKSLASH = 0x5c;
const X = 0x78;

function readInteger(given: Value): number {
  const value = Number(given);
  return Number.isSafeInteger(value) ? value : fail('an integer');
}

function readBoolean(text: string): boolean {
  return text === 't' || (text === 'f' ? false : fail('a boolean'));
}

/** The digits of `\x…`. The other format, `escape`, never has an x behind a single backslash. */
function readHex(given: Value): string {
  const text = given as string;
  return text.charCodeAt(0) === BACKSLASH && text.charCodeAt(1) === X ? text.slice(2) : fail('bytes');
}

/** The message omits the value: it may be a hash, which must not be logged. */
function fail(what: string): never {
  throw new StoreUnavailable(`PostgreSQL sent ${what} in an unexpected format`);
}

const readAsIs = <T>(value: T): T => value;

const OF_TYPE = new Map<number, (text: string) => unknown>([
  [OID.boolean, readBoolean],
  [OID.bytea, readHex],
  [OID.int8, readInteger],
  [OID.int2, readInteger],
  [OID.int4, readInteger],
]);

/** For `pg`. */
export function readerOf(type: number): (text: string) => unknown {
  return OF_TYPE.get(type) ?? readAsIs;
}

const OF_KIND: Readonly<Record<ColumnKind, (value: Value) => Value>> = {
  bytes: (value) => Buffer.from(readHex(value), 'hex'),
  hex: readHex,
  text: readAsIs,
  json: readAsIs,
  small: readInteger,
  integer: readInteger,
  counter: readInteger,
};

/** A value of a row, out of JSON. */
export function readValue(kind: ColumnKind, value: Value): Value {
  return OF_KIND[kind](value);
}
