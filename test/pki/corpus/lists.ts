// Revocation lists (RFC 5280 5 and 6.3): whose list counts, for whom, and until when.
import { contextTag, TAG } from '../../../src/pki/der/der.ts';
import { write, writeSequence } from '../../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../../src/pki/x509/extensions.ts';
import { makeAuthority } from '../../authority.ts';
import { revokedEntry } from '../../authority-lists.ts';
import { ecKeys, extension, nameOf, rsaKeys } from '../../signed-der.ts';
import { ACCEPTED, below, type Case, issue, ROOT, rootWith, told } from './case.ts';
import { delta, flag, type ListTold, listCase, OTHER, point, REVOKED, SERIAL, scope, UNKNOWN } from './list-case.ts';
import { directory, keyUsage, octets } from './pieces.ts';

const reasonCode = (code: number) => extension('2.5.29.21', write(TAG.enumerated, octets(code)));

const RSA_ROOT = rootWith({ keys: rsaKeys(2048) });
const BY_RSA = issue({}, RSA_ROOT);
const namesake = makeAuthority({ name: 'Corpus Root' });
const middle = below();
const BELOW = issue({}, middle);
const mute = rootWith({ extensions: [keyUsage(2, 0x04)] });
const BY_MUTE = issue({}, mute);

/** Another key under the root's name signs its lists, with and without permission. */
const listSigner = ROOT.makeIntermediate({ subject: ROOT.subject, keys: ecKeys(), extensions: [keyUsage(1, 0x06)] });
const leafSigner = issue({ subject: ROOT.subject, keys: ecKeys(), extensions: [keyUsage(1, 0x82)] });
const signedByLeaf = ROOT.crl({ keys: leafSigner.keys });

const PLAIN: readonly ListTold[] = told([
  ['6.3.3', 'a list that names it', { lists: [ROOT.crl({ revoked: [SERIAL] })] }, REVOKED],
  ['6.3.3', 'a list that names another', { lists: [ROOT.crl({ revoked: [OTHER] })] }, ACCEPTED],
  ['6.3.3', 'an empty list', { lists: [ROOT.crl()] }, ACCEPTED],
  ['6.3.3', 'no list, required', { lists: [] }, UNKNOWN],
  ['6.3.3', 'no list, if available', { check: 'if-available', lists: [] }, ACCEPTED],
  [
    '6.3.3',
    'a list that names it, with lists off',
    { check: 'off', lists: [ROOT.crl({ revoked: [SERIAL] })] },
    ACCEPTED,
  ],
  ['5.1.2.5', 'the last second of a list', { lists: [ROOT.crl({ nextUpdate: '2026-11-15T12:00:00Z' })] }, ACCEPTED],
  [
    '5.1.2.5',
    'a second after the end of a list',
    { lists: [ROOT.crl({ nextUpdate: '2026-11-15T11:59:59Z' })] },
    UNKNOWN,
  ],
  ['5.1.2.4', 'the first second of a list', { lists: [ROOT.crl({ thisUpdate: '2026-11-15T12:00:00Z' })] }, ACCEPTED],
  [
    '5.1.2.6',
    'the serial number with a needless zero',
    { lists: [ROOT.crl({ entries: [revokedEntry(Buffer.concat([octets(0), SERIAL]))] })] },
    REVOKED,
  ],
  ['5.3.1', 'a hold', { lists: [ROOT.crl({ entries: [revokedEntry(SERIAL, reasonCode(6))] })] }, REVOKED],
  [
    '5.3.1',
    'removeFromCRL in a complete list',
    { lists: [ROOT.crl({ entries: [revokedEntry(SERIAL, reasonCode(8))] })] },
    REVOKED,
  ],
  [
    '5.3.1',
    'removeFromCRL in a delta, beside a complete list that names nobody',
    { lists: [ROOT.crl(), ROOT.crl({ extensions: [delta], entries: [revokedEntry(SERIAL, reasonCode(8))] })] },
    ACCEPTED,
  ],
  [
    '5.3.1',
    'removeFromCRL in a delta, beside a complete list that names it',
    {
      lists: [
        ROOT.crl({ revoked: [SERIAL] }),
        ROOT.crl({ extensions: [delta], entries: [revokedEntry(SERIAL, reasonCode(8))] }),
      ],
    },
    REVOKED,
  ],
  [
    '5.2.5',
    'a list of attribute certificates with the same number',
    { lists: [ROOT.crl({ revoked: [SERIAL], extensions: [scope(flag(5))] })] },
    UNKNOWN,
  ],
  ['5.2.5', 'a list about leaves only', { lists: [ROOT.crl({ extensions: [scope(flag(1))] })] }, ACCEPTED],
  ['5.2.5', 'a scope that excludes itself', { lists: [ROOT.crl({ extensions: [scope(flag(1), flag(2))] })] }, UNKNOWN],
  ['6.3.3 (f)', 'a list of a namesake with another key', { lists: [namesake.crl()] }, UNKNOWN],
  [
    '6.3.3 (f)',
    'a namesake’s list that names it, beside the right one',
    { lists: [ROOT.crl(), namesake.crl({ revoked: [SERIAL] })] },
    ACCEPTED,
  ],
  [
    '6.3.3 (b)',
    'a list of another issuer that names the number',
    { lists: [ROOT.crl(), makeAuthority({ name: 'Other' }).crl({ revoked: [SERIAL] })] },
    ACCEPTED,
  ],
  ['4.2.1.3', 'a list of an issuer without cRLSign', { issuer: mute, issued: BY_MUTE, lists: [mute.crl()] }, UNKNOWN],
  [
    '5.1.1.2',
    'a list signed with SHA-1',
    { issuer: RSA_ROOT, issued: BY_RSA, lists: [RSA_ROOT.crl({ digest: 'sha1' })] },
    UNKNOWN,
  ],
  [
    '5.1.1.2',
    'a list whose algorithms differ',
    { issuer: RSA_ROOT, issued: BY_RSA, lists: [RSA_ROOT.crl({ claimedDigest: 'sha1' })] },
    UNKNOWN,
  ],
  [
    '6.3.3',
    'an intermediate that is named',
    { issued: BELOW, lists: [ROOT.crl({ revoked: [middle.serial] }), middle.crl()] },
    REVOKED,
  ],
  [
    '6.3.3',
    'a list for the leaf alone, and none for its intermediate',
    { issued: BELOW, lists: [middle.crl()] },
    UNKNOWN,
  ],
  ['6.3.3', 'a list for the intermediate alone', { issued: BELOW, lists: [ROOT.crl()] }, UNKNOWN],
  ['6.3.3', 'lists of both', { issued: BELOW, lists: [ROOT.crl(), middle.crl()] }, ACCEPTED],
  [
    '6.3.3',
    'the leaf named by its intermediate',
    { issued: BELOW, lists: [ROOT.crl(), middle.crl({ revoked: [BELOW.serial] })] },
    REVOKED,
  ],
  [
    '6.3.3 (f)',
    'a list by another key of the issuer, which the root certified',
    { lists: [ROOT.crl({ keys: listSigner.keys })], intermediates: [listSigner.certificate] },
    ACCEPTED,
  ],
  [
    '6.3.3 (f)',
    'a list by another key of the issuer that names it',
    { lists: [ROOT.crl({ keys: listSigner.keys, revoked: [SERIAL] })], intermediates: [listSigner.certificate] },
    REVOKED,
  ],
  [
    '6.3.3 (f)',
    'a list by a leaf of the issuer’s name',
    { lists: [signedByLeaf], intermediates: [leafSigner.certificate] },
    UNKNOWN,
  ],
]);

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
  listCase({
    clause: '5.3.3',
    what: `an indirect list ${what}`,
    issued: NAMING,
    intermediates: [publisher.certificate],
    lists: [list],
    verdict,
  });

export const LIST_CASES: readonly Case[] = [...PLAIN.map(listCase), ...INDIRECT.map(indirectCase)];
