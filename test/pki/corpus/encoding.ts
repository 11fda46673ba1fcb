// DER as X.690 and RFC 5280 4.1 demand it: versions, serial numbers, lengths, times, lists of extensions.
import { contextTag, TAG } from '../../../src/pki/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../../../src/pki/der-write.ts';
import { EXTENSION } from '../../../src/pki/extensions.ts';
import { attribute, extension, integer, nameOf } from '../../authority.ts';
import { ACCEPTED, byRule, type Case, casesOf, type Row, UNREADABLE } from './case.ts';
import { type Forgery, forge } from './forge.ts';
import { COMMON_NAME, count, FALSE, latin, ORGANISATION, octets, TRUE } from './pieces.ts';

const NO_PARSE = 'OpenSSL cannot parse the certificate';
const SERIAL = byRule('serial-number');
const EXPIRED = 'certificate-expired: expired';
const EARLY = 'certificate-not-yet-valid: not-yet-valid';

interface Forged extends Omit<Row, 'made' | 'leaf'> {
  readonly forgery: Forgery;
}

const forged = ({ forgery, ...row }: Forged): Row => ({ ...row, made: () => forge({}, forgery) });

const utc = (text: string) => write(TAG.utcTime, latin(text));
const generalized = (text: string) => write(TAG.generalizedTime, latin(text));
const FROM = utc('200101000000Z');
const UNTIL = utc('490101000000Z');
const validity = (from: Uint8Array, until: Uint8Array): Forgery => ({
  fields: { validity: writeSequence(from, until) },
});

const TIMES: readonly [clause: string, what: string, from: Uint8Array, until: Uint8Array, verdict: string][] = [
  ['5', 'the last second of the validity', FROM, utc('261115120000Z'), ACCEPTED],
  ['5', 'a second after the validity', FROM, utc('261115115959Z'), EXPIRED],
  ['5', 'the first second of the validity', utc('261115120000Z'), UNTIL, ACCEPTED],
  ['5', 'a second before the validity', utc('261115120001Z'), UNTIL, EARLY],
  ['5', 'a validity that ends before it begins', utc('300101000000Z'), utc('250101000000Z'), EARLY],
  ['5', 'no end at all, 99991231235959Z', FROM, generalized('99991231235959Z'), ACCEPTED],
  ['5.1', 'two-digit year 50, which is 1950', utc('500101000000Z'), UNTIL, ACCEPTED],
  ['5.1', 'an end in 1999', FROM, utc('991231235959Z'), EXPIRED],
  ['5.1', 'UTCTime without seconds', utc('2001010000Z'), UNTIL, UNREADABLE],
  ['5.1', 'UTCTime with an offset', utc('200101000000+0100'), UNTIL, UNREADABLE],
  ['5.1', 'UTCTime without Z', utc('200101000000'), UNTIL, UNREADABLE],
  ['5.1', 'a small z', utc('200101000000z'), UNTIL, UNREADABLE],
  ['5.1', 'month 13', utc('201301000000Z'), UNTIL, UNREADABLE],
  ['5.1', 'month 0', utc('200001000000Z'), UNTIL, UNREADABLE],
  ['5.1', 'the 30th of February', utc('200230000000Z'), UNTIL, UNREADABLE],
  ['5.1', 'the 29th of February of a common year', utc('210229000000Z'), UNTIL, UNREADABLE],
  ['5.1', 'the 29th of February of a leap year', utc('200229000000Z'), UNTIL, ACCEPTED],
  ['5.1', 'hour 24', utc('200101240000Z'), UNTIL, UNREADABLE],
  ['5.1', 'minute 60', utc('200101006000Z'), UNTIL, UNREADABLE],
  ['5.1', 'second 60', utc('200101000060Z'), UNTIL, UNREADABLE],
  ['5.1', 'letters for digits', utc('2001010000aaZ'), UNTIL, UNREADABLE],
  ['5.1', 'a NUL behind the time', utc('200101000000Z\0'), UNTIL, UNREADABLE],
  ['5.2', 'GeneralizedTime with a fraction', FROM, generalized('20600101000000.5Z'), UNREADABLE],
  ['5.2', 'GeneralizedTime without seconds', FROM, generalized('206001010000Z'), UNREADABLE],
  ['5.2', 'GeneralizedTime from 2050 on', FROM, generalized('20500101000000Z'), ACCEPTED],
  ['5', 'a time of neither kind', write(TAG.visible, latin('200101000000Z')), UNTIL, UNREADABLE],
];

const UNPARSED = [
  'UTCTime without seconds',
  'UTCTime without Z',
  'GeneralizedTime without seconds',
  'a time of neither kind',
];

function timeRow([clause, what, from, until, verdict]: (typeof TIMES)[number]): Row {
  const row = { clause: `RFC 5280 4.1.2.${clause}`, what, forgery: validity(from, until), verdict };
  return forged(UNPARSED.includes(what) ? { ...row, noHandshake: NO_PARSE } : row);
}

const list = (...extensions: Uint8Array[]): Forgery => ({
  fields: { extensions: writeContext(3, writeSequence(...extensions)) },
});
const raw = (...parts: Uint8Array[]) => writeSequence(...parts);
const someOid = writeOid('1.2.3.4');
const value = write(TAG.octetString, writeSequence());

const STRUCTURES: readonly Forged[] = [
  {
    clause: 'RFC 5280 4.1.2.1',
    what: 'extensions in version 1',
    forgery: { fields: { version: octets() } },
    verdict: UNREADABLE,
  },
  {
    clause: 'RFC 5280 4.1.2.1',
    what: 'extensions in version 2',
    forgery: { fields: { version: writeContext(0, count(1)) } },
    verdict: UNREADABLE,
  },
  {
    clause: 'RFC 5280 4.1.2.1',
    what: 'version 4',
    forgery: { fields: { version: writeContext(0, count(3)) } },
    verdict: UNREADABLE,
  },
  {
    clause: 'RFC 5280 4.1.2.1',
    what: 'a negative version',
    forgery: { fields: { version: writeContext(0, count(0xff)) } },
    verdict: UNREADABLE,
  },
  { clause: 'RFC 5280 4.1.2.2', what: 'serial number 0', forgery: { fields: { serial: count(0) } }, verdict: SERIAL },
  {
    clause: 'RFC 5280 4.1.2.2',
    what: 'a negative serial number',
    forgery: { fields: { serial: count(0x80) } },
    verdict: SERIAL,
  },
  {
    clause: 'RFC 5280 4.1.2.2',
    what: 'a serial number of 20 octets',
    forgery: { fields: { serial: integer(Buffer.alloc(20, 1)) } },
    verdict: ACCEPTED,
  },
  {
    clause: 'RFC 5280 4.1.2.2',
    what: 'a serial number of 21 octets',
    forgery: { fields: { serial: integer(Buffer.alloc(21, 1)) } },
    verdict: SERIAL,
  },
  {
    clause: 'X.690 8.3.2',
    what: 'a serial number with a needless zero',
    forgery: { fields: { serial: integer(octets(0, 1)) } },
    verdict: UNREADABLE,
    noHandshake: NO_PARSE,
  },
  {
    clause: 'X.690 8.3.1',
    what: 'a serial number without octets',
    forgery: { fields: { serial: integer(octets()) } },
    verdict: UNREADABLE,
    noHandshake: NO_PARSE,
  },
  {
    clause: 'RFC 5280 4.1.2.8',
    what: 'unique identifiers',
    forgery: { fields: { extensions: octets() }, after: write(contextTag(1, 'primitive'), octets(0, 1)) },
    verdict: ACCEPTED,
  },
  {
    clause: 'RFC 5280 4.1',
    what: 'a field behind the extensions',
    forgery: { after: count(1) },
    verdict: UNREADABLE,
    noHandshake: NO_PARSE,
  },
  {
    clause: 'RFC 5280 4.1',
    what: 'a field behind the signature',
    forgery: { trailing: count(1) },
    verdict: UNREADABLE,
    noHandshake: NO_PARSE,
  },
  {
    clause: 'RFC 5280 4.2',
    what: 'an extension twice',
    forgery: list(raw(someOid, value), raw(someOid, value)),
    verdict: UNREADABLE,
  },
  {
    clause: 'RFC 5280 4.2',
    what: 'subject alternative names twice',
    forgery: list(
      ...['a@x.com', 'b@x.com'].map((mail) =>
        extension(EXTENSION.subjectAltName, writeSequence(write(contextTag(1, 'primitive'), latin(mail)))),
      ),
    ),
    verdict: UNREADABLE,
  },
  { clause: 'RFC 5280 4.1.2.9', what: 'an empty list of extensions', forgery: list(), verdict: UNREADABLE },
  {
    clause: 'X.690 11.1',
    what: 'TRUE as 01',
    forgery: list(raw(someOid, write(TAG.boolean, octets(1)), value)),
    verdict: UNREADABLE,
  },
  {
    clause: 'X.690 8.2',
    what: 'a BOOLEAN of two octets',
    forgery: list(raw(someOid, write(TAG.boolean, octets(0xff, 0xff)), value)),
    verdict: UNREADABLE,
    noHandshake: NO_PARSE,
  },
  {
    clause: 'X.690 11.5',
    what: 'FALSE spelt out, which common authorities do',
    forgery: list(raw(someOid, FALSE, value)),
    verdict: ACCEPTED,
  },
  {
    clause: 'RFC 5280 4.2',
    what: 'an extension without a value',
    forgery: list(raw(someOid, TRUE)),
    verdict: UNREADABLE,
    noHandshake: NO_PARSE,
  },
  {
    clause: 'RFC 5280 4.2',
    what: 'a field behind the value of an extension',
    forgery: list(raw(someOid, value, value)),
    verdict: UNREADABLE,
    noHandshake: NO_PARSE,
  },
  {
    clause: 'X.690 8.19.2',
    what: 'an object identifier padded with 80',
    forgery: list(raw(write(TAG.oid, octets(0x2a, 0x80, 0x03)), value)),
    verdict: UNREADABLE,
    noHandshake: NO_PARSE,
  },
  {
    clause: 'X.690 8.19',
    what: 'an object identifier that ends early',
    forgery: list(raw(write(TAG.oid, octets(0x2a, 0x83)), value)),
    verdict: UNREADABLE,
    noHandshake: NO_PARSE,
  },
  {
    clause: 'X.690 8.19',
    what: 'an empty object identifier',
    forgery: list(raw(write(TAG.oid), value)),
    verdict: UNREADABLE,
    noHandshake: NO_PARSE,
  },
  {
    clause: 'X.690 10.1',
    what: 'a length that is not minimal',
    forgery: { fields: { subject: Buffer.concat([octets(0x30, 0x81, 0x11), nameOf('caller').subarray(2)]) } },
    verdict: UNREADABLE,
  },
  {
    clause: 'X.690 10.1',
    what: 'an indefinite length',
    forgery: { fields: { subject: Buffer.concat([octets(0x30, 0x80), nameOf('caller').subarray(2), octets(0, 0)]) } },
    verdict: UNREADABLE,
  },
  {
    clause: 'X.690 8.1.2.4',
    what: 'a tag above 30',
    forgery: { after: octets(0xbf, 0x1f, 0x00) },
    verdict: UNREADABLE,
    noHandshake: NO_PARSE,
  },
  {
    clause: 'RFC 5280 4.1.2.4',
    what: 'an empty relative name',
    forgery: { fields: { subject: writeSequence(write(TAG.set)) } },
    verdict: UNREADABLE,
  },
  {
    clause: 'RFC 5280 4.1.2.4',
    what: 'an attribute without a value',
    forgery: { fields: { subject: writeSequence(write(TAG.set, writeSequence(writeOid(COMMON_NAME)))) } },
    verdict: UNREADABLE,
    noHandshake: NO_PARSE,
  },
  {
    clause: 'RFC 5280 4.1.2.4',
    what: 'an attribute with two values',
    forgery: {
      fields: { subject: writeSequence(write(TAG.set, writeSequence(writeOid(COMMON_NAME), count(1), count(2)))) },
    },
    verdict: UNREADABLE,
    noHandshake: NO_PARSE,
  },
  {
    clause: 'X.690 11.6',
    what: 'two attributes of one relative name in the order of DER',
    forgery: {
      fields: {
        subject: writeSequence(write(TAG.set, attribute(COMMON_NAME, 'caller'), attribute(ORGANISATION, 'caller'))),
      },
    },
    verdict: ACCEPTED,
  },
];

export const ENCODING_CASES: readonly Case[] = casesOf([
  ...TIMES.map(timeRow),
  ...STRUCTURES.map(forged),
  {
    clause: 'RFC 5280 4.1.2.1',
    what: 'a leaf of version 1',
    leaf: { version: 1 },
    verdict: ACCEPTED,
    strict: byRule('key-identifiers-present'),
  },
]);
