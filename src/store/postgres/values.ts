// Reads the text that PostgreSQL sends. Any other form is a fault of the session, and never a missing row.

const OID = { boolean: 16, bytea: 17, int8: 20, int2: 21, int4: 23 } as const;
const BACKSLASH = 0x5c;
const X = 0x78;

function readInteger(text: string): number {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : fail('an integer');
}

function readBoolean(text: string): boolean {
  return text === 't' || (text === 'f' ? false : fail('a boolean'));
}

/** The digits of `\x…`. The other format, `escape`, never has an x behind a single backslash. */
function readHex(text: string): string {
  return text.charCodeAt(0) === BACKSLASH && text.charCodeAt(1) === X ? text.slice(2) : fail('bytes');
}

/** The message omits the value: it may be a hash, which must not be logged. */
function fail(what: string): never {
  throw new Error(`PostgreSQL sent ${what} in an unexpected format`);
}

const PARSERS = new Map<number, (text: string) => unknown>([
  [OID.boolean, readBoolean],
  [OID.bytea, readHex],
  [OID.int8, readInteger],
  [OID.int2, readInteger],
  [OID.int4, readInteger],
]);
const readText = (text: string) => text;

export function readerOf(type: number): (text: string) => unknown {
  return PARSERS.get(type) ?? readText;
}
