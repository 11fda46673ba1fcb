// A strict DER parser. BER's indefinite and padded lengths let two programs read two different certificates from the
// same bytes, so everything that is not DER is rejected, with one exception: default values that are encoded
// explicitly, because common CAs write them.

import { accept, type Outcome, refused } from '../../core/outcome.ts';

/** Thrown while parsing. `tryRead` turns it into a refusal, so it never leaves pki/. */
export class MalformedDer extends Error {}

export function tryRead<T>(read: () => T): Outcome<T, string> {
  try {
    return accept(read());
  } catch (problem) {
    if (!(problem instanceof MalformedDer)) throw problem;
    return refused(problem.message);
  }
}

export interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
  /** Identifier, length and content: the bytes that a signature or a fingerprint covers. */
  readonly whole: Uint8Array;
}

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  enumerated: 0x0a,
  utf8: 0x0c,
  numeric: 0x12,
  printable: 0x13,
  teletex: 0x14,
  videotex: 0x15,
  ia5: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  graphic: 0x19,
  visible: 0x1a,
  general: 0x1b,
  universal: 0x1c,
  bmp: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

const CONSTRUCTED = 0x20;
const CONTEXT = 0x80;

/** The tag of a context-specific field `[n]`; constructed if it contains further elements. */
export function contextTag(number: number, form: 'primitive' | 'constructed'): number {
  return CONTEXT | number | (form === 'constructed' ? CONSTRUCTED : 0);
}

/** Parses bytes that contain exactly one element. */
export function readElement(bytes: Uint8Array, tag?: number): Element {
  const element = elementAt(bytes, 0);
  if (element.whole.length !== bytes.length) throw new MalformedDer('bytes follow the element');
  if (tag !== undefined) expectTag(element, tag);
  return element;
}

export function childrenOf(element: Element, most = Number.POSITIVE_INFINITY): Element[] {
  if (!(element.tag & CONSTRUCTED)) throw new MalformedDer('a primitive element holds no elements');
  const { content } = element;
  const children: Element[] = [];
  for (let offset = 0; offset < content.length; ) {
    if (children.length >= most) throw new MalformedDer(`a list has more than ${most} elements`);
    const child = elementAt(content, offset);
    children.push(child);
    offset += child.whole.length;
  }
  return children;
}

export function expectTag(element: Element | undefined, tag: number): Element {
  if (element?.tag !== tag) throw new MalformedDer(`expected tag ${tag}, found ${element?.tag ?? 'nothing'}`);
  return element;
}

/** The element inside an EXPLICIT tag. */
export function unwrap(element: Element, tag?: number): Element {
  return readElement(element.content, tag);
}

// More fields than any structure of RFC 5280 or RFC 6960 has.
const MAX_FIELDS = 16;

/** Reads the fields of a SEQUENCE. All of them: nothing may follow those that `read` takes. */
export function readFields<const T>(sequence: Element, read: (fields: Fields) => T, tag: number = TAG.sequence): T {
  const fields = new Fields(expectTag(sequence, tag));
  const value = read(fields);
  fields.end();
  return value;
}

/** The fields of a SEQUENCE, in order; optional ones are recognised by their tag. */
export class Fields {
  readonly #fields: Element[];
  #position = 0;

  constructor(sequence: Element) {
    this.#fields = childrenOf(sequence, MAX_FIELDS);
  }

  next(tag?: number): Element {
    const field = this.#fields[this.#position++];
    if (!field) throw new MalformedDer('a field is missing');
    return tag === undefined ? field : expectTag(field, tag);
  }

  optional(...tags: number[]): Element | undefined {
    const field = this.#fields[this.#position];
    if (!field || !tags.includes(field.tag)) return undefined;
    this.#position++;
    return field;
  }

  skip(): void {
    this.#position = this.#fields.length;
  }

  end(): void {
    if (this.#position !== this.#fields.length) throw new MalformedDer('unexpected fields follow');
  }
}

export function countChildren({ content }: Element): number {
  let count = 0;
  for (let offset = 0; offset < content.length; count++) {
    const { length, start } = lengthAt(content, offset + 1);
    offset = start + length;
  }
  return count;
}

function elementAt(bytes: Uint8Array, offset: number): Element {
  const tag = byteAt(bytes, offset);
  if ((tag & 0x1f) === 0x1f) throw new MalformedDer('tags above 30 are not supported');
  const { length, start } = lengthAt(bytes, offset + 1);
  const end = start + length;
  if (end > bytes.length) throw new MalformedDer('the length runs past the end');
  return { tag, content: bytes.subarray(start, end), whole: bytes.subarray(offset, end) };
}

function lengthAt(bytes: Uint8Array, offset: number): { length: number; start: number } {
  const first = byteAt(bytes, offset);
  if (first < 0x80) return { length: first, start: offset + 1 };
  const octets = first & 0x7f;
  if (octets === 0 || octets > 4) throw new MalformedDer('indefinite or oversized length');
  let length = 0;
  for (let index = 1; index <= octets; index++) length = length * 256 + byteAt(bytes, offset + index);
  if (length < 0x80 || length < 256 ** (octets - 1)) throw new MalformedDer('the length is not minimal');
  return { length, start: offset + 1 + octets };
}

function byteAt(bytes: Uint8Array, offset: number): number {
  const byte = bytes[offset];
  if (byte === undefined) throw new MalformedDer('the bytes end early');
  return byte;
}
