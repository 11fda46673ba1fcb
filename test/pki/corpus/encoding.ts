// DER as required by X.690 and RFC 5280 4.1: versions, serial numbers, lengths, lists of extensions.
import { contextTag, TAG } from '../../../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../../src/pki/x509/extensions.ts';
import { attribute, extension, integer, nameOf } from '../../signed-der.ts';
import { ACCEPTED, byRule, type Case, casesOf, type Row, told, UNREADABLE } from './case.ts';
import { type Forgery, forge } from './forge.ts';
import { COMMON_NAME, count, FALSE, latin, ORGANISATION, octets, TRUE } from './pieces.ts';

export const NO_PARSE = 'OpenSSL cannot parse the certificate';
const SERIAL = byRule('serial-number');

export interface Forged extends Omit<Row, 'made' | 'leaf'> {
  readonly forgery: Forgery;
}

export const forged = ({ forgery, ...row }: Forged): Row => ({ ...row, made: () => forge({}, forgery) });

const list = (...extensions: Uint8Array[]): Forgery => ({
  fields: { extensions: writeContext(3, writeSequence(...extensions)) },
});
const raw = (...parts: Uint8Array[]) => writeSequence(...parts);
const someOid = writeOid('1.2.3.4');
const value = write(TAG.octetString, writeSequence());

const STRUCTURES: readonly Forged[] = told([
  ['RFC 5280 4.1.2.1', 'extensions in version 1', { forgery: { fields: { version: octets() } } }, UNREADABLE],
  [
    'RFC 5280 4.1.2.1',
    'extensions in version 2',
    { forgery: { fields: { version: writeContext(0, count(1)) } } },
    UNREADABLE,
  ],
  ['RFC 5280 4.1.2.1', 'version 4', { forgery: { fields: { version: writeContext(0, count(3)) } } }, UNREADABLE],
  [
    'RFC 5280 4.1.2.1',
    'a negative version',
    { forgery: { fields: { version: writeContext(0, count(0xff)) } } },
    UNREADABLE,
  ],
  ['RFC 5280 4.1.2.2', 'serial number 0', { forgery: { fields: { serial: count(0) } } }, SERIAL],
  ['RFC 5280 4.1.2.2', 'a negative serial number', { forgery: { fields: { serial: count(0x80) } } }, SERIAL],
  [
    'RFC 5280 4.1.2.2',
    'a serial number of 20 octets',
    { forgery: { fields: { serial: integer(Buffer.alloc(20, 1)) } } },
    ACCEPTED,
  ],
  [
    'RFC 5280 4.1.2.2',
    'a serial number of 21 octets',
    { forgery: { fields: { serial: integer(Buffer.alloc(21, 1)) } } },
    SERIAL,
  ],
  [
    'X.690 8.3.2',
    'a serial number with a needless zero',
    { forgery: { fields: { serial: integer(octets(0, 1)) } }, noHandshake: NO_PARSE },
    UNREADABLE,
  ],
  [
    'X.690 8.3.1',
    'a serial number without octets',
    { forgery: { fields: { serial: integer(octets()) } }, noHandshake: NO_PARSE },
    UNREADABLE,
  ],
  [
    'RFC 5280 4.1.2.8',
    'a unique identifier that is no bit string',
    {
      forgery: { fields: { extensions: octets() }, after: write(contextTag(1, 'primitive'), octets(9, 1)) },
      noHandshake: NO_PARSE,
    },
    UNREADABLE,
  ],
  [
    'RFC 5280 4.1.2.8',
    'unique identifiers',
    { forgery: { fields: { extensions: octets() }, after: write(contextTag(1, 'primitive'), octets(0, 1)) } },
    ACCEPTED,
  ],
  [
    'RFC 5280 4.1',
    'a field behind the extensions',
    { forgery: { after: count(1) }, noHandshake: NO_PARSE },
    UNREADABLE,
  ],
  [
    'RFC 5280 4.1',
    'a field behind the signature',
    { forgery: { trailing: count(1) }, noHandshake: NO_PARSE },
    UNREADABLE,
  ],
  ['RFC 5280 4.2', 'an extension twice', { forgery: list(raw(someOid, value), raw(someOid, value)) }, UNREADABLE],
  [
    'RFC 5280 4.2',
    'subject alternative names twice',
    {
      forgery: list(
        ...['a@x.com', 'b@x.com'].map((mail) =>
          extension(EXTENSION.subjectAltName, writeSequence(write(contextTag(1, 'primitive'), latin(mail)))),
        ),
      ),
    },
    UNREADABLE,
  ],
  ['RFC 5280 4.1.2.9', 'an empty list of extensions', { forgery: list() }, UNREADABLE],
  ['X.690 11.1', 'TRUE as 01', { forgery: list(raw(someOid, write(TAG.boolean, octets(1)), value)) }, UNREADABLE],
  [
    'X.690 8.2',
    'a BOOLEAN of two octets',
    { forgery: list(raw(someOid, write(TAG.boolean, octets(0xff, 0xff)), value)), noHandshake: NO_PARSE },
    UNREADABLE,
  ],
  [
    'X.690 11.5',
    'FALSE spelt out, which common authorities do',
    { forgery: list(raw(someOid, FALSE, value)) },
    ACCEPTED,
  ],
  [
    'RFC 5280 4.2',
    'an extension without a value',
    { forgery: list(raw(someOid, TRUE)), noHandshake: NO_PARSE },
    UNREADABLE,
  ],
  [
    'RFC 5280 4.2',
    'a field behind the value of an extension',
    { forgery: list(raw(someOid, value, value)), noHandshake: NO_PARSE },
    UNREADABLE,
  ],
  [
    'X.690 8.19.2',
    'an object identifier padded with 80',
    { forgery: list(raw(write(TAG.oid, octets(0x2a, 0x80, 0x03)), value)), noHandshake: NO_PARSE },
    UNREADABLE,
  ],
  [
    'X.690 8.19',
    'an object identifier that ends early',
    { forgery: list(raw(write(TAG.oid, octets(0x2a, 0x83)), value)), noHandshake: NO_PARSE },
    UNREADABLE,
  ],
  [
    'X.690 8.19',
    'an empty object identifier',
    { forgery: list(raw(write(TAG.oid), value)), noHandshake: NO_PARSE },
    UNREADABLE,
  ],
  [
    'X.690 10.1',
    'a length that is not minimal',
    { forgery: { fields: { subject: Buffer.concat([octets(0x30, 0x81, 0x11), nameOf('caller').subarray(2)]) } } },
    UNREADABLE,
  ],
  [
    'X.690 10.1',
    'an indefinite length',
    {
      forgery: { fields: { subject: Buffer.concat([octets(0x30, 0x80), nameOf('caller').subarray(2), octets(0, 0)]) } },
    },
    UNREADABLE,
  ],
  [
    'X.690 8.1.2.4',
    'a tag above 30',
    { forgery: { after: octets(0xbf, 0x1f, 0x00) }, noHandshake: NO_PARSE },
    UNREADABLE,
  ],
  [
    'RFC 5280 4.1.2.4',
    'an empty relative name',
    { forgery: { fields: { subject: writeSequence(write(TAG.set)) } } },
    UNREADABLE,
  ],
  [
    'RFC 5280 4.1.2.4',
    'an attribute without a value',
    {
      forgery: { fields: { subject: writeSequence(write(TAG.set, writeSequence(writeOid(COMMON_NAME)))) } },
      noHandshake: NO_PARSE,
    },
    UNREADABLE,
  ],
  [
    'RFC 5280 4.1.2.4',
    'an attribute with two values',
    {
      forgery: {
        fields: { subject: writeSequence(write(TAG.set, writeSequence(writeOid(COMMON_NAME), count(1), count(2)))) },
      },
      noHandshake: NO_PARSE,
    },
    UNREADABLE,
  ],
  [
    'X.690 11.6',
    'two attributes of one relative name in another order',
    {
      forgery: {
        fields: {
          subject: writeSequence(write(TAG.set, attribute(ORGANISATION, 'caller'), attribute(COMMON_NAME, 'caller'))),
        },
      },
    },
    byRule('names-in-set-order'),
  ],
  [
    'X.690 11.6',
    'two attributes of one relative name in the order of DER',
    {
      forgery: {
        fields: {
          subject: writeSequence(write(TAG.set, attribute(COMMON_NAME, 'caller'), attribute(ORGANISATION, 'caller'))),
        },
      },
    },
    ACCEPTED,
  ],
]);

export const ENCODING_CASES: readonly Case[] = casesOf([
  ...STRUCTURES.map(forged),
  {
    clause: 'RFC 5280 4.1.2.1',
    what: 'a leaf of version 3 without extensions',
    made: () => forge({}, { fields: { extensions: octets() } }),
    verdict: ACCEPTED,
  },
  {
    clause: 'RFC 5280 4.1.2.1',
    what: 'a leaf of version 1',
    leaf: { version: 1 },
    verdict: ACCEPTED,
    strict: byRule('key-identifiers-present'),
  },
]);
