// Whether the issuer's name in a certificate is the name of its authority, whatever its encoding (RFC 5280 7.1, RFC 4518).
import { TAG } from '../../../src/pki/der/der.ts';
import { write, writeSequence } from '../../../src/pki/der/der-write.ts';
import { attribute, utf8 } from '../../signed-der.ts';
import { ACCEPTED, type Case, casesOf, NOT_APPROVED, type Row, rootWith } from './case.ts';
import { forge } from './forge.ts';
import {
  bmp,
  COMMON_NAME,
  general,
  ia5,
  nameWith,
  ORGANISATION,
  octets,
  organisation,
  printable,
  teletex,
  universal,
} from './pieces.ts';

const UNIT = '2.5.4.11';

interface Pair {
  readonly clause: string;
  readonly what: string;
  /** The name of the approved issuer, and the same name as the leaf spells it. */
  readonly names: readonly [Uint8Array, Uint8Array];
  readonly noHandshake?: string;
}

const pair = (clause: string, what: string, ...values: readonly [string | Uint8Array, string | Uint8Array]): Pair => ({
  clause,
  what,
  names: [organisation(values[0]), organisation(values[1])],
});

const SAME: readonly Pair[] = [
  pair('7.1', 'UTF8String and PrintableString', 'Example Org', printable('Example Org')),
  pair('7.1', 'UTF8String and BMPString', 'Example Org', bmp('Example Org')),
  pair('7.1', 'UTF8String and UniversalString', 'Example Org', universal('Example Org')),
  pair('7.1', 'UTF8String and TeletexString', 'Example Org', teletex('Example Org')),
  pair('7.1', 'UTF8String and IA5String', 'Example Org', ia5('Example Org')),
  pair('7.1', 'BMPString and UniversalString beyond ASCII', bmp('Größe'), universal('Größe')),
  pair('7.1', 'letter case', 'Example Org', 'EXAMPLE org'),
  pair('7.1', 'letter case beyond ASCII', 'Ärzte', 'ÄRZTE'),
  pair('RFC 4518 2.6.1', 'several spaces for one', 'Example Org', 'Example   Org'),
  pair('RFC 4518 2.6.1', 'spaces around', 'Example Org', '  Example Org '),
  pair('RFC 4518 2.2', 'a tab for a space', 'Example Org', 'Example\tOrg'),
  pair('RFC 4518 2.2', 'a no-break space for a space', 'Example Org', 'Example\u00a0Org'),
  pair('RFC 4518 2.2', 'an ideographic space for a space', 'Example Org', 'Example\u3000Org'),
  pair('RFC 4518 2.2', 'a soft hyphen', 'Example', 'Exam\u00adple'),
  pair('RFC 4518 2.2', 'a zero-width space', 'Example', 'Exam\u200bple'),
  pair('RFC 4518 2.2', 'a combining grapheme joiner', 'Example', 'Exam\u034fple'),
  pair('RFC 4518 2.2', 'a variation selector', 'Example', 'Example\ufe0f'),
  pair('RFC 4518 2.2', 'a control character', 'Example', 'Exam\u0001ple'),
  pair('RFC 4518 2.2', 'ß and ss', 'Straße', 'STRASSE'),
  pair('RFC 4518 2.2', 'final sigma', 'ΟΔΟΣ', 'οδος'),
  pair('RFC 4518 2.3', 'composed and decomposed', 'Caf\u00e9', 'Cafe\u0301'),
  pair('RFC 4518 2.3', 'full-width letters', 'Example', 'Ｅｘａｍｐｌｅ'),
  pair('RFC 4518 2.3', 'a ligature', 'office', 'oﬃce'),
  pair('RFC 4518 2.3', 'a Kelvin sign', 'kelvin', '\u212aelvin'),
  pair('RFC 4518 2.2', 'NUL characters between the letters', bmp('AB'), utf8('\0A\0B')),
];

const OTHER: readonly Pair[] = [
  pair('7.1', 'another word', 'Example', 'Exemple'),
  pair('7.1', 'a longer word', 'Example', 'Examples'),
  pair('7.1', 'a word that begins alike and holds a NUL', 'Example', 'Example\0s'),
  pair('RFC 4518 2.6.1', 'a space inside a word', 'Example', 'Exam ple'),
  pair('RFC 4518 2.2', 'a Cyrillic letter', 'Example', 'Ex\u0430mple'),
  pair('RFC 4518 2.2', 'a dotless i', 'big', 'b\u0131g'),
  pair('RFC 4518 2.2', 'Arabic digits', 'Unit 1', 'Unit \u0661'),
  {
    ...pair('7.1', 'a GeneralString that says something else', 'Example', general('Other')),
    noHandshake: 'OpenSSL cannot parse this string type in a name',
  },
  { clause: '7.1', what: 'another attribute', names: [organisation('Example'), nameWith([UNIT, 'Example'])] },
  {
    clause: '7.1',
    what: 'the relative names in another order',
    names: [nameWith([ORGANISATION, 'Example'], [UNIT, 'Unit']), nameWith([UNIT, 'Unit'], [ORGANISATION, 'Example'])],
  },
  {
    clause: '7.1',
    what: 'a relative name more',
    names: [organisation('Example'), nameWith([ORGANISATION, 'Example'], [COMMON_NAME, 'more'])],
  },
  {
    clause: '7.1',
    what: 'a relative name less',
    names: [nameWith([ORGANISATION, 'Example'], [COMMON_NAME, 'more']), organisation('Example')],
  },
  {
    clause: 'X.501 9.3',
    what: 'two attributes of one relative name, and two relative names',
    names: [both(['Example', 'Unit']), nameWith([ORGANISATION, 'Example'], [UNIT, 'Unit'])],
  },
  ...['\u0001', '\u0000', ',', '+', '\n', '/'].map(
    (glue): Pair => ({
      clause: 'X.501 9.3, T: no value imitates a structure',
      what: `two attributes, and one value that spells both with ${JSON.stringify(glue)}`,
      names: [both(['Example', 'Unit']), organisation(`Example${glue}${UNIT}=Unit`)],
    }),
  ),
];

/** Organisation and unit in one relative name. */
function both([name, unit]: readonly [string, string]): Uint8Array {
  return writeSequence(write(TAG.set, attribute(UNIT, unit), attribute(ORGANISATION, name)));
}

function rowOf(verdict: string) {
  return ({ names: [approved, written], ...row }: Pair): Row => {
    const by = rootWith({ subject: approved });
    return { ...row, made: () => forge({}, { fields: { issuer: written } }, by), by, verdict };
  };
}

// Attributes that are not text compare octet by octet.
const BITS = (last: number) => nameWith([ORGANISATION, write(TAG.bitString, octets(0, last))]);
const OPAQUE = (last: number): Pair => ({
  clause: '7.1',
  what: last === 1 ? 'the same bits' : 'other bits',
  names: [BITS(1), BITS(last)],
});

export const NAME_CASES: readonly Case[] = casesOf([
  ...SAME.map(rowOf(ACCEPTED)),
  ...OTHER.map(rowOf(NOT_APPROVED)),
  rowOf(ACCEPTED)(OPAQUE(1)),
  rowOf(NOT_APPROVED)(OPAQUE(2)),
]);
