// Revocation lists (RFC 5280 5 and 6.3): whose list counts, for whom, and until when.
import { contextTag, TAG } from '../../../src/pki/der/der.ts';
import { write, writeSequence } from '../../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../../src/pki/x509/extensions.ts';
import { makeAuthority } from '../../authority.ts';
import { revokedEntry } from '../../authority-lists.ts';
import { ecKeys, extension, integer, nameOf, rsaKeys } from '../../signed-der.ts';
import { ACCEPTED, below, type Case, issue, ROOT, rootWith } from './case.ts';
import { delta, flag, type ListTold, listCase, OTHER, point, REVOKED, SERIAL, scope, UNKNOWN } from './list-case.ts';
import { directory, keyUsage, octets, uri } from './pieces.ts';

type Told = readonly [
  clause: string,
  what: string,
  lists: readonly Uint8Array[],
  verdict: string,
  more?: Partial<ListTold>,
];
const crl: typeof ROOT.crl = (options) => ROOT.crl(options);
const NAMED = { revoked: [SERIAL] };
const because = (reason: number) => revokedEntry(SERIAL, extension('2.5.29.21', write(TAG.enumerated, octets(reason))));

const RSA_ROOT = rootWith({ keys: rsaKeys(2048) });
const BY_RSA = { issuer: RSA_ROOT, issued: issue({}, RSA_ROOT) };
const NAMED_RSA = { revoked: [BY_RSA.issued.serial] };
const OPTIONAL = { ...BY_RSA, check: 'if-available' } as const;
const namesake = makeAuthority({ name: 'Corpus Root' });
const middle = below();
const BELOW = { issued: issue({}, middle) };
const mute = rootWith({ extensions: [keyUsage(2, 0x04)] });
const BY_MUTE = { issuer: mute, issued: issue({}, mute) };

/** Another key under the root's name signs its lists, with and without permission. */
const listSigner = ROOT.makeIntermediate({ subject: ROOT.subject, keys: ecKeys(), extensions: [keyUsage(1, 0x06)] });
const BESIDE = { intermediates: [listSigner.certificate] };
const leafSigner = issue({ subject: ROOT.subject, keys: ecKeys(), extensions: [keyUsage(1, 0x82)] });
const signedByLeaf = ROOT.crl({ keys: leafSigner.keys });

const PLAIN: readonly Told[] = [
  ['6.3.3', 'a list that names it', [crl(NAMED)], REVOKED],
  ['6.3.3', 'a list that names another', [crl({ revoked: [OTHER] })], ACCEPTED],
  ['6.3.3', 'an empty list', [crl()], ACCEPTED],
  ['6.3.3', 'no list, required', [], UNKNOWN],
  ['6.3.3', 'no list, if available', [], ACCEPTED, { check: 'if-available' }],
  ['6.3.3', 'a list that names it, with lists off', [crl(NAMED)], ACCEPTED, { check: 'off' }],
  ['5.1.2.5', 'the last second of a list', [crl({ nextUpdate: '2026-11-15T12:00:00Z' })], ACCEPTED],
  ['5.1.2.5', 'a second after the end of a list', [crl({ nextUpdate: '2026-11-15T11:59:59Z' })], UNKNOWN],
  ['5.1.2.4', 'the first second of a list', [crl({ thisUpdate: '2026-11-15T12:00:00Z' })], ACCEPTED],
  [
    '5.1.2.6',
    'the serial number with a needless zero',
    [crl({ entries: [revokedEntry(Buffer.concat([octets(0), SERIAL]))] })],
    REVOKED,
  ],
  [
    '5.1.2.6',
    'an entry of month 13, on which nothing depends',
    [crl({ entries: [writeSequence(integer(OTHER), write(TAG.utcTime, Buffer.from('241301000000Z')))] })],
    ACCEPTED,
  ],
  ['5.3.1', 'a hold', [crl({ entries: [because(6)] })], REVOKED],
  ['5.3.1', 'removeFromCRL in a complete list', [crl({ entries: [because(8)] })], REVOKED],
  [
    '5.3.1',
    'removeFromCRL in a delta, beside a complete list that names nobody',
    [crl(), crl({ extensions: [delta], entries: [because(8)] })],
    ACCEPTED,
  ],
  [
    '5.3.1',
    'removeFromCRL in a delta, beside a complete list that names it',
    [crl(NAMED), crl({ extensions: [delta], entries: [because(8)] })],
    REVOKED,
  ],
  [
    '5.2.5',
    'a list of attribute certificates with the same number',
    [crl({ revoked: [SERIAL], extensions: [scope(flag(5))] })],
    UNKNOWN,
  ],
  ['5.2.5', 'a list about leaves only', [crl({ extensions: [scope(flag(1))] })], ACCEPTED],
  ['5.2.5', 'a scope that excludes itself', [crl({ extensions: [scope(flag(1), flag(2))] })], UNKNOWN],
  ['6.3.3 (f)', 'a list of a namesake with another key', [namesake.crl()], UNKNOWN],
  ['6.3.3 (f)', 'a namesake’s list that names it, beside the right one', [crl(), namesake.crl(NAMED)], ACCEPTED],
  [
    '6.3.3 (b)',
    'a list of another issuer that names the number',
    [crl(), makeAuthority({ name: 'Other' }).crl(NAMED)],
    ACCEPTED,
  ],
  ['4.2.1.3', 'a list of an issuer without cRLSign', [mute.crl()], UNKNOWN, BY_MUTE],
  ['5.1.1.2', 'a list signed with SHA-1', [RSA_ROOT.crl({ digest: 'sha1' })], UNKNOWN, BY_RSA],
  [
    '5.1.1.2',
    'one signed with SHA-1 that names it',
    [RSA_ROOT.crl({ digest: 'sha1', ...NAMED_RSA })],
    ACCEPTED,
    OPTIONAL,
  ],
  ['5.1.1.2', 'a list whose algorithms differ', [RSA_ROOT.crl({ claimedDigest: 'sha1' })], UNKNOWN, BY_RSA],
  ['6.3.3', 'an intermediate that is named', [crl({ revoked: [middle.serial] }), middle.crl()], REVOKED, BELOW],
  ['6.3.3', 'a list for the leaf alone, and none for its intermediate', [middle.crl()], UNKNOWN, BELOW],
  ['6.3.3', 'a list for the intermediate alone', [crl()], UNKNOWN, BELOW],
  ['6.3.3', 'lists of both', [crl(), middle.crl()], ACCEPTED, BELOW],
  [
    '6.3.3',
    'the leaf named by its intermediate',
    [crl(), middle.crl({ revoked: [BELOW.issued.serial] })],
    REVOKED,
    BELOW,
  ],
  [
    '6.3.3 (f)',
    'a list by another key of the issuer, which the root certified',
    [crl({ keys: listSigner.keys })],
    ACCEPTED,
    BESIDE,
  ],
  [
    '6.3.3 (f)',
    'a list by another key of the issuer that names it',
    [crl({ keys: listSigner.keys, revoked: [SERIAL] })],
    REVOKED,
    BESIDE,
  ],
  [
    '6.3.3 (f)',
    'a list by a leaf of the issuer’s name',
    [signedByLeaf],
    UNKNOWN,
    { intermediates: [leafSigner.certificate] },
  ],
];

const publisher = ROOT.makeIntermediate({ name: 'List Publisher' });
const ofIssuer = (name: Uint8Array) => extension('2.5.29.29', writeSequence(name), true);
const named = (name: Uint8Array) => ofIssuer(directory(name));
const INDIRECTLY = { extensions: [scope(flag(4))] };
const crlIssuer = extension(
  EXTENSION.crlDistributionPoints,
  writeSequence(
    writeSequence(point('http://crl.test/1'), write(contextTag(2, 'constructed'), directory(publisher.subject))),
  ),
);
const NAMING = issue({ extensions: [crlIssuer] });
const indirect = (...entries: Uint8Array[]) => publisher.crl({ ...INDIRECTLY, entries });
const INDIRECT: readonly [what: string, list: Uint8Array, verdict: string][] = [
  ['that names another', indirect(revokedEntry(OTHER, named(ROOT.subject))), ACCEPTED],
  ['that names it', indirect(revokedEntry(NAMING.serial, named(ROOT.subject))), REVOKED],
  [
    'that names it behind another of the same issuer',
    indirect(revokedEntry(OTHER, named(ROOT.subject)), revokedEntry(NAMING.serial)),
    REVOKED,
  ],
  ['that names the number of the publisher’s own', indirect(revokedEntry(NAMING.serial)), ACCEPTED],
  [
    'that names the number of a foreign issuer',
    indirect(revokedEntry(NAMING.serial, named(nameOf('Somebody')))),
    ACCEPTED,
  ],
  ['that is not marked as indirect', publisher.crl(), UNKNOWN],
  ['that names an issuer by URI', indirect(revokedEntry(OTHER, ofIssuer(uri('http://issuer.test')))), UNKNOWN],
  ['of a namesake of the publisher', makeAuthority({ name: 'List Publisher' }).crl(INDIRECTLY), UNKNOWN],
];

const indirectCase = ([what, list, verdict]: (typeof INDIRECT)[number]): Case =>
  listCase({
    clause: '5.3.3',
    what: `an indirect list ${what}`,
    issued: NAMING,
    intermediates: [publisher.certificate],
    lists: [list],
    verdict,
  });

/** Of the issuer itself, about certificates that name the publisher or do not. */
const DIRECT: readonly Told[] = [
  ['6.3.3', 'a plain list of the issuer, where another publisher is named', [crl()], ACCEPTED, { issued: NAMING }],
  ['6.3.3', 'one that names it', [crl({ revoked: [NAMING.serial] })], REVOKED, { issued: NAMING }],
  [
    '5.3.3',
    'an entry of a foreign issuer',
    [crl(), crl({ entries: [revokedEntry(SERIAL, named(nameOf('X')))] })],
    ACCEPTED,
  ],
  [
    '5.3.3',
    'an indirect list that the certificate does not name',
    [crl(), indirect(revokedEntry(SERIAL, named(ROOT.subject)))],
    ACCEPTED,
    { intermediates: [publisher.certificate] },
  ],
];

export const LIST_CASES: readonly Case[] = [
  ...[...PLAIN, ...DIRECT].map(([clause, what, lists, verdict, more]) =>
    listCase({ clause, what, lists, verdict, ...more }),
  ),
  ...INDIRECT.map(indirectCase),
];
