// How a certificate is signed: algorithms, their parameters, and signatures that do not verify.
import { constants, generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';
import { TAG } from '../../../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../../../src/pki/der/der-write.ts';
import type { Authority, Issued } from '../../authority.ts';
import { integer, rsaKeys } from '../../signed-der.ts';
import {
  ACCEPTED,
  below,
  byRule,
  type Case,
  casesOf,
  issue,
  NOT_APPROVED,
  ROOT,
  type Row,
  rootWith,
  UNREADABLE,
} from './case.ts';
import { type Forgery, forge, resign, signedBy } from './forge.ts';
import { count, octets } from './pieces.ts';

const WEAK = byRule('signature-algorithm-strong');
const NULL = write(TAG.null);
const RSA_ROOT = rootWith({ keys: rsaKeys(2048) });
const SHA1 = '1.3.14.3.2.26';
const SHA256 = '2.16.840.1.101.3.4.2.1';
const SHA512 = '2.16.840.1.101.3.4.2.3';
const MGF1 = '1.2.840.113549.1.1.8';
const RSA_SHA256 = '1.2.840.113549.1.1.11';
const ECDSA_SHA256 = '1.2.840.10045.4.3.2';

const digest = (oid: string, ...parameters: Uint8Array[]) => writeSequence(writeOid(oid), ...parameters);
const mask = (oid: string, ...of: Uint8Array[]) => writeContext(1, writeSequence(writeOid(oid), ...of));
const pss = (...parameters: Uint8Array[]) =>
  writeSequence(writeOid('1.2.840.113549.1.1.10'), writeSequence(...parameters));
const salt = (length: number) => writeContext(2, count(length));

function pssSignature(key: KeyObject, name: string, saltLength: number) {
  return (body: Uint8Array) => sign(name, body, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength });
}

type Signed = readonly [digest: string, saltLength: number];

const GOOD_DIGEST = writeContext(0, digest(SHA256, NULL));
const GOOD_MASK = mask(MGF1, digest(SHA256, NULL));
const PSS: readonly [what: string, algorithm: Uint8Array, verdict: string, signed?: Signed][] = [
  ['SHA-256, its own mask, salt of 32', pss(GOOD_DIGEST, GOOD_MASK, salt(32)), ACCEPTED],
  [
    'SHA-512, its own mask, salt of 64',
    pss(writeContext(0, digest(SHA512, NULL)), mask(MGF1, digest(SHA512, NULL)), salt(64)),
    ACCEPTED,
    ['sha512', 64],
  ],
  ['digests without parameters', pss(writeContext(0, digest(SHA256)), mask(MGF1, digest(SHA256)), salt(32)), ACCEPTED],
  ['SHA-1 by default', pss(), WEAK, ['sha1', 20]],
  [
    'SHA-1 by name',
    pss(writeContext(0, digest(SHA1, NULL)), mask(MGF1, digest(SHA1, NULL)), salt(20)),
    WEAK,
    ['sha1', 20],
  ],
  ['a mask of SHA-1', pss(GOOD_DIGEST, mask(MGF1, digest(SHA1, NULL)), salt(32)), UNREADABLE],
  ['the mask left to its default', pss(GOOD_DIGEST, salt(32)), UNREADABLE],
  ['a mask that is not MGF1', pss(GOOD_DIGEST, mask('1.2.3.4', digest(SHA256, NULL)), salt(32)), UNREADABLE],
  ['a field behind the mask', pss(GOOD_DIGEST, mask(MGF1, digest(SHA256, NULL), NULL), salt(32)), UNREADABLE],
  ['a digest with foreign parameters', pss(writeContext(0, digest(SHA256, count(1))), GOOD_MASK, salt(32)), UNREADABLE],
  ['an unknown digest', pss(writeContext(0, digest('1.2.3.4')), mask(MGF1, digest('1.2.3.4')), salt(32)), UNREADABLE],
  ['another trailer', pss(GOOD_DIGEST, GOOD_MASK, salt(32), writeContext(3, count(2))), UNREADABLE],
  ['the trailer by name', pss(GOOD_DIGEST, GOOD_MASK, salt(32), writeContext(3, count(1))), ACCEPTED],
  ['a digest with NULL twice', pss(writeContext(0, digest(SHA256, NULL, NULL)), GOOD_MASK, salt(32)), UNREADABLE],
  ['a negative salt', pss(GOOD_DIGEST, GOOD_MASK, salt(0xff)), UNREADABLE],
  ['a salt of another length', pss(GOOD_DIGEST, GOOD_MASK, salt(20)), NOT_APPROVED],
  ['a fifth field', pss(GOOD_DIGEST, GOOD_MASK, salt(32), writeContext(4, count(1))), UNREADABLE],
  ['no parameters', writeSequence(writeOid('1.2.840.113549.1.1.10')), UNREADABLE],
  ['NULL for parameters', writeSequence(writeOid('1.2.840.113549.1.1.10'), NULL), UNREADABLE],
  [
    'a field behind the parameters',
    writeSequence(writeOid('1.2.840.113549.1.1.10'), writeSequence(GOOD_DIGEST, GOOD_MASK, salt(32)), NULL),
    UNREADABLE,
  ],
];

function pssRow([what, algorithm, verdict, [name, length] = ['sha256', 32]]: (typeof PSS)[number]): Row {
  const signature = pssSignature(RSA_ROOT.keys.privateKey, name, length);
  const made = () => forge({}, { fields: { algorithm }, signature }, RSA_ROOT);
  const title = `RSA-PSS: ${what}`;
  return { clause: 'RFC 4055 3.1', what: title, made, by: RSA_ROOT, verdict, ...unparsed(title) };
}

const named = (oid: string, ...parameters: Uint8Array[]) => writeSequence(writeOid(oid), ...parameters);
const inside = (algorithm: Uint8Array): Forgery => ({ fields: { algorithm } });

/** Name, forgery, verdict; signed by the elliptic root unless another is named. */
const FORGERIES: readonly [clause: string, what: string, forgery: Forgery, verdict: string, by?: Authority][] = [
  ['RFC 5758 3.2', 'ECDSA with NULL parameters', inside(named(ECDSA_SHA256, NULL)), UNREADABLE],
  ['RFC 5758 3.2', 'ECDSA with foreign parameters', inside(named(ECDSA_SHA256, count(1))), UNREADABLE],
  ['RFC 4055 5', 'RSA without NULL', inside(named(RSA_SHA256)), ACCEPTED, RSA_ROOT],
  ['RFC 4055 5', 'RSA with foreign parameters', inside(named(RSA_SHA256, count(1))), UNREADABLE, RSA_ROOT],
  ['RFC 4055 5', 'RSA with NULL twice', inside(named(RSA_SHA256, NULL, NULL)), UNREADABLE, RSA_ROOT],
  [
    'RFC 4055 5',
    'RSA with a NULL that has content',
    inside(named(RSA_SHA256, write(TAG.null, octets(0)))),
    UNREADABLE,
    RSA_ROOT,
  ],
  ['4.1.1.2', 'an algorithm that nobody knows', inside(named('1.2.3.4')), NOT_APPROVED],
  ['4.1.1.2', 'an algorithm of another kind of key', inside(named(RSA_SHA256, NULL)), NOT_APPROVED],
  [
    '4.1.1.2',
    'inside SHA-384, outside SHA-256',
    { fields: { algorithm: named('1.2.840.10045.4.3.3') }, outerAlgorithm: named(ECDSA_SHA256) },
    byRule('signature-algorithms-agree'),
  ],
  [
    '4.1.1.2',
    'inside SHA-256, outside SHA-384',
    { outerAlgorithm: named('1.2.840.10045.4.3.3'), signature: (body) => sign('sha384', body, ROOT.keys.privateKey) },
    byRule('signature-algorithms-agree'),
  ],
  [
    '4.1.1.2',
    'the same algorithm, with and without NULL',
    { fields: { algorithm: named(RSA_SHA256) }, outerAlgorithm: named(RSA_SHA256, NULL) },
    byRule('signature-algorithms-agree'),
    RSA_ROOT,
  ],
  [
    '4.1.1.3',
    'a signature over something else',
    { signature: (body) => signedBy(ROOT.keys, body.subarray(1)) },
    NOT_APPROVED,
  ],
  ['4.1.1.3', 'an empty signature', { signature: () => octets() }, NOT_APPROVED],
  [
    'SEC 1 4.1.4, CVE-2022-21449',
    'an ECDSA signature of zeros',
    { signature: () => writeSequence(count(0), count(0)) },
    NOT_APPROVED,
  ],
  [
    'SEC 1 4.1.4',
    'an ECDSA signature with bytes behind it',
    { signature: (body) => Buffer.concat([signedBy(ROOT.keys, body), octets(0)]) },
    NOT_APPROVED,
  ],
  [
    'X.690 8.6',
    'a signature of an odd number of bits',
    { signatureField: (octetsOf) => write(TAG.bitString, octets(1), octetsOf) },
    UNREADABLE,
  ],
  [
    'X.690 8.6',
    'a signature without its count of unused bits',
    { signatureField: () => write(TAG.bitString) },
    UNREADABLE,
  ],
  [
    'X.690 8.6',
    'a signature in an OCTET STRING',
    { signatureField: (octetsOf) => write(TAG.octetString, octetsOf) },
    UNREADABLE,
  ],
];

const NO_PARSE = 'OpenSSL cannot parse the certificate';
const UNPARSED = [
  'a signature in an OCTET STRING',
  'a signature without its count of unused bits',
  'RSA with a NULL that has content',
  'RSA with NULL twice',
  'RSA-PSS: a field behind the parameters',
];
const unparsed = (what: string) => (UNPARSED.includes(what) ? { noHandshake: NO_PARSE } : {});

function forgedRow([clause, what, forgery, verdict, by = ROOT]: (typeof FORGERIES)[number]): Row {
  return { clause, what, made: () => forge({}, forgery, by), by, verdict, ...unparsed(what) };
}

/** A key with exponent 1: anyone can write a signature that verifies. */
function signedByExponentOne(): Issued {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const modulus = Buffer.from(String(publicKey.export({ format: 'jwk' }).n), 'base64url');
  const numbers = writeSequence(integer(Buffer.concat([octets(0), modulus])), count(1));
  const key = writeSequence(named('1.2.840.113549.1.1.1', NULL), write(TAG.bitString, octets(0), numbers));
  const middle = below();
  const certificate = resign(middle.certificate, ROOT.keys, { fields: { key } });
  const made = forge(
    {},
    { fields: { algorithm: named(RSA_SHA256, NULL) }, signature: (body) => padded(body, 256) },
    middle,
  );
  return { ...made, chain: [made.certificate, certificate] };
}

/** EMSA-PKCS1-v1_5 (RFC 8017 9.2), which exponent 1 leaves as it is. */
function padded(body: Uint8Array, length: number): Uint8Array {
  const info = writeSequence(digest(SHA256, NULL), write(TAG.octetString, hash('sha256', body, 'buffer')));
  return Buffer.concat([octets(0, 1), Buffer.alloc(length - info.length - 3, 0xff), octets(0), info]);
}

const weakMiddle = below({ digest: 'sha1' });
export const SIGNATURE_CASES: readonly Case[] = casesOf([
  ...PSS.map(pssRow),
  ...FORGERIES.map(forgedRow),
  { clause: 'RFC 6194', what: 'SHA-1 under the leaf', leaf: { digest: 'sha1' }, verdict: WEAK, strict: WEAK },
  {
    clause: 'RFC 6151',
    what: 'MD5 under the leaf',
    made: () => issue({ digest: 'md5' }, RSA_ROOT),
    by: RSA_ROOT,
    verdict: WEAK,
  },
  { clause: 'RFC 6194', what: 'SHA-1 under an intermediate', by: weakMiddle, approved: ROOT, verdict: WEAK },
  {
    clause: 'RFC 6194',
    what: 'SHA-1 under the root itself, which is pinned by its key',
    by: rootWith({ digest: 'sha1' }),
    verdict: ACCEPTED,
  },
  {
    clause: 'RFC 8017 5.2.2',
    what: 'a leaf forged under an intermediate whose exponent is 1',
    made: signedByExponentOne,
    verdict: NOT_APPROVED,
  },
]);
