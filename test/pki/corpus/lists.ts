// Revocation lists (RFC 5280 5 and 6.3): what is odd about a list withholds "good", never "revoked".
import type { RevocationCheck } from '../../../src/core/issuer.ts';
import { contextTag, TAG } from '../../../src/pki/der.ts';
import { write, writeContext, writeSequence } from '../../../src/pki/der-write.ts';
import { EXTENSION } from '../../../src/pki/extensions.ts';
import {
  type Authority,
  ecKeys,
  extension,
  type Issued,
  makeAuthority,
  nameOf,
  revokedEntry,
  rsaKeys,
} from '../../authority.ts';
import { approve, CRL_REQUIRED } from '../approved.ts';
import { ACCEPTED, below, type Case, issue, ROOT, rootWith } from './case.ts';
import { count, directory, keyUsage, octets, uri } from './pieces.ts';

const REVOKED = 'certificate-revoked: crl-revoked';
const UNKNOWN = 'certificate-revocation-unknown: crl-unknown';
type CrlOptions = NonNullable<Parameters<Authority['crl']>[0]>;

const CALLER = issue();
const SERIAL = CALLER.serial;
const OTHER = octets(7);

const flag = (number: number) => write(contextTag(number, 'primitive'), octets(0xff));
const point = (url: string) => writeContext(0, writeContext(0, uri(url)));
const scope = (...fields: Uint8Array[]) =>
  extension(EXTENSION.issuingDistributionPoint, writeSequence(...fields), true);
const delta = extension(EXTENSION.deltaCrlIndicator, count(1), true);
const reasonCode = (code: number) => extension('2.5.29.21', write(TAG.enumerated, octets(code)));
const unknownCritical = extension('1.2.3', writeSequence(), true);

interface Told {
  readonly clause: string;
  readonly what: string;
  readonly issued?: Issued;
  readonly issuer?: Authority;
  readonly check?: RevocationCheck;
  readonly lists: readonly Uint8Array[];
  readonly intermediates?: readonly Uint8Array[];
  readonly verdict: string;
}

function caseOf({
  clause,
  what,
  issued = CALLER,
  issuer = ROOT,
  check = 'required',
  lists,
  intermediates = [],
  verdict,
}: Told): Case {
  const issuers = [approve(issuer, { intermediates, revocation: { ...CRL_REQUIRED, crl: check } })];
  return { clause, what, chain: issued.chain, key: issued.key, issuers, lists, verdict };
}

/** Lists of the issuer with something odd: by themselves they clear nobody, and they revoke whom they name. */
const ODD: readonly [clause: string, what: string, options: CrlOptions][] = [
  ['5.1.2.1', 'of version 1', { version: 1 }],
  ['5.2.3', 'without a number', { withoutNumber: true }],
  [
    '5.2.3',
    'with a critical number',
    { withoutNumber: true, extensions: [extension(EXTENSION.crlNumber, count(1), true)] },
  ],
  ['5.2', 'with an unknown critical extension', { extensions: [unknownCritical] }],
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

function oddCases([number, what, options]: (typeof ODD)[number]): Case[] {
  const clause = `RFC 5280 ${number}`;
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
  ].map((told) => caseOf({ clause, ...told }));
}

const RSA_ROOT = rootWith({ keys: rsaKeys(2048) });
const BY_RSA = issue({}, RSA_ROOT);
const namesake = makeAuthority({ name: 'Corpus Root' });
const middle = below();
const BELOW = issue({}, middle);
const mute = rootWith({ extensions: [keyUsage(2, 0x04)] });
const BY_MUTE = issue({}, mute);

/** Another key of the root's name that signs its lists, with and without the right to. */
const listSigner = ROOT.makeIntermediate({ subject: ROOT.subject, keys: ecKeys(), extensions: [keyUsage(1, 0x06)] });
const leafSigner = issue({ subject: ROOT.subject, keys: ecKeys(), extensions: [keyUsage(1, 0x82)] });
const signedByLeaf = ROOT.crl({ keys: leafSigner.keys });

const PLAIN: readonly Told[] = [
  { clause: '6.3.3', what: 'a list that names it', lists: [ROOT.crl({ revoked: [SERIAL] })], verdict: REVOKED },
  { clause: '6.3.3', what: 'a list that names another', lists: [ROOT.crl({ revoked: [OTHER] })], verdict: ACCEPTED },
  { clause: '6.3.3', what: 'an empty list', lists: [ROOT.crl()], verdict: ACCEPTED },
  { clause: '6.3.3', what: 'no list, required', lists: [], verdict: UNKNOWN },
  { clause: '6.3.3', what: 'no list, if available', check: 'if-available', lists: [], verdict: ACCEPTED },
  {
    clause: '6.3.3',
    what: 'a list that names it, with lists off',
    check: 'off',
    lists: [ROOT.crl({ revoked: [SERIAL] })],
    verdict: ACCEPTED,
  },
  {
    clause: '5.1.2.5',
    what: 'the last second of a list',
    lists: [ROOT.crl({ nextUpdate: '2026-11-15T12:00:00Z' })],
    verdict: ACCEPTED,
  },
  {
    clause: '5.1.2.5',
    what: 'a second after the end of a list',
    lists: [ROOT.crl({ nextUpdate: '2026-11-15T11:59:59Z' })],
    verdict: UNKNOWN,
  },
  {
    clause: '5.1.2.4',
    what: 'the first second of a list',
    lists: [ROOT.crl({ thisUpdate: '2026-11-15T12:00:00Z' })],
    verdict: ACCEPTED,
  },
  {
    clause: '5.1.2.6',
    what: 'the serial number with a needless zero',
    lists: [ROOT.crl({ entries: [revokedEntry(Buffer.concat([octets(0), SERIAL]))] })],
    verdict: REVOKED,
  },
  {
    clause: '5.3.1',
    what: 'a hold',
    lists: [ROOT.crl({ entries: [revokedEntry(SERIAL, reasonCode(6))] })],
    verdict: REVOKED,
  },
  {
    clause: '5.3.1',
    what: 'removeFromCRL in a complete list',
    lists: [ROOT.crl({ entries: [revokedEntry(SERIAL, reasonCode(8))] })],
    verdict: REVOKED,
  },
  {
    clause: '5.3.1',
    what: 'removeFromCRL in a delta, beside a complete list that names nobody',
    lists: [ROOT.crl(), ROOT.crl({ extensions: [delta], entries: [revokedEntry(SERIAL, reasonCode(8))] })],
    verdict: ACCEPTED,
  },
  {
    clause: '5.3.1',
    what: 'removeFromCRL in a delta, beside a complete list that names it',
    lists: [
      ROOT.crl({ revoked: [SERIAL] }),
      ROOT.crl({ extensions: [delta], entries: [revokedEntry(SERIAL, reasonCode(8))] }),
    ],
    verdict: REVOKED,
  },
  {
    clause: '5.2.5',
    what: 'a list of attribute certificates with the same number',
    lists: [ROOT.crl({ revoked: [SERIAL], extensions: [scope(flag(5))] })],
    verdict: UNKNOWN,
  },
  {
    clause: '5.2.5',
    what: 'a list about leaves only',
    lists: [ROOT.crl({ extensions: [scope(flag(1))] })],
    verdict: ACCEPTED,
  },
  {
    clause: '5.2.5',
    what: 'a scope that excludes itself',
    lists: [ROOT.crl({ extensions: [scope(flag(1), flag(2))] })],
    verdict: UNKNOWN,
  },
  { clause: '6.3.3 (f)', what: 'a list of a namesake with another key', lists: [namesake.crl()], verdict: UNKNOWN },
  {
    clause: '6.3.3 (f)',
    what: 'a namesake’s list that names it, beside the right one',
    lists: [ROOT.crl(), namesake.crl({ revoked: [SERIAL] })],
    verdict: ACCEPTED,
  },
  {
    clause: '6.3.3 (b)',
    what: 'a list of another issuer that names the number',
    lists: [ROOT.crl(), makeAuthority({ name: 'Other' }).crl({ revoked: [SERIAL] })],
    verdict: ACCEPTED,
  },
  {
    clause: '4.2.1.3',
    what: 'a list of an issuer without cRLSign',
    issuer: mute,
    issued: BY_MUTE,
    lists: [mute.crl()],
    verdict: UNKNOWN,
  },
  {
    clause: '5.1.1.2',
    what: 'a list signed with SHA-1',
    issuer: RSA_ROOT,
    issued: BY_RSA,
    lists: [RSA_ROOT.crl({ digest: 'sha1' })],
    verdict: UNKNOWN,
  },
  {
    clause: '5.1.1.2',
    what: 'a list whose algorithms differ',
    issuer: RSA_ROOT,
    issued: BY_RSA,
    lists: [RSA_ROOT.crl({ claimedDigest: 'sha1' })],
    verdict: UNKNOWN,
  },
  {
    clause: '6.3.3',
    what: 'an intermediate that is named',
    issued: BELOW,
    lists: [ROOT.crl({ revoked: [middle.serial] }), middle.crl()],
    verdict: REVOKED,
  },
  {
    clause: '6.3.3',
    what: 'a list for the leaf alone, and none for its intermediate',
    issued: BELOW,
    lists: [middle.crl()],
    verdict: UNKNOWN,
  },
  { clause: '6.3.3', what: 'a list for the intermediate alone', issued: BELOW, lists: [ROOT.crl()], verdict: UNKNOWN },
  { clause: '6.3.3', what: 'lists of both', issued: BELOW, lists: [ROOT.crl(), middle.crl()], verdict: ACCEPTED },
  {
    clause: '6.3.3',
    what: 'the leaf named by its intermediate',
    issued: BELOW,
    lists: [ROOT.crl(), middle.crl({ revoked: [BELOW.serial] })],
    verdict: REVOKED,
  },
  {
    clause: '6.3.3 (f)',
    what: 'a list by another key of the issuer, which the root certified',
    lists: [ROOT.crl({ keys: listSigner.keys })],
    intermediates: [listSigner.certificate],
    verdict: ACCEPTED,
  },
  {
    clause: '6.3.3 (f)',
    what: 'a list by another key of the issuer that names it',
    lists: [ROOT.crl({ keys: listSigner.keys, revoked: [SERIAL] })],
    intermediates: [listSigner.certificate],
    verdict: REVOKED,
  },
  {
    clause: '6.3.3 (f)',
    what: 'a list by a leaf of the issuer’s name',
    lists: [signedByLeaf],
    intermediates: [leafSigner.certificate],
    verdict: UNKNOWN,
  },
];

const publisher = ROOT.makeIntermediate({ name: 'List Publisher' });
const ofIssuer = (name: Uint8Array) => extension('2.5.29.29', writeSequence(directory(name)), true);
const crlIssuer = extension(
  EXTENSION.crlDistributionPoints,
  writeSequence(
    writeSequence(point('http://crl.test/1'), write(contextTag(2, 'constructed'), directory(publisher.subject))),
  ),
);
const NAMING = issue({ extensions: [crlIssuer] });
const indirect = (...entries: Uint8Array[]) => publisher.crl({ extensions: [scope(flag(4))], entries });
const INDIRECT: readonly [what: string, list: Uint8Array, verdict: string][] = [
  ['that names another', indirect(revokedEntry(OTHER, ofIssuer(ROOT.subject))), ACCEPTED],
  ['that names it', indirect(revokedEntry(NAMING.serial, ofIssuer(ROOT.subject))), REVOKED],
  [
    'that names it behind another of the same issuer',
    indirect(revokedEntry(OTHER, ofIssuer(ROOT.subject)), revokedEntry(NAMING.serial)),
    REVOKED,
  ],
  ['that names the number of the publisher’s own', indirect(revokedEntry(NAMING.serial)), ACCEPTED],
  [
    'that names the number of a foreign issuer',
    indirect(revokedEntry(NAMING.serial, ofIssuer(nameOf('Somebody')))),
    ACCEPTED,
  ],
  ['that is not marked as indirect', publisher.crl(), UNKNOWN],
];

const indirectCase = ([what, list, verdict]: (typeof INDIRECT)[number]): Case =>
  caseOf({
    clause: 'RFC 5280 5.3.3',
    what: `an indirect list ${what}`,
    issued: NAMING,
    intermediates: [publisher.certificate],
    lists: [list],
    verdict,
  });

export const LIST_CASES: readonly Case[] = [
  ...ODD.flatMap(oddCases),
  ...PLAIN.map((told) => caseOf({ ...told, clause: `RFC 5280 ${told.clause}` })),
  ...INDIRECT.map(indirectCase),
];
