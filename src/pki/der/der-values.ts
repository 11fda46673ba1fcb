// The primitive values used in certificates, CRLs and OCSP responses.
import { type EpochSeconds, epochSeconds } from '../../core/time.ts';
import { type Element, expectTag, MalformedDer, TAG } from './der.ts';

export function readBoolean(element: Element, tag: number = TAG.boolean): boolean {
  const { content } = expectTag(element, tag);
  if (content.length !== 1 || (content[0] !== 0 && content[0] !== 0xff))
    throw new MalformedDer('a boolean is neither 00 nor FF');
  return content[0] === 0xff;
}

/** The octets of an INTEGER in two's complement; DER requires the minimal form. */
export function readInteger(element: Element, tag: number = TAG.integer): Uint8Array {
  const { content } = expectTag(element, tag);
  const [first, second] = content;
  if (first === undefined) throw new MalformedDer('an integer is empty');
  const padded = second !== undefined && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80));
  if (padded) throw new MalformedDer('an integer is padded');
  return content;
}

/** A small non-negative INTEGER. */
export function readCount(element: Element, tag: number = TAG.integer): number {
  const octets = readInteger(element, tag);
  if (octets.length > 4 || (octets[0] as number) >= 0x80) throw new MalformedDer('a count is negative or too large');
  return octets.reduce((count, octet) => count * 256 + octet, 0);
}

export function readNull(element: Element): void {
  if (expectTag(element, TAG.null).content.length > 0) throw new MalformedDer('NULL has content');
}

export function readOid(element: Element, tag: number = TAG.oid): string {
  return printOid(expectTag(element, tag).content);
}

// X.667: identifiers below 2.25 end in a UUID, a number of 128 bits.
const MAX_ARC_OCTETS = 19;
// 49 bits, which a number can hold.
const MAX_NUMBER_OCTETS = 7;

function printOid(content: Uint8Array): string {
  const arcs: (number | bigint)[] = [];
  let start = 0;
  for (let end = 1; end <= content.length; end++) {
    if ((content[end - 1] as number) >= 0x80) continue;
    arcs.push(arcOf(content.subarray(start, end)));
    start = end;
  }
  const [head] = arcs;
  if (head === undefined || start !== content.length) throw new MalformedDer('an object identifier ends early');
  if (typeof head === 'bigint') throw new MalformedDer('an object identifier is too large');
  const top = Math.min(2, Math.floor(head / 40));
  return [top, head - top * 40, ...arcs.slice(1)].join('.');
}

function arcOf(octets: Uint8Array): number | bigint {
  if (octets[0] === 0x80) throw new MalformedDer('an object identifier is padded');
  if (octets.length > MAX_ARC_OCTETS) throw new MalformedDer('an object identifier is too large');
  if (octets.length <= MAX_NUMBER_OCTETS) return octets.reduce((arc, octet) => arc * 128 + (octet & 0x7f), 0);
  return octets.reduce((arc, octet) => arc * 128n + BigInt(octet & 0x7f), 0n);
}

/** The octets of a BIT STRING without unused bits, as in keys and signatures. */
export function readOctetBits(element: Element): Uint8Array {
  const { content } = expectTag(element, TAG.bitString);
  if (content[0] !== 0) throw new MalformedDer('a bit string does not consist of whole octets');
  return content.subarray(1);
}

/** The content of any BIT STRING: its octets, and the number of unused bits in the last one. */
export function readBits(element: Element, tag: number = TAG.bitString): { unused: number; octets: Uint8Array } {
  const { content } = expectTag(element, tag);
  const unused = content[0];
  if (unused === undefined || unused > 7 || (unused > 0 && content.length === 1))
    throw new MalformedDer('bad bit string');
  return { unused, octets: content.subarray(1) };
}

// Key usages and revocation reasons have 9 bits. The limit keeps a huge bit string from using CPU time.
const MAX_NAMED_OCTETS = 32;

export function readNamedBits(element: Element, tag: number = TAG.bitString): ReadonlySet<number> {
  const { unused, octets } = readBits(element, tag);
  if (octets.length > MAX_NAMED_OCTETS) throw new MalformedDer('a list of named bits is too long');
  const bits = new Set<number>();
  for (let bit = 0; bit < octets.length * 8 - unused; bit++) {
    if ((octets[bit >> 3] as number) & (0x80 >> (bit & 7))) bits.add(bit);
  }
  return bits;
}

type Parts = [year: number, month: number, day: number, hour: number, minute: number, second: number];

const TIME_FORMS: Readonly<Record<number, RegExp>> = {
  [TAG.utcTime]: /^(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/,
  [TAG.generalizedTime]: /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/,
};

/** RFC 5280 4.1.2.5: Zulu time with seconds, without fractions; two-digit years mean 1950 to 2049. */
export function readTime({ tag, content }: Element): EpochSeconds {
  const parts = TIME_FORMS[tag]?.exec(decodeLatin(content))?.slice(1).map(Number) as Parts | undefined;
  if (!parts) throw new MalformedDer('a time does not have the format of RFC 5280 4.1.2.5');
  const [written, month, day, hour, minute, second] = parts;
  const year = tag === TAG.generalizedTime ? written : written + (written < 50 ? 2000 : 1900);
  const moment = new Date(0);
  moment.setUTCFullYear(year, month - 1, day);
  const isDay = moment.getUTCMonth() === month - 1; // other days end up in another month
  if (!isDay || hour > 23 || minute > 59 || second > 59) throw new MalformedDer('a time does not exist');
  return epochSeconds(moment.getTime() / 1000 + hour * 3600 + minute * 60 + second);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function decodeUtf8(octets: Uint8Array): string | undefined {
  try {
    return utf8.decode(octets);
  } catch {
    return undefined;
  }
}

/** Decodes an IA5String. Octets above 127 are rejected: lenient parsers disagree on what they mean. */
export function readAscii(octets: Uint8Array): string {
  if (octets.some((octet) => octet > 0x7f)) throw new MalformedDer('an IA5String contains octets above 127');
  return decodeLatin(octets);
}

/** One character per octet. */
export function decodeLatin({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1');
}
