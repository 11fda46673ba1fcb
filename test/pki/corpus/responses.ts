// OCSP (RFC 6960): who may sign a response, how long it is valid, and that "revoked" wins.
import type { RevocationCheck } from '../../../src/core/issuer.ts';
import { writeOid, writeSequence } from '../../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../../src/pki/x509/extensions.ts';
import { type Authority, type CertificateOptions, type Issued, makeAuthority } from '../../authority.ts';
import { ecKeys, extension, rsaKeys } from '../../signed-der.ts';
import { approve } from '../approved.ts';
import { ACCEPTED, below, type Case, issue, ROOT } from './case.ts';
import { count, uri, usages } from './pieces.ts';

const REVOKED = 'certificate-revoked: ocsp-revoked';
const UNKNOWN = 'certificate-revocation-unknown: ocsp-unknown';
const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9';

const responder = extension(
  EXTENSION.authorityInfoAccess,
  writeSequence(writeSequence(writeOid('1.3.6.1.5.5.7.48.1'), uri('http://ocsp.test/'))),
);
const CALLER = issue({ extensions: [responder] });
type OcspOptions = NonNullable<Parameters<Authority['ocsp']>[1]>;

type Told = readonly [
  ...[clause: string, what: string, answer: Uint8Array | undefined, verdict: string],
  ...check: [RevocationCheck?],
];

function caseOf([clause, what, answer, verdict, check = 'required']: Told): Case {
  const revocation = { crl: 'off', ocsp: check, crlFiles: [], endGrants: true } as const;
  const issuers = [approve(ROOT, { revocation })];
  return {
    clause: `RFC 6960 ${clause}`,
    what,
    chain: CALLER.chain,
    key: CALLER.key,
    issuers,
    verdict,
    ...(answer && { answer }),
  };
}

const says = (options: OcspOptions = {}) =>
  ROOT.ocsp(CALLER.serial, { nextUpdate: '2026-11-15T12:30:00Z', thisUpdate: '2026-11-15T11:45:00Z', ...options });
const delegate = (options: CertificateOptions, by: Authority = ROOT): Issued =>
  by.issue({ commonName: 'Responder', keys: ecKeys(), extensions: [usages([OCSP_SIGNING])], ...options });
const by = (options: CertificateOptions, authority?: Authority) => says({ responder: delegate(options, authority) });

const TOLD: readonly Told[] = [
  ['2.2', 'good', says(), ACCEPTED],
  ['2.2', 'revoked', says({ state: 'revoked' }), REVOKED],
  ['2.2', 'unknown', says({ state: 'unknown' }), UNKNOWN],
  ['2.2', 'unknown, if available', says({ state: 'unknown' }), ACCEPTED, 'if-available'],
  ['2.2', 'revoked, if available', says({ state: 'revoked' }), REVOKED, 'if-available'],
  ['2.2', 'revoked, with OCSP off', says({ state: 'revoked' }), ACCEPTED, 'off'],
  ['2.2', 'no answer', undefined, UNKNOWN],
  ['2.2', 'no answer, if available', undefined, ACCEPTED, 'if-available'],
  ['2.2', 'an answer about another certificate', ROOT.ocsp(Uint8Array.of(7)), UNKNOWN],
  [
    '2.2',
    'an answer about the number of another issuer',
    makeAuthority({ name: 'Other' }).ocsp(CALLER.serial),
    UNKNOWN,
  ],
  ['2.2', 'good and revoked in one answer', says({ also: ['revoked'] }), REVOKED],
  ['2.2', 'revoked and good in one answer', says({ state: 'revoked', also: ['good'] }), REVOKED],
  ['4.2.2.1', 'an answer that is stale', says({ thisUpdate: '2026-11-01', nextUpdate: '2026-11-02' }), UNKNOWN],
  [
    '4.2.2.1',
    'a stale answer that says revoked',
    says({ state: 'revoked', thisUpdate: '2026-11-01', nextUpdate: '2026-11-02' }),
    REVOKED,
  ],
  ['4.2.2.1', 'an answer that has not begun', says({ thisUpdate: '2026-11-16', nextUpdate: '2026-11-17' }), UNKNOWN],
  ['4.2.2.1', 'an answer without an end, made just now', says({ nextUpdate: null }), ACCEPTED],
  [
    '4.2.2.1',
    'an answer without an end, made a week ago',
    says({ nextUpdate: null, thisUpdate: '2026-11-08' }),
    UNKNOWN,
  ],
  [
    '4.4.1, RFC 9654',
    'an answer without nonce, made half an hour ago',
    says({ thisUpdate: '2026-11-15T11:30:00Z', nextUpdate: '2026-11-20' }),
    ACCEPTED,
  ],
  [
    '4.4.1, RFC 9654',
    'an answer without nonce, made three hours ago and received now',
    says({ thisUpdate: '2026-11-15T09:00:00Z', nextUpdate: '2026-11-20' }),
    ACCEPTED,
  ],
  ['4.2.2.2', 'a delegate', by({}), ACCEPTED],
  ['4.2.2.2', 'a delegate without OCSPSigning', by({ extensions: [usages(['1.3.6.1.5.5.7.3.2'])] }), UNKNOWN],
  ['4.2.2.2', 'a delegate with any usage', by({ extensions: [usages(['2.5.29.37.0'])] }), UNKNOWN],
  ['4.2.2.2', 'a delegate without usages', by({ extensions: [], without: ['extendedKeyUsage'] }), UNKNOWN],
  ['4.2.2.2', 'a delegate that has ended', by({ notAfter: '2025-01-01' }), UNKNOWN],
  ['4.2.2.2', 'a delegate that has not begun', by({ notBefore: '2030-01-01' }), UNKNOWN],
  ['4.2.2.2', 'a delegate of another authority', by({}, makeAuthority({ name: 'Other' })), UNKNOWN],
  ['4.2.2.2', 'a delegate of a namesake', by({}, makeAuthority({ name: 'Corpus Root' })), UNKNOWN],
  ['4.2.2.2', 'a delegate of an intermediate', by({}, below()), UNKNOWN],
  [
    '4.2.2.2',
    'a delegate with an unknown critical extension',
    by({ extensions: [usages([OCSP_SIGNING]), extension('1.2.3.4', count(1), true)] }),
    UNKNOWN,
  ],
  ['4.2.2.2', 'a delegate with an RSA key of 1024 bits', by({ keys: rsaKeys(1024) }), UNKNOWN],
  ['4.2.2.2', 'a delegate signed with SHA-1', by({ digest: 'sha1' }), UNKNOWN],
  ['4.2.2.2', 'a delegate whose algorithms differ', by({ claimedDigest: 'sha1' }), UNKNOWN],
  ['4.2.2.2', 'an answer of a namesake', makeAuthority({ name: 'Corpus Root' }).ocsp(CALLER.serial), UNKNOWN],
  ['4.3', 'an answer signed with SHA-1', says({ digest: 'sha1' }), UNKNOWN],
  ['4.2.1', 'an answer that says try later', Uint8Array.of(0x30, 0x03, 0x0a, 0x01, 0x03), UNKNOWN],
  ['4.2.1', 'an answer that is no OCSP', Buffer.from('nonsense'), UNKNOWN],
];

export const RESPONSE_CASES: readonly Case[] = TOLD.map(caseOf);
