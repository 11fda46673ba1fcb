// Invalid keys, in every certificate of a path, under both profiles.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { suite, test } from 'node:test';
import type { OptionalCurve } from '../../src/core/issuer.ts';
import { readElement } from '../../src/pki/der/der.ts';
import { writeContext, writeOid, writeSequence } from '../../src/pki/der/der-write.ts';
import { printKey, readPssParameters, readPublicKey } from '../../src/pki/x509/public-key.ts';
import { makeAuthority } from '../authority.ts';
import { ecKeys, integer } from '../signed-der.ts';
import { approve, verdict } from './approved.ts';
import { rsaSpki, spkiOf } from './keys.ts';

const root = makeAuthority({ name: 'Root' });
const REFUSED = (rule: string) => `certificate-refused-by-policy: ${rule}`;
const PROFILES = ['rfc5280', 'strict'] as const;
const EC = '1.2.840.10045.2.1';
const P256 = writeOid('1.2.840.10045.3.1.7');
const point = ecKeys().publicKey.export({ type: 'spki', format: 'der' }).subarray(-65);
const edwards = (kind: 'ed25519' | 'ed448', key: Uint8Array, ...parameters: Uint8Array[]) =>
  spkiOf([writeOid(kind === 'ed25519' ? '1.3.101.112' : '1.3.101.113'), ...parameters], key);
const littleEndian = (value: bigint, octets: number) =>
  Buffer.from(value.toString(16).padStart(octets * 2, '0'), 'hex').reverse();

function of(spki: Uint8Array, profile: 'rfc5280' | 'strict' = 'rfc5280'): string {
  return verdict({ chain: root.issue({ spki }).chain, issuers: [approve(root, { profile })] });
}

const factsOf = (spki: Uint8Array) => readPublicKey(readElement(spki));
const flawOf = (spki: Uint8Array) => factsOf(spki).flaw ?? 'none';

suite('RSA keys (RFC 3279 2.3.1, FIPS 186-5 A.1.1)', () => {
  test('what is wrong with a key is named', () => {
    const small = Uint8Array.of(1, 1);
    for (const [numbers, flaw] of [
      [{ exponent: Uint8Array.of(0, ...Array(8).fill(0xff)) }, 'none'],
      [{ exponent: Uint8Array.of(1, ...Array(8).fill(0xff)) }, 'the exponent has more than 64 bits'],
      [{ exponent: Uint8Array.of(1) }, 'the exponent is even or less than 3'],
      [{ exponent: Uint8Array.of(0x80, 1) }, 'the exponent is even or less than 3'],
      [{ exponent: Uint8Array.of(0, 0xff), modulus: small }, 'none'],
      [{ exponent: small, modulus: small }, 'the exponent is as large as the modulus'],
      [{ modulus: Uint8Array.of(1, 0) }, 'the modulus is even'],
      [{ modulus: Uint8Array.of(0x80, 1) }, 'the modulus is negative'],
      [
        { modulus: Buffer.concat([Uint8Array.of(1), Buffer.alloc(2048, 0xff)]) },
        'the modulus has more than 16384 bits',
      ],
    ] as const)
      assert.equal(flawOf(rsaSpki(numbers)), flaw);
  });

  test('their sizes are counted in bits', () => {
    const sizesOf = (modulus: Uint8Array, exponent: Uint8Array) => {
      const { bits, exponentBits } = factsOf(rsaSpki({ modulus, exponent }));
      return [bits, exponentBits];
    };
    assert.deepEqual(sizesOf(Uint8Array.of(0, 0x80, 1), Uint8Array.of(1, 0, 1)), [16, 17]);
    assert.deepEqual(sizesOf(Uint8Array.of(0x7f, 1), Uint8Array.of(3)), [15, 2]);
    assert.equal(printKey(factsOf(rsaSpki({ modulus: Uint8Array.of(0x7f, 1) }))), 'RSA 15 bits');
  });

  test('parameters of RSA-PSS have defaults; the trailer is 1 (RFC 4055 3.1)', () => {
    const parametersOf = (...fields: Uint8Array[]) => readPssParameters(readElement(writeSequence(...fields)));
    const number = (tag: number, value: number) => writeContext(tag, integer(Uint8Array.of(value)));
    assert.deepEqual(parametersOf(), { digest: 'sha1', saltLength: 20 });
    assert.deepEqual(parametersOf(number(2, 32), number(3, 1)), { digest: 'sha1', saltLength: 32 });
    assert.throws(() => parametersOf(number(3, 2)), /trailer/);
  });

  test('a modulus of 16384 bits is accepted', () => {
    const modulus = Buffer.concat([Uint8Array.of(0), Buffer.alloc(2048, 0xff)]);
    assert.equal(of(rsaSpki({ modulus })), 'accepted caller');
  });
});

suite('elliptic curves (RFC 5480 2)', () => {
  test('other curves are allowed by a setting of the issuer, never under profile strict', () => {
    for (const curve of ['brainpoolP256r1', 'brainpoolP384r1', 'brainpoolP512r1'] as const) {
      const { chain } = root.issue({ keys: ecKeys(curve) });
      assert.equal(verdict({ chain, issuers: [approve(root, { curves: [curve] })] }), 'accepted caller');
    }
    const chain = root.issue({ keys: ecKeys('brainpoolP384r1') }).chain;
    const curves = ['brainpoolP384r1'] as const;
    assert.equal(verdict({ chain, issuers: [approve(root)] }), REFUSED('key-curve'));
    assert.equal(verdict({ chain, issuers: [approve(root, { curves })] }), 'accepted caller');
    assert.equal(verdict({ chain, issuers: [approve(root, { curves: ['brainpoolP256r1'] })] }), REFUSED('key-curve'));
    assert.equal(verdict({ chain, issuers: [approve(root, { curves, profile: 'strict' })] }), REFUSED('key-curve'));
  });

  test('curves that earlier versions allowed are ignored', () => {
    for (const curve of ['P-224', 'secp256k1', 'brainpoolP320r1']) {
      const chain = root.issue({ keys: ecKeys(curve) }).chain;
      const curves = [curve, 'brainpoolP384r1'] as OptionalCurve[];
      assert.equal(verdict({ chain, issuers: [approve(root, { curves })] }), REFUSED('key-curve'));
    }
  });

  test('a signature by a key on a curve that is spelled out is not even verified: loading such a key can be slow', () => {
    const keys = generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' });
    const chain = root.makeIntermediate({ keys }).issue().chain;
    assert.equal(verdict({ chain, issuers: [approve(root)] }), 'certificate-issuer-not-approved: issuer-approved');
  });

  test('a compressed point is accepted', () => {
    const compressed = Buffer.concat([Uint8Array.of(2 + ((point.at(-1) ?? 0) & 1)), point.subarray(1, 33)]);
    assert.equal(of(spkiOf([writeOid(EC), P256], compressed)), 'accepted caller');
  });
});

suite('Edwards curves (RFC 8032 5.1.3 and 5.2.3, RFC 8410 3)', () => {
  const P25519 = 2n ** 255n - 19n;
  const P448 = 2n ** 448n - 2n ** 224n - 1n;
  const ORDER_8 = Buffer.from('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', 'hex');

  test('points of small order are refused, since anybody can sign for them', () => {
    const small = [0n, 1n, P25519 - 1n].map((y) => littleEndian(y, 32));
    const other = Buffer.from('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', 'hex');
    for (const key of [...small, ORDER_8, other]) assert.equal(of(edwards('ed25519', key)), REFUSED('key-well-formed'));
    const negative = Buffer.from(ORDER_8);
    negative.writeUInt8(negative.readUInt8(31) | 0x80, 31);
    assert.equal(of(edwards('ed25519', negative)), REFUSED('key-well-formed'));
    for (const y of [0n, 1n, P448 - 1n])
      assert.equal(of(edwards('ed448', littleEndian(y, 57))), REFUSED('key-well-formed'));
  });

  test('a value is below the prime, whatever the sign; x adds one bit', () => {
    const flaw = 'the key has the wrong form, or is a point of small order';
    for (const [kind, octets, prime] of [
      ['ed25519', 32, P25519],
      ['ed448', 57, P448],
    ] as const) {
      const sign = 1n << BigInt(8 * octets - 1);
      for (const y of [2n, prime - 2n, sign + 2n])
        assert.equal(flawOf(edwards(kind, littleEndian(y, octets))), 'none', `${kind} ${y}`);
      for (const y of [prime, prime + 3n, sign, sign + 1n, sign + prime - 1n])
        assert.equal(flawOf(edwards(kind, littleEndian(y, octets))), flaw, `${kind} ${y}`);
      assert.equal(flawOf(edwards(kind, littleEndian(2n, octets + 1))), flaw, 'another length');
    }
  });
});

test('DSA is refused under every profile (FIPS 186-5)', () => {
  const keys = generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 });
  for (const profile of PROFILES) {
    assert.equal(of(keys.publicKey.export({ type: 'spki', format: 'der' }), profile), REFUSED('key-strong'));
  }
});

test('ML-DSA keys have the sizes of FIPS 204, table 2', () => {
  for (const [last, size] of [
    [17, 1312],
    [18, 1952],
    [19, 2592],
  ] as const) {
    const flaw = (octets: number) =>
      flawOf(spkiOf([writeOid(`2.16.840.1.101.3.4.3.${last}`)], Buffer.alloc(octets, 1)));
    assert.deepEqual([flaw(size), flaw(size + 1)], ['none', 'the key has the wrong size']);
  }
});

test('keys are shown by kind and size or curve', () => {
  assert.equal(printKey(factsOf(spkiOf([writeOid(EC), P256], point))), 'EC P-256');
  assert.equal(printKey(factsOf(edwards('ed25519', Buffer.alloc(32, 9)))), 'ed25519');
});
