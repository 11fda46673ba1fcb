// A list of a million entries, made in a second: each is 37 bytes with a serial number of 16.
import { TAG } from '../src/pki/der/der.ts';
import { write } from '../src/pki/der/der-write.ts';
import type { Authority } from './authority.ts';

const DATE = write(TAG.utcTime, Buffer.from('240101000000Z'));
const SERIAL_OCTETS = 16;

/** The serial number of the entry: the same in each list. */
export function largeSerial(index: number): Uint8Array {
  const serial = Buffer.alloc(SERIAL_OCTETS, 0x5a);
  // Spread like random numbers.
  serial.writeUInt32BE(Math.imul(index + 1, 0x9e3779b1) >>> 0, 1);
  serial.writeUInt32BE(index, 5);
  return serial;
}

export function largeList(
  authority: Authority,
  count: number,
  difference: Parameters<Authority['crl']>[0] = {},
): Uint8Array {
  const head = Uint8Array.of(TAG.sequence, 2 + SERIAL_OCTETS + DATE.length, TAG.integer, SERIAL_OCTETS);
  const size = head.length + SERIAL_OCTETS + DATE.length;
  const all = Buffer.alloc(count * size);
  for (let index = 0, offset = 0; index < count; index++) {
    all.set(head, offset);
    all.set(largeSerial(index), offset + head.length);
    all.set(DATE, offset + head.length + SERIAL_OCTETS);
    offset += size;
  }
  return authority.crl({ ...difference, entries: [all] });
}
