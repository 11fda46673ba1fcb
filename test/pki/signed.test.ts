// Which key can have made a signature, by what is cheap to check, and which signatures are verified at all.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { readElement, TAG } from '../../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../../src/pki/der/der-write.ts';
import { type PublicKeyFacts, readPublicKey } from '../../src/pki/x509/public-key.ts';
import {
  couldBeSignedBy,
  isSignedBy,
  readSigned,
  type SignatureAlgorithm,
  whyUnusable,
} from '../../src/pki/x509/signed.ts';
import { makeAuthority } from '../authority.ts';
import { ecKeys, integer, rsaKeys, spki } from '../signed-der.ts';

const root = makeAuthority();
const frame = readSigned(readElement(root.issue().certificate));
const factsOf = (der: Uint8Array) => readPublicKey(readElement(der));
const ownKey = factsOf(spki(root.keys));

suite('a key can have made a signature', () => {
  const RSA: SignatureAlgorithm = { name: '', family: 'rsa', keys: ['rsa'], digest: 'sha256', weak: false };
  const PSS: SignatureAlgorithm = { ...RSA, family: 'rsa-pss', keys: ['rsa', 'rsa-pss'], saltLength: 32 };
  const key: PublicKeyFacts = { spki: new Uint8Array(), family: 'rsa', bits: 2048, exponentBits: 17 };
  const could = (facts: Partial<PublicKeyFacts>, algorithm = RSA, octets = 256) =>
    couldBeSignedBy({ ...frame, algorithm, signature: new Uint8Array(octets) }, { ...key, ...facts });

  test('of its own kind, as long as the modulus (RFC 8017 8.2.2)', () => {
    assert.deepEqual(
      [255, 256, 257].map((octets) => could({}, RSA, octets)),
      [false, true, false],
    );
    assert.deepEqual([could({ bits: 2041 }), could({ bits: 2040 })], [true, false]);
    assert.equal(could({ family: 'rsa-pss' }, PSS), true);
    assert.equal(could({ family: 'rsa-pss' }), false);
    assert.equal(could({}, { ...RSA, family: 'unknown' }), false);
    assert.equal(couldBeSignedBy({ ...frame, signature: new Uint8Array(7) }, ownKey), true, 'of EC keys any');
  });

  test('with up to 8192 bits, an exponent of up to 32 bits, and without a flaw', () => {
    assert.deepEqual([could({ bits: 8192 }, RSA, 1024), could({ bits: 8193 }, RSA, 1025)], [true, false]);
    assert.deepEqual([could({ exponentBits: 32 }), could({ exponentBits: 33 })], [true, false]);
    assert.equal(could({ flaw: 'the modulus is even' }), false);
  });

  test('within the parameters of an RSA-PSS key (RFC 4055 3.3)', () => {
    const limited = { family: 'rsa-pss', pss: { digest: 'sha256', saltLength: 32 } } as const;
    const { saltLength: _, ...saltless } = PSS;
    for (const [algorithm, expected] of [
      [PSS, true],
      [{ ...PSS, saltLength: 33 }, true],
      [{ ...PSS, saltLength: 31 }, false],
      [saltless, false],
      [{ ...PSS, digest: 'sha384' }, false],
      [{ ...PSS, family: 'rsa' }, false],
    ] as const)
      assert.equal(could(limited, algorithm), expected);
  });
});

suite('a signature', () => {
  test('is verified with the key that made it', () => {
    assert.equal(isSignedBy(frame, ownKey), true);
    assert.equal(isSignedBy(frame, factsOf(spki(ecKeys()))), false);
    const signature = Uint8Array.from(frame.signature, (octet, at) => (at === 20 ? octet ^ 1 : octet));
    assert.equal(isSignedBy({ ...frame, signature }, ownKey), false);
    const unknown = { ...frame.algorithm, digest: 'nonsense' };
    assert.equal(isSignedBy({ ...frame, algorithm: unknown }, ownKey), false, 'and is no fault of the service');
    const rsa = makeAuthority({ keys: rsaKeys() });
    const byRsa = readSigned(readElement(rsa.issue().certificate));
    const pss = { digest: 'sha256', saltLength: 20 };
    const name = writeSequence(writeOid('2.16.840.1.101.3.4.2.1'));
    const mask = writeContext(1, writeSequence(writeOid('1.2.840.113549.1.1.8'), name));
    const algorithm = writeSequence(writeOid('1.2.840.113549.1.1.10'), writeSequence(writeContext(0, name), mask));
    const byPss = readSigned(readElement(rsa.issue({ algorithm, pss }).certificate));
    assert.deepEqual([byPss.algorithm.saltLength, isSignedBy(byPss, factsOf(spki(rsa.keys)))], [20, true]);
    assert.equal(
      isSignedBy({ ...byPss, algorithm: { ...byPss.algorithm, saltLength: 21 } }, factsOf(spki(rsa.keys))),
      false,
    );
    assert.deepEqual([isSignedBy(byRsa, factsOf(spki(rsa.keys))), isSignedBy(byRsa, ownKey)], [true, false]);
  });

  test('of a key that cannot be loaded is none', () => {
    const offCurve = Buffer.from(ownKey.spki);
    offCurve.writeUInt8(offCurve.readUInt8(offCurve.length - 1) ^ 1, offCurve.length - 1);
    const facts = factsOf(offCurve);
    assert.equal(whyUnusable(facts), 'it cannot be loaded, or is not on its curve');
    assert.equal(isSignedBy(frame, facts), false);
    assert.equal(whyUnusable({ ...facts, flaw: 'the modulus is even' }), 'the modulus is even');
    assert.equal(whyUnusable(ownKey), undefined);
  });
});

test('a signature algorithm has the parameters of its standard (RFC 3279, 4055, 5758, 8410)', () => {
  const read = (...algorithm: Uint8Array[]) => {
    const signature = write(TAG.bitString, Uint8Array.of(0, 1));
    const { name, family, digest, saltLength, weak } = readSigned(
      readElement(writeSequence(writeSequence(), writeSequence(...algorithm), signature)),
    ).algorithm;
    return [name, family, digest, saltLength, weak];
  };
  const nothing = write(TAG.null);
  const [rsaSha256, ecdsaSha256] = ['1.2.840.113549.1.1.11', '1.2.840.10045.4.3.2'].map(writeOid) as [
    Uint8Array,
    Uint8Array,
  ];
  for (const parameters of [[], [nothing]])
    assert.deepEqual(read(rsaSha256, ...parameters), ['RSA with sha256', 'rsa', 'sha256', undefined, false]);
  assert.deepEqual(read(ecdsaSha256), ['ECDSA with sha256', 'ecdsa', 'sha256', undefined, false]);
  assert.throws(() => read(ecdsaSha256, nothing), /must not have parameters/);
  assert.throws(() => read(rsaSha256, writeSequence()), /unexpected fields/);
  for (const [oid, isWeak] of [
    ['1.2.840.113549.1.1.4', true],
    ['1.2.840.113549.1.1.5', true],
    ['1.2.840.113549.1.1.14', false],
    ['1.2.840.10045.4.1', true],
    ['1.3.101.112', false],
    ['1.3.101.113', false],
    ['2.16.840.1.101.3.4.3.17', false],
    ['1.2.3', false],
  ] as const)
    assert.equal(read(writeOid(oid)).at(-1), isWeak, oid);
  assert.deepEqual(read(writeOid('1.2.3'), nothing, nothing).slice(0, 2), ['1.2.3', 'unknown']);
  const pss = writeOid('1.2.840.113549.1.1.10');
  assert.deepEqual(read(pss, writeSequence()), ['RSA-PSS with sha1', 'rsa-pss', 'sha1', 20, true]);
  const salt = writeContext(2, integer(Uint8Array.of(32)));
  assert.deepEqual(read(pss, writeSequence(salt)).slice(2, 4), ['sha1', 32]);
});
