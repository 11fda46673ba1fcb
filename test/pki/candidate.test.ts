// What is read of a certificate before its signature was checked: hints for the search, and nothing that costs much.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { epochSeconds } from '../../src/core/time.ts';
import { contextTag, readElement, TAG } from '../../src/pki/der/der.ts';
import { write, writeOid, writeSequence } from '../../src/pki/der/der-write.ts';
import { Candidate, candidateOf, printNameOf, readCandidate } from '../../src/pki/x509/candidate.ts';
import { readCertificate } from '../../src/pki/x509/certificate.ts';
import { printName } from '../../src/pki/x509/distinguished-name.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { type CertificateOptions, makeAuthority } from '../authority.ts';
import { extension, keyIdentifier, nameOf } from '../signed-der.ts';
import { NOW } from './approved.ts';

const root = makeAuthority({ name: 'Root' });
const of = (options: CertificateOptions = {}) => new Candidate(root.issue(options).certificate);
const hex = (octets: Uint8Array | undefined) => octets && Buffer.from(octets).toString('hex');

suite('key identifiers', () => {
  const own = { without: ['subjectKeyIdentifier'] } as const;
  const above = { without: ['authorityKeyIdentifier'] } as const;
  const ownOf = (value: Uint8Array) =>
    hex(of({ ...own, extensions: [extension(EXTENSION.subjectKeyIdentifier, value)] }).keyIdentifier);
  const aboveOf = (value: Uint8Array) =>
    hex(of({ ...above, extensions: [extension(EXTENSION.authorityKeyIdentifier, value)] }).issuerKeyIdentifier);
  const octets = write(TAG.octetString, Uint8Array.of(7));
  const key = write(contextTag(0, 'primitive'), Uint8Array.of(8));

  test('are those of the certificate and of its issuer', () => {
    const candidate = new Candidate(root.makeIntermediate({ name: 'Below' }).certificate);
    assert.equal(hex(candidate.issuerKeyIdentifier), hex(keyIdentifier(root.keys)));
    assert.notEqual(hex(candidate.keyIdentifier), hex(candidate.issuerKeyIdentifier));
    assert.equal(hex(new Candidate(root.certificate).keyIdentifier), hex(keyIdentifier(root.keys)));
    assert.deepEqual([ownOf(octets), aboveOf(writeSequence(key))], ['07', '08']);
  });

  test('that are absent, malformed or of another kind are none', () => {
    const nothing = of({ without: ['subjectKeyIdentifier', 'authorityKeyIdentifier'] });
    assert.deepEqual([nothing.keyIdentifier, nothing.issuerKeyIdentifier], [undefined, undefined]);
    for (const value of [key, Uint8Array.of(), writeSequence(octets)]) assert.equal(ownOf(value), undefined);
    const serial = write(contextTag(2, 'primitive'), Uint8Array.of(8));
    for (const value of [octets, writeSequence(), writeSequence(serial, key), key])
      assert.equal(aboveOf(value), undefined);
    const four = [write(TAG.null), write(TAG.null), write(TAG.null)];
    assert.equal(aboveOf(writeSequence(key, ...four.slice(1))), '08');
    assert.equal(aboveOf(writeSequence(key, ...four)), undefined);
  });

  test('are not taken from extensions with similar identifiers', () => {
    for (const oid of ['2.5.30.14', '2.6.29.14', '2.5.29.15.14', '2.5.29.13', '1.2.14'])
      assert.equal(of({ ...own, extensions: [extension(oid, octets)] }).keyIdentifier, undefined, oid);
    for (const oid of ['2.5.30.35', '2.5.29.36', '2.5.29.34'])
      assert.equal(of({ ...above, extensions: [extension(oid, writeSequence(key))] }).issuerKeyIdentifier, undefined);
  });
});

suite('a candidate', () => {
  test('is valid from the first to the last second', () => {
    const candidate = of({ notBefore: '2026-11-15T12:00:00Z', notAfter: '2026-11-15T12:00:10Z' });
    const isValid = (after: number) => candidate.isValidAt(epochSeconds(NOW + after));
    assert.deepEqual([-1, 0, 10, 11].map(isValid), [false, true, true, false]);
    const malformed = of({ notAfterDer: write(TAG.utcTime, Buffer.from('4901010000Z')) });
    assert.deepEqual([malformed.validity, malformed.isValidAt(NOW)], [undefined, false]);
  });

  test('has a serial number of 20 octets at most', () => {
    const serialOf = (...serial: number[]) => of({ serial: Uint8Array.from(serial) }).serial;
    const twenty = Array<number>(20).fill(0x81);
    assert.deepEqual([serialOf(0), serialOf(0, 0x81), serialOf(0, ...twenty)], ['00', '81', '81'.repeat(20)]);
    assert.equal(serialOf(0, 0, ...twenty), undefined);
  });

  test('has names that are parsed when they are needed; malformed ones are none', () => {
    const candidate = of({ subject: nameOf(['a', 'b']) });
    assert.deepEqual([candidate.countRdns('subject'), candidate.countRdns('issuer')], [2, 1]);
    const name = candidate.nameOf('subject');
    assert.equal(name && printName(name), 'CN=a, CN=b');
    assert.equal(candidate.nameOf('subject'), name, 'parsed once');
    const malformed = of({ subject: writeSequence(writeOid('1.2.3')) });
    assert.deepEqual([malformed.nameOf('subject'), malformed.certificate.ok], [undefined, false]);
    const truncated = of({ subject: Uint8Array.of(TAG.sequence, 2, TAG.set, 0x85) });
    assert.equal(truncated.countRdns('subject'), undefined);
  });

  test('with a malformed key has none', () => {
    assert.equal(
      of({ spki: writeSequence(writeSequence(), write(TAG.bitString, Uint8Array.of(0))) }).publicKey,
      undefined,
    );
    assert.equal(of().publicKey?.family, 'ec');
  });

  test('is presented, unless it was made of a registered certificate, whose parts it has', () => {
    const read = readCertificate(root.certificate);
    const certificate = read.ok ? read.value : assert.fail();
    const registered = candidateOf(certificate);
    assert.deepEqual([registered.isPresented, of().isPresented], [false, true]);
    assert.equal(candidateOf(certificate), registered);
    assert.equal(registered.certificate.ok && registered.certificate.value, certificate);
    assert.equal(registered.nameOf('subject'), certificate.subject);
    assert.equal(registered.publicKey, certificate.publicKey);
    assert.equal(registered.validity?.notAfter, certificate.notAfter);
  });

  test('that cannot be read is refused', () => {
    assert.equal(readCandidate(Uint8Array.of(0x30, 0)).ok, false);
    assert.equal(readCandidate(root.certificate).ok, true);
  });
});

test('a name of more than 1024 octets is not printed, nor a malformed one', () => {
  const around = nameOf('x'.repeat(900)).length - 900;
  const printed = (name: Uint8Array) => printNameOf(readElement(name));
  assert.match(printed(nameOf('x'.repeat(1024 - around))), /^CN=x{50}/);
  assert.equal(printed(nameOf('x'.repeat(1025 - around))), '(a name of 1025 octets)');
  assert.equal(printed(writeSequence(writeSequence())), '(malformed name)');
});
