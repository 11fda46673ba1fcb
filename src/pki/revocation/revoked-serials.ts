// The serial numbers in a CRL, at a few bytes each: a list may have millions. A hash table stores, for each entry, the
// offset of its serial number in the list's DER.

/** Plain data, so that a worker thread can build it and transfer it. */
export interface SerialTable {
  /** Offsets of serial numbers (their INTEGER elements) plus one; 0 is a free slot. */
  readonly slots: Uint32Array<ArrayBuffer>;
  readonly size: number;
}

export class RevokedSerials implements Iterable<Uint8Array> {
  readonly #bytes: Uint8Array;
  readonly #slots: Uint32Array;
  readonly size: number;

  /** `bytes`: the DER that the offsets refer to. */
  constructor(bytes: Uint8Array, { slots, size }: SerialTable) {
    this.#bytes = bytes;
    this.#slots = slots;
    this.size = size;
  }

  has(serial: Uint8Array): boolean {
    if (this.size === 0) return false;
    const start = firstOctet(serial, 0, serial.length);
    const slot = slotFor(this.#slots, this.#bytes, serial, start, serial.length);
    return this.#slots[slot] !== 0;
  }

  *[Symbol.iterator](): Iterator<Uint8Array> {
    for (const position of this.#slots) if (position > 0) yield serialAt(this.#bytes, position - 1);
  }
}

/** A serial number that is listed twice takes one slot. */
export function tableOf(bytes: Uint8Array, positions: Uint32Array): SerialTable {
  const slots = new Uint32Array(Math.ceil(positions.length * 1.5) + 1);
  let size = 0;
  for (const position of positions) {
    const end = endOfSerial(bytes, position);
    const slot = slotFor(slots, bytes, bytes, firstOctet(bytes, position + 2, end), end);
    if (slots[slot] !== 0) continue;
    slots[slot] = position + 1;
    size++;
  }
  return { slots, size };
}

/** The slot of the number, or the free slot where it belongs. Allocates no object: there are millions of calls. */
function slotFor(slots: Uint32Array, bytes: Uint8Array, serial: Uint8Array, start: number, end: number): number {
  let slot = hashOf(serial, start, end) % slots.length;
  for (let taken = slots[slot] ?? 0; taken !== 0; taken = slots[slot] ?? 0) {
    if (isAt(bytes, taken - 1, serial, start, end)) return slot;
    slot = slot + 1 === slots.length ? 0 : slot + 1;
  }
  return slot;
}

function isAt(bytes: Uint8Array, position: number, serial: Uint8Array, start: number, end: number): boolean {
  const last = endOfSerial(bytes, position);
  const first = firstOctet(bytes, position + 2, last);
  if (last - first !== end - start) return false;
  for (let index = 0; index < end - start; index++) if (bytes[first + index] !== serial[start + index]) return false;
  return true;
}

function serialAt(bytes: Uint8Array, position: number): Uint8Array {
  const end = endOfSerial(bytes, position);
  return bytes.subarray(firstOctet(bytes, position + 2, end), end);
}

/** Serial numbers have short-form lengths: `scanEntries` accepts no others. */
function endOfSerial(bytes: Uint8Array, position: number): number {
  return position + 2 + (bytes[position + 1] ?? 0);
}

/** Skips leading zeros: a CA may pad the number in the list but not in the certificate. */
function firstOctet(bytes: Uint8Array, from: number, end: number): number {
  let start = from;
  while (start + 1 < end && isPadding(bytes[start], bytes[start + 1])) start++;
  return start;
}

function isPadding(first = 1, second = 0): boolean {
  return (first === 0 && second < 0x80) || (first === 0xff && second >= 0x80);
}

function hashOf(bytes: Uint8Array, from: number, end: number): number {
  let hash = end - from;
  for (let index = from; index < end; index++) {
    hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}
