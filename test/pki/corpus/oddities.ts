// Odd certificates, made without looking at the rules: extensions from other standards, values at their limits, and what
// tools write by mistake.
import { TAG } from '../../../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../../src/pki/x509/extensions.ts';
import { attribute, extension, integer, nameOf, otherName, utf8 } from '../../signed-der.ts';
import { ACCEPTED, byRule, type Case, casesOf, ROOT, type Row, told, UNREADABLE } from './case.ts';
import { forge } from './forge.ts';
import { ODD_PATHS } from './odd-paths.ts';
import * as piece from './pieces.ts';

const { octets, count, times, withExtension } = piece;
const CRITICAL = byRule('critical-extensions-known');
const MALFORMED = byRule('extensions-well-formed');
const NULL = write(TAG.null);

/** Extensions of other standards: refused if critical, ignored if not. */
const FOREIGN: readonly [what: string, oid: string, value: Uint8Array][] = [
  ['a precertificate’s poison', '1.3.6.1.4.1.11129.2.4.3', NULL],
  ['signed certificate timestamps', '1.3.6.1.4.1.11129.2.4.2', write(TAG.octetString, octets(0, 0))],
  ['Netscape’s certificate type', '2.16.840.1.113730.1.1', write(TAG.bitString, octets(7, 0x80))],
  ['Netscape’s comment', '2.16.840.1.113730.1.13', write(TAG.ia5, Buffer.from('made by openssl'))],
  ['a period for the private key', '2.5.29.16', writeSequence()],
  ['alternative names of the issuer', '2.5.29.18', writeSequence(piece.dns('ca.example'))],
  ['directory attributes', '2.5.29.9', writeSequence()],
  [
    'the freshest CRL',
    '2.5.29.46',
    writeSequence(writeSequence(writeContext(0, writeContext(0, piece.uri('http://x/'))))),
  ],
  ['statements of a qualified certificate', '1.3.6.1.5.5.7.1.3', writeSequence()],
  ['must-staple', '1.3.6.1.5.5.7.1.24', writeSequence(count(5))],
  [
    'the sign of a proxy certificate',
    '1.3.6.1.5.5.7.1.14',
    writeSequence(writeSequence(writeOid('1.3.6.1.5.5.7.21.1'))),
  ],
  ['no check by OCSP', '1.3.6.1.5.5.7.48.1.5', NULL],
  ['a Microsoft template', '1.3.6.1.4.1.311.21.7', writeSequence(writeOid('1.3.6.1.4.1.311.21.8.1.2'), count(1))],
  ['a Microsoft security identifier', '1.3.6.1.4.1.311.25.2', writeSequence()],
  ['the number of a CRL', '2.5.29.20', count(1)],
  ['the scope of a CRL', '2.5.29.28', writeSequence()],
  ['a subject information access', '1.3.6.1.5.5.7.1.11', writeSequence()],
];

const foreign = FOREIGN.flatMap(([what, oid, value]): Row[] => [
  { clause: '4.2', what, leaf: withExtension(oid, value), verdict: ACCEPTED },
  { clause: '4.2', what: `${what}, critical`, leaf: withExtension(oid, value, true), verdict: CRITICAL },
]);

/** X.667: an object identifier 2.25.n, where n is a UUID of 128 bits. */
const uuidOid = write(TAG.oid, octets(0x69, 0x83, ...times(17, () => 0xff), 0x7f));
const hugeOid = write(TAG.oid, octets(0x2a, ...times(40, () => 0xff), 0x7f));
const named = (oid: Uint8Array, ...critical: Uint8Array[]) =>
  writeSequence(oid, ...critical, write(TAG.octetString, NULL));
const list = (...extensions: Uint8Array[]) => ({
  fields: { extensions: writeContext(3, writeSequence(...extensions)) },
});

const leafWith = (...given: Parameters<typeof withExtension>) => ({ leaf: withExtension(...given) });
const listing = (one: Uint8Array) => ({ made: () => forge({}, list(one)) });
const IDENTIFIERS: readonly Row[] = told<Partial<Row>>([
  ['X.667 8', 'an extension named by a UUID', listing(named(uuidOid)), ACCEPTED],
  ['X.667 8', 'a critical extension named by a UUID', listing(named(uuidOid, piece.TRUE)), CRITICAL],
  [
    'X.667 8',
    'a policy named by a UUID',
    leafWith(EXTENSION.certificatePolicies, writeSequence(writeSequence(uuidOid))),
    ACCEPTED,
  ],
  [
    'X.667 8',
    'a usage named by a UUID beside clientAuth',
    leafWith(EXTENSION.extendedKeyUsage, writeSequence(uuidOid, writeOid(piece.CLIENT_AUTH))),
    ACCEPTED,
  ],
  [
    'X.667 8',
    'an attribute named by a UUID',
    {
      leaf: {
        subject: writeSequence(
          write(TAG.set, writeSequence(uuidOid, utf8('x'))),
          write(TAG.set, attribute(piece.COMMON_NAME, 'caller')),
        ),
      },
    },
    ACCEPTED,
  ],
  ['T: bounded work', 'an object identifier with a number of 280 bits', listing(named(hugeOid)), UNREADABLE],
]);

const extensions = (many: number) => ({ leaf: { extensions: times(many, (n) => extension(`1.2.3.${n}`, NULL)) } });
const namedAlso = (...more: Parameters<typeof piece.nameWith>) => ({
  leaf: { subject: piece.nameWith([piece.COMMON_NAME, 'caller'], ...more) },
});
const relativeNames = (more: number) => namedAlso(...times(more, () => [piece.ORGANISATION, 'o'] as const));
const LIMITS: readonly Row[] = told<Partial<Row>>([
  ['T: bounded work', '58 extensions besides the usual ones', extensions(58), ACCEPTED],
  ['T: bounded work', '70 extensions', extensions(70), UNREADABLE],
  ['T: bounded work', '1,024 names', { leaf: { dnsNames: times(1_024, (n) => `h${n}.x`) } }, ACCEPTED],
  ['T: bounded work', '1,025 names', { leaf: { dnsNames: times(1_025, (n) => `h${n}.x`) } }, MALFORMED],
  ['T: bounded work', 'a subject of 64 relative names', relativeNames(63), ACCEPTED],
  ['T: bounded work', 'a subject of 65 relative names', relativeNames(64), UNREADABLE],
  ['T: bounded work', 'a subject of 5 KB', namedAlso([piece.ORGANISATION, 'o'.repeat(5_000)]), UNREADABLE],
  ['4.1.2.2', 'the serial number of the root', { leaf: { serial: ROOT.serial } }, ACCEPTED],
]);

const basicConstraints = (...content: Uint8Array[]) => ({ leaf: { extensions: [piece.basic(content)] } });
const alternatives = (...names: Uint8Array[]) => ({ leaf: { extensions: [piece.alternatives(names)] } });

const EXTENSIONS: readonly Row[] = told<Partial<Row>>([
  ['4.2.1.9', 'empty basic constraints', basicConstraints(), ACCEPTED],
  ['4.2.1.9', 'CA spelt FALSE', basicConstraints(piece.FALSE), ACCEPTED],
  ['4.2.1.9', 'a path length in a leaf', basicConstraints(count(0)), ACCEPTED],
  ['4.2.1.9', 'a negative path length', basicConstraints(count(0xff)), MALFORMED],
  ['4.2.1.9', 'a path length of 64 bits', basicConstraints(integer(octets(1, 0, 0, 0, 0, 0, 0, 0))), MALFORMED],
  ['4.2.1.9', 'a length before CA', basicConstraints(count(0), piece.TRUE), MALFORMED],
  ['4.2.1.6', 'no alternative name in the list', alternatives(), MALFORMED],
  ['4.2.1.6', 'an alternative name with tag 9', alternatives(write(0x89, octets(1))), MALFORMED],
  ['4.2.1.6', 'an X.400 address', alternatives(writeContext(3, writeSequence())), ACCEPTED],
  [
    '4.2.1.6',
    'the party of an electronic data interchange',
    alternatives(writeContext(5, writeContext(1, utf8('x')))),
    ACCEPTED,
  ],
  ['4.2.1.6', 'an alternative name of octets above 127', alternatives(write(0x82, octets(0xe9))), MALFORMED],
  [
    '4.2.1.6',
    'an other name without its wrapping',
    alternatives(writeContext(0, writeOid('1.2.3'), utf8('x'))),
    MALFORMED,
  ],
  [
    'RFC 4985 2',
    'the name of a service',
    alternatives(otherName('1.3.6.1.5.5.7.8.7', write(TAG.ia5, Buffer.from('_x.y')))),
    ACCEPTED,
  ],
  [
    'RFC 4556',
    'a Kerberos principal, which is a sequence',
    alternatives(otherName('1.3.6.1.5.2.2', writeSequence())),
    ACCEPTED,
  ],
  ['4.2.1.2', 'an empty key identifier', leafWith(EXTENSION.subjectKeyIdentifier, write(TAG.octetString)), ACCEPTED],
  [
    '4.2.1.1',
    'the key identifier of another authority',
    leafWith(EXTENSION.authorityKeyIdentifier, writeSequence(write(0x80, Buffer.alloc(20, 7)))),
    ACCEPTED,
  ],
  [
    '4.2.1.1',
    'an empty authority key identifier',
    leafWith(EXTENSION.authorityKeyIdentifier, writeSequence()),
    ACCEPTED,
  ],
  [
    '4.2.1.1',
    'the serial number of another issuer certificate',
    leafWith(
      EXTENSION.authorityKeyIdentifier,
      writeSequence(writeContext(1, piece.directory(nameOf('Elsewhere'))), write(0x82, octets(9))),
    ),
    ACCEPTED,
  ],
  [
    '4.2.1.13',
    'critical distribution points',
    leafWith(
      EXTENSION.crlDistributionPoints,
      writeSequence(writeSequence(writeContext(0, writeContext(0, piece.uri('ldap:///cn=x'))))),
      true,
    ),
    ACCEPTED,
  ],
  [
    '4.2.1.13',
    'an empty distribution point',
    leafWith(EXTENSION.crlDistributionPoints, writeSequence(writeSequence())),
    ACCEPTED,
  ],
  ['4.2.1.5', 'policy mappings in a leaf', { leaf: { extensions: [piece.mappings(['1.2.3', '1.2.4'])] } }, ACCEPTED],
  [
    'X.690 8.1.1',
    'octets behind the value of a known extension',
    leafWith(EXTENSION.keyUsage, Buffer.concat([write(TAG.bitString, octets(7, 0x80)), octets(0)])),
    MALFORMED,
  ],
  ['4.2', 'an unknown extension whose value is no DER', leafWith('1.2.3.4', octets(0xff, 0xff)), ACCEPTED],
]);

export const ODD_CASES: readonly Case[] = casesOf(
  [...foreign, ...IDENTIFIERS, ...LIMITS, ...EXTENSIONS, ...ODD_PATHS].map((row) => ({ approved: ROOT, ...row })),
);
