// What authorities and leaves may be used for, and which extensions may be critical.
import { contextTag, TAG } from '../../../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../../src/pki/x509/extensions.ts';
import type { Authority, CertificateOptions } from '../../authority.ts';
import { extension } from '../../signed-der.ts';
import { ACCEPTED, below, byRule, type Case, casesOf, ROOT, type Row, rootWith } from './case.ts';
import {
  ANY_USAGE,
  alternatives,
  basic,
  CLIENT_AUTH,
  constraints,
  count,
  dns,
  email,
  inhibitAny,
  keyUsage,
  octets,
  policyConstraints,
  SERVER_AUTH,
  TRUE,
  uri,
  usages,
} from './pieces.ts';

const FORM = byRule('extensions-well-formed');
const CRITICALITY = byRule('extension-criticality');
const UNKNOWN = byRule('critical-extensions-known');
const EXPLICIT = byRule('client-usage-explicit');
const CLIENT = byRule('client-usage');

type Told = readonly [clause: string, what: string, extension: Uint8Array, verdict: string, strict?: string];
const known = (name: keyof typeof EXTENSION, value: Uint8Array, critical = false) =>
  extension(EXTENSION[name], value, critical);
const row =
  (table: 'leaf' | 'intermediate' | 'root') =>
  ([clause, what, given, verdict, strict]: Told): Row => {
    const place = placeOf(table, { extensions: [given] });
    return { clause, what: `${table}: ${what}`, ...place, verdict, ...(strict && { strict }) };
  };

function placeOf(table: 'leaf' | 'intermediate' | 'root', options: CertificateOptions): Partial<Row> {
  if (table === 'leaf') return { leaf: options };
  const by: Authority = table === 'root' ? rootWith(options) : below(options);
  return { by, approved: table === 'root' ? by : ROOT };
}

const LEAF: readonly Told[] = [
  ['4.2.1.3', 'digitalSignature', keyUsage(7, 0x80), ACCEPTED],
  ['4.2.1.3', 'keyAgreement alone', keyUsage(3, 0x08), ACCEPTED],
  ['4.2.1.3', 'keyEncipherment alone', keyUsage(5, 0x20), byRule('leaf-key-usage')],
  ['4.2.1.3', 'cRLSign alone', keyUsage(1, 0x02), byRule('leaf-key-usage')],
  ['4.2.1.3', 'keyCertSign beside digitalSignature', keyUsage(2, 0x84), byRule('leaf-signs-no-certificates')],
  ['4.2.1.3', 'a key usage without usages', keyUsage(0), FORM],
  ['4.2.1.3', 'a key usage of zeros', keyUsage(0, 0x00), FORM],
  ['X.690 8.6.2', 'a key usage that is empty octets', keyUsage(), FORM],
  ['X.690 8.6.2', 'a key usage with 8 unused bits', keyUsage(8, 0x80), FORM],
  ['T: bounded work', 'a key usage of 4000 bits', keyUsage(0, ...Array<number>(500).fill(0xff)), FORM],
  ['X.690 11.2.1', 'a key usage whose padding bits are set', keyUsage(7, 0xff), FORM],
  ['4.2.1.3', 'decipherOnly, the last usage', keyUsage(7, 0x88, 0x80), ACCEPTED],
  ['4.2.1.3', 'a tenth usage', keyUsage(6, 0x80, 0x40), FORM],
  ['4.2.1.12', 'clientAuth', usages([CLIENT_AUTH]), ACCEPTED, ACCEPTED],
  ['4.2.1.12', 'clientAuth, critical', usages([CLIENT_AUTH], true), ACCEPTED, EXPLICIT],
  ['4.2.1.12', 'clientAuth and serverAuth', usages([SERVER_AUTH, CLIENT_AUTH]), ACCEPTED, ACCEPTED],
  ['4.2.1.12', 'any usage alone', usages([ANY_USAGE]), ACCEPTED, EXPLICIT],
  ['4.2.1.12', 'any usage and serverAuth', usages([ANY_USAGE, SERVER_AUTH]), ACCEPTED, EXPLICIT],
  ['4.2.1.12', 'any usage beside clientAuth', usages([CLIENT_AUTH, ANY_USAGE]), ACCEPTED, EXPLICIT],
  ['4.2.1.12', 'serverAuth alone', usages([SERVER_AUTH]), CLIENT, CLIENT],
  ['4.2.1.12', 'codeSigning alone', usages(['1.3.6.1.5.5.7.3.3']), CLIENT],
  ['4.2.1.12', 'OCSPSigning alone', usages(['1.3.6.1.5.5.7.3.9']), CLIENT],
  ['4.2.1.12', 'an arc below clientAuth', usages([`${CLIENT_AUTH}.1`]), CLIENT],
  ['4.2.1.12', 'a list of no usages', usages([]), FORM],
  ['4.2.1.9', 'CA', basic([TRUE]), byRule('leaf-is-no-authority')],
  ['4.2.1.9', 'basic constraints of a leaf', basic([]), ACCEPTED],
  ['4.2.1.9', 'basic constraints with a field too many', basic([TRUE, count(0), count(0)]), FORM],
  ['4.2.1.9', 'a negative path length', basic([TRUE, count(0xff)]), FORM],
  ['4.2.1.10', 'name constraints', constraints({ permitted: [dns('x.com')] }), byRule('leaf-without-name-constraints')],
  ['4.2.1.6', 'alternative names beside a subject', alternatives([email('a@x.com')]), ACCEPTED, ACCEPTED],
  [
    '4.2.1.6',
    'critical alternative names beside a subject',
    alternatives([email('a@x.com')], true),
    ACCEPTED,
    byRule('alternative-names-criticality'),
  ],
  ['4.2.1.6', 'an empty list of alternative names', alternatives([]), FORM],
  [
    '4.2.1.6',
    'an alternative name of no known kind',
    alternatives([write(contextTag(9, 'primitive'), octets(1))]),
    FORM,
  ],
  [
    '4.2.1.1',
    'a critical authority key identifier',
    known('authorityKeyIdentifier', writeSequence(), true),
    CRITICALITY,
  ],
  [
    '4.2.1.2',
    'a critical subject key identifier',
    known('subjectKeyIdentifier', write(TAG.octetString, octets(1)), true),
    CRITICALITY,
  ],
  ['4.2.1.2', 'a subject key identifier that is no octet string', known('subjectKeyIdentifier', count(1)), FORM],
  ['4.2.2.1', 'critical information access', known('authorityInfoAccess', access(), true), CRITICALITY],
  [
    '4.2.2.1',
    'malformed information access',
    known('authorityInfoAccess', count(1)),
    ACCEPTED,
    byRule('information-access-well-formed'),
  ],
  ['4.2', 'an unknown critical extension', extension('1.2.3.4', count(1), true), UNKNOWN, UNKNOWN],
  ['4.2', 'an unknown extension', extension('1.2.3.4', count(1)), ACCEPTED, ACCEPTED],
  ['5.2.3', 'the extension of a list, critical', known('crlNumber', count(1), true), UNKNOWN],
  ['4.2.1.14', 'inhibitAnyPolicy in a leaf', inhibitAny(0), ACCEPTED],
  ['4.2.1.13', 'distribution points that cannot be read', known('crlDistributionPoints', count(1)), FORM],
  [
    '4.2.1.13',
    'a distribution point with two names where one is to be chosen',
    extension(
      EXTENSION.crlDistributionPoints,
      writeSequence(
        writeSequence(writeContext(0, writeContext(0, uri('http://a/1')), writeContext(0, uri('http://b/1')))),
      ),
    ),
    FORM,
  ],
  ['RFC 3739 3.2.6', 'qualified statements, critical', extension('1.3.6.1.5.5.7.1.3', writeSequence(), true), UNKNOWN],
];

const AUTHORITY: readonly Told[] = [
  ['4.2.1.9', 'not a CA', basic([]), byRule('authority-is-ca')],
  ['4.2.1.3', 'keyCertSign alone', keyUsage(2, 0x04), ACCEPTED],
  ['4.2.1.3', 'without keyCertSign', keyUsage(1, 0x02), byRule('authority-may-sign')],
  ['4.2.1.3', 'digitalSignature alone', keyUsage(7, 0x80), byRule('authority-may-sign')],
  ['4.2.1.12', 'for servers alone', usages([SERVER_AUTH]), byRule('authority-usage')],
  ['4.2', 'an unknown critical extension', extension('1.2.3.4', count(1), true), UNKNOWN],
  ['4.2.1.9', 'basic constraints that cannot be read', known('basicConstraints', count(1), true), FORM],
  ['4.2.1.9', 'a negative path length', basic([TRUE, count(0xff)]), FORM],
  ['4.2.1.10', 'name constraints without subtrees', constraints({}), FORM],
  ['4.2.1.10', 'a list of no subtrees', known('nameConstraints', writeSequence(writeContext(0)), true), FORM],
  ['4.2.1.11', 'empty policy constraints', policyConstraints({}), FORM],
  [
    '4.2.1.10',
    'name constraints that are not critical',
    constraints({ permitted: [dns('x.com')] }, false),
    ACCEPTED,
    byRule('constraints-critical'),
  ],
  [
    '4.2.1.11',
    'policy constraints that are not critical',
    policyConstraints({ mapping: 0 }, false),
    ACCEPTED,
    byRule('constraints-critical'),
  ],
];

const INTERMEDIATE: readonly Told[] = [
  ['4.2.1.9', 'basic constraints that are not critical', basic([TRUE], false), ACCEPTED],
  ['4.2.1.12', 'clientAuth', usages([CLIENT_AUTH]), ACCEPTED, ACCEPTED],
  ['4.2.1.12', 'any usage', usages([ANY_USAGE]), ACCEPTED],
];

const ROOTS: readonly Told[] = [
  [
    '4.2.1.1',
    'the key identifier of another',
    known('authorityKeyIdentifier', writeSequence(write(contextTag(0, 'primitive'), octets(1)))),
    ACCEPTED,
    byRule('root-key-identifier'),
  ],
  [
    '4.2.1.9',
    'basic constraints that are not critical',
    basic([TRUE], false),
    byRule('root-basic-constraints-critical'),
  ],
  ['4.2.1.12', 'clientAuth', usages([CLIENT_AUTH]), ACCEPTED, byRule('root-without-usage')],
];

function access(): Uint8Array {
  const location = write(contextTag(6, 'primitive'), Buffer.from('http://ocsp.test/'));
  return writeSequence(writeSequence(writeOid('1.3.6.1.5.5.7.48.1'), location));
}

const without = (...names: (keyof typeof EXTENSION)[]): CertificateOptions => ({ without: names });
const PLACES: readonly (readonly [
  clause: string,
  what: string,
  place: Partial<Row>,
  verdict: string,
  strict?: string,
])[] = [
  ['4.2.1.3', 'leaf: no key usage', { leaf: without('keyUsage') }, ACCEPTED, ACCEPTED],
  ['4.2.1.12', 'leaf: no extended key usage', { leaf: without('extendedKeyUsage') }, ACCEPTED, EXPLICIT],
  [
    '4.2.1.1',
    'leaf: no authority key identifier',
    { leaf: without('authorityKeyIdentifier') },
    ACCEPTED,
    byRule('key-identifiers-consistent'),
  ],
  [
    '4.2.1.1',
    'leaf: no key identifiers',
    { leaf: without('authorityKeyIdentifier', 'subjectKeyIdentifier') },
    ACCEPTED,
    byRule('key-identifiers-present'),
  ],
  [
    '4.2.1.2',
    'root: no subject key identifier',
    { by: rootWith(without('subjectKeyIdentifier')) },
    ACCEPTED,
    byRule('key-identifiers-consistent'),
  ],
  ['4.2.1.9', 'root: no basic constraints', { by: rootWith(without('basicConstraints')) }, byRule('authority-is-ca')],
  [
    '4.2.1.9',
    'intermediate: no basic constraints',
    { by: below(without('basicConstraints')), approved: ROOT },
    byRule('authority-is-ca'),
  ],
  ['4.2.1.3', 'intermediate: no key usage', { by: below(without('keyUsage')), approved: ROOT }, ACCEPTED],
  [
    '4.1.2.6',
    'leaf: an empty subject with plain alternative names',
    { leaf: { subject: writeSequence(), emails: ['a@x.com'] }, settings: { identitySources: ['email-san'] } },
    byRule('subject-name-present'),
  ],
  [
    '4.1.2.6',
    'leaf: an empty subject with critical alternative names',
    {
      leaf: { subject: writeSequence(), extensions: [alternatives([email('a@x.com')], true)] },
      settings: { identitySources: ['email-san'] },
    },
    'accepted a@x.com',
    'accepted a@x.com',
  ],
  ['4.1.2.4', 'root: an empty name', { by: rootWith({ subject: writeSequence() }) }, byRule('issuer-name-present')],
];

export const ROLE_CASES: readonly Case[] = casesOf([
  ...LEAF.map(row('leaf')),
  ...[...AUTHORITY, ...INTERMEDIATE].map(row('intermediate')),
  ...[...AUTHORITY, ...ROOTS].map(row('root')),
  ...PLACES.map(([clause, what, place, verdict, strict]) => ({
    ...{ clause, what, ...place, verdict },
    ...(strict && { strict }),
  })),
]);
