// An irregular list never proves that a certificate is good, but still revokes those it names.
import { contextTag } from '../../../src/pki/der/der.ts';
import { write, writeSequence } from '../../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../../src/pki/x509/extensions.ts';
import type { Authority } from '../../authority.ts';
import { revokedEntry } from '../../authority-lists.ts';
import { extension } from '../../signed-der.ts';
import { ACCEPTED, type Case, ROOT } from './case.ts';
import { delta, flag, listCase, OTHER, point, REVOKED, SERIAL, scope, UNKNOWN } from './list-case.ts';
import { count, octets, times } from './pieces.ts';

type CrlOptions = NonNullable<Parameters<Authority['crl']>[0]>;
const unknownCritical = extension('1.2.3', writeSequence(), true);

/** Irregular lists of the issuer: they prove nobody good, and revoke the certificates they name. */
const ODD: readonly [clause: string, what: string, options: CrlOptions][] = [
  ['5.1.2.1', 'of version 1', { version: 1 }],
  ['5.2.3', 'without a number', { withoutNumber: true }],
  [
    '5.2.3',
    'with a critical number',
    { withoutNumber: true, extensions: [extension(EXTENSION.crlNumber, count(1), true)] },
  ],
  ['5.2', 'with an unknown critical extension', { extensions: [unknownCritical] }],
  ['5.2', 'with an extension twice', { extensions: times(2, () => extension('1.2.3', writeSequence())) }],
  ['5.1.2.6', 'with an entry without a date', { entries: [writeSequence(count(5))] }],
  ['5.3', 'with an unknown critical extension of an entry', { entries: [revokedEntry(octets(5), unknownCritical)] }],
  ['5.2.4', 'that is a delta', { extensions: [delta] }],
  [
    '5.2.4',
    'that is a delta by an indicator that is not critical',
    { extensions: [extension(EXTENSION.deltaCrlIndicator, count(1))] },
  ],
  ['5.2.5', 'that is indirect', { extensions: [scope(flag(4))] }],
  ['5.2.5', 'about authorities only', { extensions: [scope(flag(2))] }],
  ['5.2.5', 'of another distribution point', { extensions: [scope(point('http://crl.test/other'))] }],
  ['5.2.5', 'about some reasons only', { extensions: [scope(write(contextTag(3, 'primitive'), octets(6, 0x40)))] }],
  [
    '5.2.5',
    'with a scope that cannot be read',
    { extensions: [extension(EXTENSION.issuingDistributionPoint, octets(5, 0), true)] },
  ],
  ['5.1.2.4', 'that has not begun', { thisUpdate: '2027-01-01' }],
  ['5.1.2.5', 'that is stale', { nextUpdate: '2026-01-01' }],
  ['5.1.2.5', 'without an end', { nextUpdate: null }],
];

function oddCases([clause, what, options]: (typeof ODD)[number]): Case[] {
  const naming = ROOT.crl({ ...options, revoked: [SERIAL] });
  const silent = ROOT.crl({ ...options, revoked: [OTHER] });
  return [
    {
      what: `a list ${what} that names it, if available`,
      check: 'if-available' as const,
      lists: [naming],
      verdict: REVOKED,
    },
    {
      what: `a list ${what} that names it, beside a plain one that does not`,
      lists: [ROOT.crl(), naming],
      verdict: REVOKED,
    },
    { what: `a list ${what} that names another`, lists: [silent], verdict: UNKNOWN },
    { what: `a list ${what} that names another, beside a plain one`, lists: [silent, ROOT.crl()], verdict: ACCEPTED },
  ].map((told) => listCase({ clause, ...told }));
}

export const ODD_LIST_CASES: readonly Case[] = ODD.flatMap(oddCases);
