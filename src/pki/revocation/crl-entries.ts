// Scans the entries of a CRL (RFC 5280 5.3) without allocating an object per entry: there may be millions. An irregular
// entry still revokes; it is reported, so that the list cannot show that a certificate is good.
import { childrenOf, contextTag, MalformedDer, readElement, TAG, tryRead } from '../der/der.ts';
import { readCount, readTime } from '../der/der-values.ts';
import { type RawExtension, readExtensionList } from '../x509/extensions.ts';

const REASON_CODE = '2.5.29.21';
const INVALIDITY_DATE = '2.5.29.24';
const CERTIFICATE_ISSUER = '2.5.29.29';
const UNDERSTOOD = [REASON_CODE, INVALIDITY_DATE, CERTIFICATE_ISSUER];
const REMOVE_FROM_CRL = 8;
/** Indirect lists for more issuers than this are refused. */
const MAX_ISSUERS = 256;

/** Plain data, so that a worker thread can build it and transfer it. */
export interface ScannedEntries {
  /** Entries about certificates of the list's own issuer. */
  readonly own: SerialTable;
  /** Entries of an indirect list for other issuers: the DER of the issuer's name, and the revoked serial numbers. */
  readonly others: readonly { readonly issuer: Uint8Array; readonly table: SerialTable }[];
  readonly odd?: string;
}

/** Offsets of serial numbers. V8 keeps an array of small numbers without an object for each. */
type Positions = number[];

interface Scan {
  readonly isDelta: boolean;
  readonly others: Map<string, { readonly issuer: Uint8Array; readonly positions: Positions }>;
  /** The issuer of the current entries. RFC 5280 5.3.3: it stays the same until an entry names another. */
  current: Positions | undefined;
  odd: string | undefined;
}

export function scanEntries(bytes: Uint8Array, isDelta: boolean): ScannedEntries {
  const own: Positions = [];
  const scan: Scan = { isDelta, others: new Map(), current: own, odd: undefined };
  for (let offset = 0; offset < bytes.length; ) offset = scanEntry(bytes, offset, scan);
  const others = [...scan.others.values()].map(({ issuer, positions }) => {
    return { issuer, table: tableOf(bytes, positions) };
  });
  return { own: tableOf(bytes, own), others, ...(scan.odd !== undefined && { odd: scan.odd }) };
}

/** Returns the offset of the next entry. */
function scanEntry(bytes: Uint8Array, offset: number, scan: Scan): number {
  const start = contentAt(bytes, offset, TAG.sequence);
  const end = endAt(bytes, offset);
  const serialEnd = endAt(bytes, start);
  if (bytes[start] !== TAG.integer || serialEnd - start < 3 || serialEnd - start > 2 + 0x7f || serialEnd > end)
    throw new MalformedDer('an entry does not begin with a serial number');
  const extensions = scanDate(bytes, serialEnd, end, scan);
  const isRemoved = extensions < end && scanExtensions(bytes, extensions, end, scan);
  if (!isRemoved) scan.current?.push(start);
  return end;
}

/** Returns the offset of the entry's extensions. */
function scanDate(bytes: Uint8Array, offset: number, end: number, scan: Scan): number {
  if (offset >= end) {
    scan.odd ??= 'an entry has no date';
    return end;
  }
  const after = endAt(bytes, offset);
  if (!isPlainDate(bytes, offset, after)) scan.odd ??= whyBadDate(bytes.subarray(offset, after));
  return after;
}

/** Fast path: a UTCTime as in nearly every entry. Anything else is parsed in full. */
function isPlainDate(bytes: Uint8Array, offset: number, after: number): boolean {
  if (bytes[offset] !== TAG.utcTime || after - offset !== 15 || bytes[after - 1] !== 0x5a) return false;
  for (let index = offset + 2; index < after - 1; index++) {
    const octet = bytes[index] as number;
    if (octet < 0x30 || octet > 0x39) return false;
  }
  return true;
}

function whyBadDate(date: Uint8Array): string | undefined {
  const read = tryRead(() => readTime(readElement(date)));
  return read.ok ? undefined : `the date of an entry cannot be read: ${read.refusal}`;
}

/** SEQUENCE { SEQUENCE { OID 2.5.29.21, OCTET STRING { ENUMERATED } } }: a reason, as most CAs encode it. */
const PLAIN_REASON = Buffer.from('300c300a0603551d1504030a01', 'hex');

/** Returns whether the entry removes a certificate from the list. */
function scanExtensions(bytes: Uint8Array, offset: number, end: number, scan: Scan): boolean {
  if (end - offset === PLAIN_REASON.length + 1 && PLAIN_REASON.every((octet, index) => bytes[offset + index] === octet))
    return scan.isDelta && bytes[end - 1] === REMOVE_FROM_CRL;
  const read = tryRead(() =>
    applyExtensions(readExtensionList(readElement(bytes.subarray(offset, end), TAG.sequence)), scan),
  );
  if (!read.ok) scan.odd ??= `the extensions of an entry cannot be read: ${read.refusal}`;
  return read.ok && read.value;
}

function applyExtensions(extensions: readonly RawExtension[], scan: Scan): boolean {
  const unknown = extensions.find(({ critical, oid }) => critical && !UNDERSTOOD.includes(oid));
  if (unknown) scan.odd ??= `an entry has the critical extension ${unknown.oid}`;
  const issuer = extensions.find(({ oid }) => oid === CERTIFICATE_ISSUER);
  if (issuer) {
    scan.current = undefined;
    scan.current = positionsFor(issuer.value, scan);
  }
  const reason = extensions.find(({ oid }) => oid === REASON_CODE);
  // RFC 5280 5.3.1: only a delta may contain removeFromCRL. In a complete list the entry revokes.
  return (
    scan.isDelta && reason !== undefined && readCount(readElement(reason.value), TAG.enumerated) === REMOVE_FROM_CRL
  );
}

/** Entries for an issuer that cannot be parsed match no certificate. */
function positionsFor(names: Uint8Array, scan: Scan): Positions | undefined {
  const [name] = childrenOf(readElement(names, TAG.sequence)).filter(({ tag }) => tag === contextTag(4, 'constructed'));
  if (!name) throw new MalformedDer('an entry has an unsupported issuer name');
  const key = Buffer.from(name.content).toString('latin1');
  if (!scan.others.has(key) && scan.others.size === MAX_ISSUERS)
    throw new MalformedDer(`it has entries for more than ${MAX_ISSUERS} issuers`);
  const found = scan.others.get(key) ?? { issuer: name.content, positions: [] };
  scan.others.set(key, found);
  return found.positions;
}

function contentAt(bytes: Uint8Array, offset: number, tag: number): number {
  if (bytes[offset] !== tag) throw new MalformedDer(`expected tag ${tag}, found ${bytes[offset]}`);
  const first = bytes[offset + 1] as number;
  return offset + 2 + (first < 0x80 ? 0 : first & 0x7f);
}

/** The same limits as in der.ts, but returns a number instead of an object. */
function endAt(bytes: Uint8Array, offset: number): number {
  const first = bytes[offset + 1] ?? 0x80;
  const end = first < 0x80 ? offset + 2 + first : endAfterLongLength(bytes, offset);
  if (end > bytes.length) throw new MalformedDer('the length runs past the end');
  return end;
}

function endAfterLongLength(bytes: Uint8Array, offset: number): number {
  const octets = (bytes[offset + 1] ?? 0) & 0x7f;
  if (octets === 0 || octets > 4) throw new MalformedDer('indefinite or oversized length');
  let length = 0;
  for (let index = 0; index < octets; index++) length = length * 256 + (bytes[offset + 2 + index] ?? 0);
  if (length < 0x80) throw new MalformedDer('the length is not minimal');
  return offset + 2 + octets + length;
}

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
function tableOf(bytes: Uint8Array, positions: Positions): SerialTable {
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
  for (let taken = slots[slot] as number; taken !== 0; taken = slots[slot] as number) {
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
  return position + 2 + (bytes[position + 1] as number);
}

/** Skips leading zeros: a CA may pad the number in the list but not in the certificate. */
function firstOctet(bytes: Uint8Array, from: number, end: number): number {
  let start = from;
  while (start + 1 < end && isPadding(bytes[start] as number, bytes[start + 1] as number)) start++;
  return start;
}

function isPadding(first: number, second: number): boolean {
  return (first === 0 && second < 0x80) || (first === 0xff && second >= 0x80);
}

function hashOf(bytes: Uint8Array, from: number, end: number): number {
  let hash = end - from;
  for (let index = from; index < end; index++) {
    hash = Math.imul(hash ^ (bytes[index] as number), 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}
