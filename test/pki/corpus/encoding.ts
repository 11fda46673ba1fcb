// DER as required by X.690 and RFC 5280 4.1: versions, serial numbers, lengths, lists of extensions.
import { contextTag, TAG } from '../../../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../../src/pki/x509/extensions.ts';
import { attribute, extension, integer, nameOf } from '../../signed-der.ts';
import { ACCEPTED, byRule, type Case, casesOf, type Row, UNREADABLE } from './case.ts';
import { type Forgery, forge } from './forge.ts';
import { COMMON_NAME, count, FALSE, latin, ORGANISATION, octets, TRUE } from './pieces.ts';

export const NO_PARSE = 'OpenSSL cannot parse the certificate';
const SERIAL = byRule('serial-number');

export interface Forged extends Omit<Row, 'made' | 'leaf'> {
  readonly forgery: Forgery;
}

export const forged = ({ forgery, ...row }: Forged): Row => ({ ...row, made: () => forge({}, forgery) });

const field = (name: keyof NonNullable<Forgery['fields']>, der: Uint8Array): Forgery => ({ fields: { [name]: der } });
const list = (...extensions: Uint8Array[]): Forgery => ({
  fields: { extensions: writeContext(3, writeSequence(...extensions)) },
});
type Structure = readonly [clause: string, what: string, forgery: Forgery, verdict: string, noHandshake?: string];
const raw = (...parts: Uint8Array[]) => writeSequence(...parts);
const someOid = writeOid('1.2.3.4');
const value = write(TAG.octetString, writeSequence());

const STRUCTURES: readonly Structure[] = [
  ['4.1.2.1', 'extensions in version 1', field('version', octets()), UNREADABLE],
  ['4.1.2.1', 'extensions in version 2', field('version', writeContext(0, count(1))), UNREADABLE],
  ['4.1.2.1', 'version 4', field('version', writeContext(0, count(3))), UNREADABLE],
  ['4.1.2.1', 'a negative version', field('version', writeContext(0, count(0xff))), UNREADABLE],
  ['4.1.2.2', 'serial number 0', field('serial', count(0)), SERIAL],
  ['4.1.2.2', 'a negative serial number', field('serial', count(0x80)), SERIAL],
  ['4.1.2.2', 'a serial number of 20 octets', field('serial', integer(Buffer.alloc(20, 1))), ACCEPTED],
  ['4.1.2.2', 'a serial number of 21 octets', field('serial', integer(Buffer.alloc(21, 1))), SERIAL],
  ['X.690 8.3.2', 'a serial number with a needless zero', field('serial', integer(octets(0, 1))), UNREADABLE, NO_PARSE],
  ['X.690 8.3.1', 'a serial number without octets', field('serial', integer(octets())), UNREADABLE, NO_PARSE],
  [
    '4.1.2.8',
    'a unique identifier that is no bit string',
    { fields: { extensions: octets() }, after: write(contextTag(1, 'primitive'), octets(9, 1)) },
    UNREADABLE,
    NO_PARSE,
  ],
  [
    '4.1.2.8',
    'unique identifiers',
    { fields: { extensions: octets() }, after: write(contextTag(1, 'primitive'), octets(0, 1)) },
    ACCEPTED,
  ],
  ['4.1', 'a field behind the extensions', { after: count(1) }, UNREADABLE, NO_PARSE],
  ['4.1', 'a field behind the signature', { trailing: count(1) }, UNREADABLE, NO_PARSE],
  ['4.2', 'an extension twice', list(raw(someOid, value), raw(someOid, value)), UNREADABLE],
  [
    '4.2',
    'subject alternative names twice',
    list(
      ...['a@x.com', 'b@x.com'].map((mail) =>
        extension(EXTENSION.subjectAltName, writeSequence(write(contextTag(1, 'primitive'), latin(mail)))),
      ),
    ),
    UNREADABLE,
  ],
  ['4.1.2.9', 'an empty list of extensions', list(), UNREADABLE],
  ['X.690 11.1', 'TRUE as 01', list(raw(someOid, write(TAG.boolean, octets(1)), value)), UNREADABLE],
  [
    'X.690 8.2',
    'a BOOLEAN of two octets',
    list(raw(someOid, write(TAG.boolean, octets(0xff, 0xff)), value)),
    UNREADABLE,
    NO_PARSE,
  ],
  ['X.690 11.5', 'FALSE spelt out, which common authorities do', list(raw(someOid, FALSE, value)), ACCEPTED],
  ['4.2', 'an extension without a value', list(raw(someOid, TRUE)), UNREADABLE, NO_PARSE],
  ['4.2', 'a field behind the value of an extension', list(raw(someOid, value, value)), UNREADABLE, NO_PARSE],
  [
    'X.690 8.19.2',
    'an object identifier padded with 80',
    list(raw(write(TAG.oid, octets(0x2a, 0x80, 0x03)), value)),
    UNREADABLE,
    NO_PARSE,
  ],
  [
    'X.690 8.19',
    'an object identifier that ends early',
    list(raw(write(TAG.oid, octets(0x2a, 0x83)), value)),
    UNREADABLE,
    NO_PARSE,
  ],
  ['X.690 8.19', 'an empty object identifier', list(raw(write(TAG.oid), value)), UNREADABLE, NO_PARSE],
  [
    'X.690 10.1',
    'a length that is not minimal',
    field('subject', Buffer.concat([octets(0x30, 0x81, 0x11), nameOf('caller').subarray(2)])),
    UNREADABLE,
  ],
  [
    'X.690 10.1',
    'an indefinite length',
    field('subject', Buffer.concat([octets(0x30, 0x80), nameOf('caller').subarray(2), octets(0, 0)])),
    UNREADABLE,
  ],
  ['X.690 8.1.2.4', 'a tag above 30', { after: octets(0xbf, 0x1f, 0x00) }, UNREADABLE, NO_PARSE],
  ['4.1.2.4', 'an empty relative name', field('subject', writeSequence(write(TAG.set))), UNREADABLE],
  [
    '4.1.2.4',
    'an attribute without a value',
    field('subject', writeSequence(write(TAG.set, writeSequence(writeOid(COMMON_NAME))))),
    UNREADABLE,
    NO_PARSE,
  ],
  [
    '4.1.2.4',
    'an attribute with two values',
    field('subject', writeSequence(write(TAG.set, writeSequence(writeOid(COMMON_NAME), count(1), count(2))))),
    UNREADABLE,
    NO_PARSE,
  ],
  [
    'X.690 11.6',
    'two attributes of one relative name in another order',
    field(
      'subject',
      writeSequence(write(TAG.set, attribute(ORGANISATION, 'caller'), attribute(COMMON_NAME, 'caller'))),
    ),
    byRule('names-in-set-order'),
  ],
  [
    'X.690 11.6',
    'two attributes of one relative name in the order of DER',
    field(
      'subject',
      writeSequence(write(TAG.set, attribute(COMMON_NAME, 'caller'), attribute(ORGANISATION, 'caller'))),
    ),
    ACCEPTED,
  ],
];

export const ENCODING_CASES: readonly Case[] = casesOf([
  ...STRUCTURES.map(([clause, what, forgery, verdict, noHandshake]) =>
    forged({ clause, what, forgery, verdict, ...(noHandshake && { noHandshake }) }),
  ),
  {
    clause: '4.1.2.1',
    what: 'a leaf of version 3 without extensions',
    made: () => forge({}, { fields: { extensions: octets() } }),
    verdict: ACCEPTED,
  },
  {
    clause: '4.1.2.1',
    what: 'a leaf of version 1',
    leaf: { version: 1 },
    verdict: ACCEPTED,
    strict: byRule('key-identifiers-present'),
  },
]);
