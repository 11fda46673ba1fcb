// Which keys are allowed in a path, in which role, and how they must be encoded.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { TAG } from '../../../src/pki/der/der.ts';
import { write, writeOid, writeSequence } from '../../../src/pki/der/der-write.ts';
import type { Issued } from '../../authority.ts';
import { ecKeys, integer, type KeyPair, rsaKeys } from '../../signed-der.ts';
import { ACCEPTED, below, byRule, type Case, casesOf, type Row, rootWith, UNREADABLE } from './case.ts';
import { forge } from './forge.ts';
import { octets } from './pieces.ts';

const WEAK = byRule('key-strong');
const CURVE = byRule('key-curve');
const MALFORMED = byRule('key-well-formed');
const RSA = writeOid('1.2.840.113549.1.1.1');
const EC = writeOid('1.2.840.10045.2.1');
const P256 = writeOid('1.2.840.10045.3.1.7');
const NULL = write(TAG.null);

const edwards = (kind: 'ed25519' | 'ed448'): KeyPair =>
  kind === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ed448');

const GOOD: Readonly<Record<string, KeyPair>> = {
  'P-256': ecKeys('P-256'),
  'P-384': ecKeys('P-384'),
  'P-521': ecKeys('P-521'),
  Ed25519: edwards('ed25519'),
  Ed448: edwards('ed448'),
  'RSA of 2048 bits': rsaKeys(2048),
  'RSA with exponent 3': generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 }),
};

// Defined in ANSI X9.62, SEC 2, RFC 5639 and by Oakley; none is an allowed curve.
const OTHER_CURVES = [
  'secp112r1',
  'secp128r1',
  'secp160r1',
  'prime192v1',
  'prime239v1',
  'secp224r1',
  'secp256k1',
  'sect163k1',
  'sect233r1',
  'sect571r1',
  'brainpoolP160r1',
  'brainpoolP256r1',
  'brainpoolP512r1',
];

const SHORT_RSA = rsaKeys(1024);
const NO_KEY = 'nobody holds the private key of this public key';

function goodKeys(name: string, keys: KeyPair): Row[] {
  const clause = 'RFC 5480 2, RFC 8410 3, RFC 8017';
  const verdict = ACCEPTED;
  const middle = below({ keys });
  const root = rootWith({ keys });
  return [
    { clause, what: `${name} in a leaf`, leaf: { keys }, verdict, strict: verdict },
    { clause, what: `${name} in an intermediate`, by: middle, approved: rootWith({}), verdict, strict: verdict },
    { clause, what: `${name} in a root`, by: root, verdict, strict: verdict },
  ];
}

const TLS_CURVES = ['brainpoolP256r1', 'brainpoolP512r1'];

function otherCurve(curve: string): Row[] {
  const clause = 'NIST SP 800-186, T: allow-list of curves';
  const keys = ecKeys(curve);
  const noHandshake = TLS_CURVES.includes(curve) ? {} : { noHandshake: 'TLS has no signature scheme for this curve' };
  return [
    { clause, what: `${curve} in a leaf`, leaf: { keys }, verdict: CURVE, ...noHandshake },
    { clause, what: `${curve} in an intermediate`, by: below({ keys }), approved: rootWith({}), verdict: CURVE },
    { clause, what: `${curve} in a root`, by: rootWith({ keys }), verdict: CURVE },
  ];
}

const bits = (key: Uint8Array) => write(TAG.bitString, octets(0), key);
const leafWithKey = (key: Uint8Array) => (): Issued => forge({}, { fields: { key } });

const jwkNumber = (key: KeyObject, field: 'n' | 'e' | 'x' | 'y'): Buffer =>
  Buffer.from(String(key.export({ format: 'jwk' })[field]), 'base64url');
const unsigned = (number: Uint8Array) => integer((number[0] ?? 0) < 0x80 ? number : Buffer.concat([octets(0), number]));
const rsaKey = (modulus: Uint8Array, exponent: Uint8Array, parameters = [NULL]) =>
  writeSequence(writeSequence(RSA, ...parameters), bits(writeSequence(modulus, exponent)));
const MODULUS = jwkNumber((GOOD['RSA of 2048 bits'] as KeyPair).publicKey, 'n');
const EXPONENT = integer(octets(1, 0, 1));
const even = (number: Buffer) => Buffer.concat([number.subarray(0, -1), octets(0xfe & (number.at(-1) ?? 0))]);

const RSA_KEYS: readonly [what: string, key: Uint8Array, verdict: string][] = [
  ['exponent 1', rsaKey(unsigned(MODULUS), integer(octets(1))), MALFORMED],
  ['exponent 2', rsaKey(unsigned(MODULUS), integer(octets(2))), MALFORMED],
  ['an even exponent', rsaKey(unsigned(MODULUS), integer(octets(1, 0, 0))), MALFORMED],
  ['exponent 0', rsaKey(unsigned(MODULUS), integer(octets(0))), MALFORMED],
  ['a negative exponent', rsaKey(unsigned(MODULUS), integer(octets(0xfd))), MALFORMED],
  ['an exponent of 2048 bits', rsaKey(unsigned(MODULUS), unsigned(MODULUS)), MALFORMED],
  ['an even modulus', rsaKey(unsigned(even(MODULUS)), EXPONENT), MALFORMED],
  ['a negative modulus', rsaKey(integer(MODULUS), EXPONENT), MALFORMED],
  ['modulus 0', rsaKey(integer(octets(0)), EXPONENT), WEAK],
  ['a modulus of 32768 bits', rsaKey(unsigned(Buffer.alloc(4096, 0xff)), EXPONENT), MALFORMED],
  ['a modulus of 16385 bits', rsaKey(integer(octets(1, ...Buffer.alloc(2048, 0xff))), EXPONENT), MALFORMED],
  ['a modulus of 2040 bits', rsaKey(unsigned(Buffer.alloc(255, 0xff)), EXPONENT), WEAK],
  ['parameters of a foreign kind', rsaKey(unsigned(MODULUS), EXPONENT, [writeSequence()]), UNREADABLE],
  ['no parameters', rsaKey(unsigned(MODULUS), EXPONENT, []), UNREADABLE],
  ['a NULL that has content', rsaKey(unsigned(MODULUS), EXPONENT, [write(TAG.null, octets(0))]), UNREADABLE],
  ['a field behind the parameters', rsaKey(unsigned(MODULUS), EXPONENT, [NULL, NULL]), UNREADABLE],
  ['a third number', rsaKey(unsigned(MODULUS), Buffer.concat([EXPONENT, EXPONENT])), UNREADABLE],
  ['a modulus with two leading zeros', rsaKey(integer(Buffer.concat([octets(0, 0), MODULUS])), EXPONENT), UNREADABLE],
];

const X = jwkNumber((GOOD['P-256'] as KeyPair).publicKey, 'x');
const Y = jwkNumber((GOOD['P-256'] as KeyPair).publicKey, 'y');
const ecKey = (point: Uint8Array, parameters: readonly Uint8Array[] = [P256]) =>
  writeSequence(writeSequence(EC, ...parameters), bits(point));
const point = (first: number, ...parts: Uint8Array[]) => Buffer.concat([octets(first), ...parts]);
const FIELD_PRIME = Buffer.from('ffffffff00000001000000000000000000000000ffffffffffffffffffffffff', 'hex');

const EC_KEYS: readonly [what: string, key: Uint8Array, verdict: string][] = [
  ['a point off its curve', ecKey(point(4, Y, X)), MALFORMED],
  ['the point at infinity', ecKey(octets(0)), MALFORMED],
  ['a point of zeros', ecKey(point(4, Buffer.alloc(64))), MALFORMED],
  ['a point too short', ecKey(point(4, X, Y.subarray(1))), MALFORMED],
  ['a point too long', ecKey(point(4, X, Y, octets(0))), MALFORMED],
  ['no point at all', ecKey(octets()), MALFORMED],
  ['a hybrid point', ecKey(point(6 + ((Y.at(-1) ?? 0) & 1), X, Y)), MALFORMED],
  ['a coordinate not below the prime', ecKey(point(4, FIELD_PRIME, Y)), MALFORMED],
  ['a point of another curve', ecKey(point(4, X, Y), [writeOid('1.3.132.0.34')]), MALFORMED],
  ['parameters spelt out', ecKey(point(4, X, Y), [writeSequence(integer(octets(1)))]), WEAK],
  ['the curve of the issuer implied', ecKey(point(4, X, Y), [NULL]), WEAK],
  ['a field behind the curve', ecKey(point(4, X, Y), [P256, NULL]), UNREADABLE],
  ['no curve', ecKey(point(4, X, Y), []), UNREADABLE],
];

const ed25519 = (key: Uint8Array, parameters: readonly Uint8Array[] = []) =>
  writeSequence(writeSequence(writeOid('1.3.101.112'), ...parameters), bits(key));
const OTHER_KEYS: readonly [what: string, key: Uint8Array, verdict: string][] = [
  ['Ed25519 with NULL parameters', ed25519(Buffer.alloc(32, 9), [NULL]), UNREADABLE],
  ['an Ed25519 value beyond the field', ed25519(Buffer.alloc(32, 0xff)), MALFORMED],
  ['an Ed25519 key of 31 octets', ed25519(Buffer.alloc(31, 9)), MALFORMED],
  ['an Ed25519 key of 33 octets', ed25519(Buffer.alloc(33, 9)), MALFORMED],
  ['an algorithm that nobody knows', writeSequence(writeSequence(writeOid('1.2.3.4')), bits(octets(1))), WEAK],
  ['X25519, which cannot sign', writeSequence(writeSequence(writeOid('1.3.101.110')), bits(Buffer.alloc(32, 9))), WEAK],
  [
    'a key whose bits are no octets',
    writeSequence(writeSequence(EC, P256), write(TAG.bitString, octets(3, 8))),
    UNREADABLE,
  ],
];

function malformedKeys(clause: string, keys: typeof RSA_KEYS): Row[] {
  return keys.map(([what, key, verdict]) => ({
    clause,
    what,
    made: leafWithKey(key),
    verdict,
    strict: verdict,
    noHandshake: NO_KEY,
  }));
}

export const KEY_CASES: readonly Case[] = casesOf([
  ...Object.entries(GOOD).flatMap(([name, keys]) => goodKeys(name, keys)),
  ...OTHER_CURVES.flatMap(otherCurve),
  {
    clause: 'RFC 5639, T: curves by setting',
    what: 'a curve that the issuer is allowed',
    leaf: { keys: ecKeys('brainpoolP256r1') },
    settings: { curves: ['brainpoolP256r1'] },
    verdict: ACCEPTED,
    strict: CURVE,
  },
  {
    clause: 'CA/Browser Forum 6.1.5',
    what: 'RSA of 2052 bits',
    leaf: { keys: rsaKeys(2052) },
    verdict: ACCEPTED,
    strict: byRule('key-kind'),
  },
  { clause: 'NIST SP 800-57', what: 'RSA of 1024 bits in a leaf', leaf: { keys: SHORT_RSA }, verdict: WEAK },
  {
    clause: 'NIST SP 800-57',
    what: 'RSA of 1024 bits in an intermediate',
    by: below({ keys: SHORT_RSA }),
    approved: rootWith({}),
    verdict: WEAK,
  },
  { clause: 'NIST SP 800-57', what: 'RSA of 1024 bits in a root', by: rootWith({ keys: SHORT_RSA }), verdict: WEAK },
  ...malformedKeys('RFC 8017 3.1, RFC 3279 2.3.1', RSA_KEYS),
  ...malformedKeys('RFC 5480 2', EC_KEYS),
  ...malformedKeys('RFC 8410 3', OTHER_KEYS),
]);
