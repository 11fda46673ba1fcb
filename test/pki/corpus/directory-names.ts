// Constraints on directory names: another spelling of an excluded name is excluded too (RFC 5280 7.1, RFC 4518).
import { TAG } from '../../../src/pki/der/der.ts';
import { write, writeSequence } from '../../../src/pki/der/der-write.ts';
import type { CertificateOptions } from '../../authority.ts';
import { attribute } from '../../signed-der.ts';
import { type Case, casesOf } from './case.ts';
import { rowsOf, type Tree } from './constraints.ts';
import {
  bmp,
  callerOf,
  directory,
  general,
  nameWith,
  ORGANISATION,
  organisation,
  printable,
  teletex,
  universal,
} from './pieces.ts';

const UNIT = '2.5.4.11';
const from = (value: string | Uint8Array): CertificateOptions => ({ subject: callerOf(value) });
const both = (name: string, unit: string) =>
  writeSequence(write(TAG.set, attribute(ORGANISATION, name), attribute(UNIT, unit)));

const TREES: readonly Tree[] = [
  {
    what: 'permitted O=Example Org',
    permitted: [directory(organisation('Example Org'))],
    inside: {
      'case and spaces': from('EXAMPLE  org'),
      PrintableString: from(printable('Example Org')),
      BMPString: from(bmp('Example Org')),
      UniversalString: from(universal('Example Org')),
      'a soft hyphen': from('Exam\u00adple Org'),
    },
    outside: {
      'another organisation': from('Other'),
      'no organisation': { commonName: 'caller' },
      'the organisation in the second place': { subject: nameWith([UNIT, 'x'], [ORGANISATION, 'Example Org']) },
      'a directory name beside': {
        subject: callerOf('Example Org'),
        alternativeNames: [directory(organisation('Other'))],
      },
    },
  },
  {
    what: 'excluded O=Evil Straße',
    excluded: [directory(organisation('Evil Straße'))],
    inside: { 'another organisation': from('Good'), 'no organisation': {} },
    outside: Object.fromEntries(
      Object.entries({
        itself: 'Evil Straße',
        'letter case': 'EVIL STRASSE',
        BMPString: bmp('evil straße'),
        UniversalString: universal('evil straße'),
        'UniversalString in capitals': universal('EVIL STRASSE'),
        'GeneralString of its folded form': general('evil strasse'),
        TeletexString: teletex('evil strasse'),
        PrintableString: printable('Evil Strasse'),
        'a soft hyphen': 'Evil Stra\u00adße',
        'a zero-width space': 'E\u200bvil Straße',
        'a zero-width joiner': 'E\u200dvil Straße',
        'a word joiner': 'E\u2060vil Straße',
        'a byte order mark': '\ufeffEvil Straße',
        'a combining grapheme joiner': 'E\u034fvil Straße',
        'a variation selector': 'Evil\ufe0f Straße',
        'a control character': 'Ev\u0001il Straße',
        'full-width letters': 'Ｅｖｉｌ Straße',
        'a no-break space': 'Evil\u00a0Straße',
        'a capital ẞ': 'EVIL STRA\u1e9eE',
        'spaces around': '  Evil Straße  ',
      }).map(([name, value]) => [name, from(value)]),
    ),
  },
  {
    what: 'permitted O=Good + OU=Team in one relative name',
    permitted: [directory(both('Good', 'Team'))],
    inside: { itself: { subject: withCaller(both('Good', 'Team')) } },
    outside: {
      'a value that spells both with U+0001': from(`Good\u0001${UNIT}=Team`),
      'a value that spells both with U+0000': from(`Good\u0000${UNIT}=Team`),
      'two relative names': { subject: nameWith([ORGANISATION, 'Good'], [UNIT, 'Team'], ['2.5.4.3', 'caller']) },
    },
  },
];

/** These relative names, followed by the caller's common name. */
function withCaller(name: Uint8Array): Uint8Array {
  return writeSequence(name.subarray(2), write(TAG.set, attribute('2.5.4.3', 'caller')));
}

export const DIRECTORY_CASES: readonly Case[] = casesOf(TREES.flatMap(rowsOf));
