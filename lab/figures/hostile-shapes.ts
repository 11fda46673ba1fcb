// More certificates made to keep a verifier busy: odd shapes, and products of two lists.
import { randomBytes } from 'node:crypto';
import { TAG } from '../../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { type Authority, makeAuthority } from '../../test/authority.ts';
import {
  bmp,
  constraints,
  nameWith,
  policies,
  policyConstraints,
  universal,
  uri,
} from '../../test/pki/corpus/pieces.ts';
import { attribute, ecKeys, extension, integer, nameOf } from '../../test/signed-der.ts';
import {
  approved,
  dns,
  expanding,
  forged,
  type HostileChain,
  issuedBy,
  many,
  mappings,
  policy,
  stranger,
  times,
} from './hostile-certificates.ts';

const RDNS = 60;
const COMMON_NAME = '2.5.4.3';
const longNamed = (last: string) =>
  nameWith(...times(RDNS - 1, () => [COMMON_NAME, 'a'] as const), [COMMON_NAME, last]);

/** Signed by no approved issuer. */
export function strangersShapes(): HostileChain[] {
  const of = (what: string, chain: readonly Uint8Array[], issuer = approved) => ({ what, chain, approved: issuer });
  const named = (what: string, subject: (index: number) => Uint8Array) =>
    of(
      what,
      times(28, (index) => issuedBy(subject(index))[0] ?? new Uint8Array()),
    );
  const manyRdns = makeAuthority({ subject: longNamed('Approved') });
  const twins = times(4, () => makeAuthority({ name: 'Approved', keys: ecKeys('P-521') }));
  const [first = approved, ...others] = twins;
  return [
    of('60 KB of nested sequences as extension', stranger.issue({ extensions: [nested(14_000)] }).chain),
    of('60 KB of nested sequences as issuer', issuedBy(nest(14_000))),
    of('a serial number of 60 KB', stranger.issue({ serial: randomBytes(60_000) }).chain),
    of(
      '64 extensions of 900 octets, twice',
      many(() => stranger.issue({ extensions: times(60, unknownExtension) }).chain, 2),
    ),
    named('28 ASCII names of 4 KB that must be compared', (index) => nameOf(`${'a '.repeat(1_950)}${index}`)),
    named('28 names of 4 KB as UniversalString', (index) => nameOf(universal(`${'\ufdfa'.repeat(900)}${index}`))),
    named('28 names of 4 KB as BMPString', (index) => nameOf(bmp(`${'\ufdfa'.repeat(1_800)}${index}`))),
    named('28 names of 16 attributes', (index) => sixteen(index)),
    named('28 names of 250 expanding characters', (index) => nameOf(`${expanding(750)}${index}`)),
    of(
      `28 names of ${RDNS} relative names that differ in the last`,
      times(28, (index) => issuedBy(longNamed(`x${index}`))[0] ?? new Uint8Array()),
      manyRdns,
    ),
    of('31 equal forged intermediates', equalForgeries()),
    of('a key of 16,384 bits with an exponent of 16,383', stranger.issue({ spki: hugeRsa() }).chain),
    { what: '31 forgeries for 4 issuers of one name with P-521', chain: forged(first), approved: first, others },
  ];
}

/** Signed by an approved issuer. */
export function signedShapes(): HostileChain[] {
  const below = (what: string, chain: readonly Uint8Array[], lists?: readonly Uint8Array[]): HostileChain =>
    lists ? { what, chain, approved, lists } : { what, chain, approved };
  const huge = approved.makeIntermediate({ name: 'Huge', spki: hugeRsa() });
  return [
    below('60 KB of nested sequences as extension', approved.issue({ extensions: [nested(14_000)] }).chain),
    below('a serial number of 60 KB', approved.issue({ serial: randomBytes(60_000) }).chain),
    below('a key of 16,384 bits with an exponent of 16,383', approved.issue({ spki: hugeRsa() }).chain),
    below('an authority with such a key', huge.issue().chain),
    below('8 paths with 450 policy mappings each', crossed([mappings(450), policyConstraints({ explicit: 0 })])),
    below('8 paths with 400 constraints against 40 names', crossed([manyConstraints(400)], constrainedNames(40))),
    below('8 paths with 6 long constraints on 12 directory names', crossed([directories(6)], directoryNames())),
    below('1,000 policies and a policy tree of 8 levels', policyTree()),
    below('8 intermediates with P-521', chainOf(8, 'P-521').issue().chain),
    below('15 intermediates of one name', selfIssued(14)),
    below('1,000 distribution points against a list with 1,000', ...pointsAndList()),
    below('10 indirect CRL issuers of expanding characters', ...crlIssuers()),
    below('28 possible signers of 8 lists', ...listSigners()),
    below('8 namesakes with 14 KB of policies each', heavyNamesakes()),
  ];
}

/** Built from the inside, so that each level knows the length of what it contains. */
function nest(depth: number): Uint8Array {
  const headers: Uint8Array[] = [];
  let length = 0;
  for (let level = 0; level < depth; level++) {
    const header = headerOf(length);
    headers.push(header);
    length += header.length;
  }
  return Buffer.concat(headers.reverse());
}

function headerOf(length: number): Uint8Array {
  if (length < 0x80) return Uint8Array.of(TAG.sequence, length);
  if (length < 0x100) return Uint8Array.of(TAG.sequence, 0x81, length);
  return Uint8Array.of(TAG.sequence, 0x82, length >> 8, length & 0xff);
}

function nested(depth: number): Uint8Array {
  return extension(EXTENSION.certificatePolicies, nest(depth));
}

function unknownExtension(index: number): Uint8Array {
  return extension(`1.3.6.1.4.1.99999.${index}`, write(TAG.octetString, randomBytes(420)));
}

function sixteen(index: number): Uint8Array {
  const attributes = times(16, (n) => attribute(COMMON_NAME, `${'é'.repeat(60)}${index}-${n}`));
  return writeSequence(write(TAG.set, ...attributes));
}

function equalForgeries(): readonly Uint8Array[] {
  const forger = makeAuthority({ name: 'Approved' }).makeIntermediate({ name: 'Namesake' });
  return [forger.issue().certificate, ...times(31, () => forger.certificate)];
}

function hugeRsa(): Uint8Array {
  const odd = (octets: number) => {
    const number = randomBytes(octets);
    number[0] = 0x7f;
    number[octets - 1] = 1;
    return number;
  };
  const modulus = Buffer.concat([Uint8Array.of(0, 0xff), odd(2_047)]);
  const key = writeSequence(integer(modulus), integer(odd(2_048)));
  const algorithm = writeSequence(writeOid('1.2.840.113549.1.1.1'), write(TAG.null));
  return writeSequence(algorithm, write(TAG.bitString, Uint8Array.of(0), key));
}

/** One authority with eight certificates, so that eight paths lead to the leaf. */
function crossed(extensions: readonly Uint8Array[], leaf = {}): readonly Uint8Array[] {
  const keys = ecKeys();
  const authorities = times(8, () => approved.makeIntermediate({ name: 'Crossed', keys, extensions }));
  const issued = authorities[0]?.issue(leaf).certificate ?? new Uint8Array();
  return [issued, ...authorities.map(({ certificate }) => certificate)];
}

function manyConstraints(count: number): Uint8Array {
  return constraints({ excluded: [...times(count, (index) => dns(`c${index}.example.com`)), dns('last.example')] });
}

function constrainedNames(count: number) {
  return { dnsNames: [...times(count, (index) => `host-${index}.example.org`), 'last.example'] };
}

const directory = (index: number) => writeContext(4, nameOf(`${expanding(1_500)}${index}`));

function directories(count: number): Uint8Array {
  return constraints({ excluded: times(count, directory), permitted: [dns('nowhere.example')] });
}

function directoryNames() {
  return { alternativeNames: [...times(12, (index) => directory(index + 100)), dns('elsewhere.example')] };
}

function policyTree(): readonly Uint8Array[] {
  let authority = approved;
  const all = times(1_000, policy);
  for (let level = 0; level < 8; level++) {
    const some = extension(EXTENSION.certificatePolicies, writeSequence(...all));
    authority = authority.makeIntermediate({
      name: `Level ${level}`,
      extensions: [some, policyConstraints({ explicit: 0 })],
    });
  }
  return authority.issue({ extensions: [policies('1.3.6.1.4.1.99999.1')] }).chain;
}

function chainOf(length: number, curve: string): Authority {
  let authority = approved;
  for (let level = 0; level < length; level++)
    authority = authority.makeIntermediate({ name: `Level ${level}`, keys: ecKeys(curve) });
  return authority;
}

function selfIssued(count: number): readonly Uint8Array[] {
  let authority = approved.makeIntermediate({ name: 'Itself' });
  for (let level = 0; level < count; level++) authority = authority.makeIntermediate({ name: 'Itself' });
  return authority.issue().chain;
}

type Checked = [readonly Uint8Array[], readonly Uint8Array[]];

function pointsAndList(): Checked {
  const point = (index: number) => writeSequence(writeContext(0, writeContext(0, uri(`http://b/${index}`))));
  const points = extension(EXTENSION.crlDistributionPoints, writeSequence(...times(1_000, point)));
  const names = times(1_000, (index) => uri(`http://a/${index}`));
  const scope = writeSequence(writeContext(0, writeContext(0, ...names)));
  const list = approved.crl({ extensions: [extension(EXTENSION.issuingDistributionPoint, scope, true)] });
  return [approved.issue({ extensions: [points] }).chain, [list]];
}

function crlIssuers(): Checked {
  const point = (index: number) => writeSequence(writeContext(2, directory(index)));
  const points = extension(EXTENSION.crlDistributionPoints, writeSequence(...times(10, point)));
  const lists = times(8, (index) => makeAuthority({ name: `Elsewhere ${index}` }).crl());
  return [approved.issue({ extensions: [points] }).chain, [...lists, approved.crl()]];
}

function listSigners(): Checked {
  const between = approved.makeIntermediate({ name: 'Twin' });
  const others = times(28, () => approved.makeIntermediate({ name: 'Twin' }).certificate);
  const lists = times(8, (number) => between.crl({ number }));
  return [
    [between.issue().certificate, between.certificate, ...others],
    [...lists, approved.crl()],
  ];
}

function heavyNamesakes(): readonly Uint8Array[] {
  const extensions = [extension(EXTENSION.certificatePolicies, writeSequence(...times(1_000, policy)))];
  const without = ['subjectKeyIdentifier'] as const;
  const wrong = times(7, () => approved.makeIntermediate({ name: 'Heavy', extensions, without }));
  const right = approved.makeIntermediate({ name: 'Heavy', without, extensions });
  const leaf = right.issue({ without: ['authorityKeyIdentifier'] });
  return [leaf.certificate, ...wrong.map(({ certificate }) => certificate), right.certificate];
}
