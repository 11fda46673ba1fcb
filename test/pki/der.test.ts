// The strict parser: no input has two readings, and none crashes it.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { nat, property, assert as propertyHolds, uint8Array } from 'fast-check';
import { childrenOf, contextTag, countChildren, MalformedDer, readElement, TAG } from '../../src/pki/der/der.ts';
import {
  readAscii,
  readBits,
  readBoolean,
  readCount,
  readInteger,
  readNamedBits,
  readNull,
  readOctetBits,
  readOid,
  readTime,
} from '../../src/pki/der/der-values.ts';
import { write, writeOid, writeSequence } from '../../src/pki/der/der-write.ts';
import { readRevocationList } from '../../src/pki/revocation/crl.ts';
import { readOcspResponse } from '../../src/pki/revocation/ocsp.ts';
import { readCertificate } from '../../src/pki/x509/certificate.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { makeAuthority } from '../authority.ts';
import { extension, utf8 } from '../signed-der.ts';
import { approve, verdict } from './approved.ts';

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));

suite('DER', () => {
  test('BER encodings that are not DER are refused', () => {
    const berForms = {
      'an indefinite length': '3080020101',
      'a length that is not minimal': '308103020101',
      'a length with a leading zero': '30820003020101',
      'a length past the end': '300502',
      'a length of five octets': '30850000000003020101',
      'bytes after the element': '30000500',
      'nothing at all': '',
      'a tag of several octets': '1f810100',
    };
    for (const [what, hex] of Object.entries(berForms))
      assert.throws(() => childrenOf(readElement(bytes(hex))), MalformedDer, what);
  });

  test('string types have the tags of X.680', () => {
    const { utf8, numeric, printable, teletex, videotex, ia5, graphic, visible, general, universal, bmp } = TAG;
    assert.deepEqual([utf8, numeric, printable, teletex, videotex, ia5], [0x0c, 0x12, 0x13, 0x14, 0x15, 0x16]);
    assert.deepEqual([graphic, visible, general, universal, bmp], [0x19, 0x1a, 0x1b, 0x1c, 0x1e]);
  });

  test('padded integers and object identifiers are refused', () => {
    for (const hex of ['02020001', '0202ff80', '0200'])
      assert.throws(() => readInteger(readElement(bytes(hex))), MalformedDer, hex);
    for (const hex of ['0602800a', '0603558001', '0604551d8011', '060155'.slice(0, 4), '060188', '0600'])
      assert.throws(() => readOid(readElement(bytes(hex))), MalformedDer, hex);
    assert.equal(readOid(readElement(bytes('0603551d11'))), '2.5.29.17');
    assert.equal(readOid(readElement(bytes('060455818000'))), '2.5.16384', 'a number continues after 80');
  });

  test('integers have the fewest octets, and counts at most four that are not negative', () => {
    for (const hex of ['020100', '0201ff', '02020080', '0202ff7f', '02020100'])
      assert.equal(Buffer.from(readInteger(readElement(bytes(hex)))).toString('hex'), hex.slice(4));
    const counts = { '020100': 0, '02017f': 127, '02020080': 128, '02020102': 258, '02047fffffff': 2 ** 31 - 1 };
    for (const [hex, count] of Object.entries(counts)) assert.equal(readCount(readElement(bytes(hex))), count, hex);
    for (const hex of ['0201ff', '020180', '02050100000000'])
      assert.throws(() => readCount(readElement(bytes(hex))), MalformedDer, hex);
  });

  test('object identifiers are written as they are read', () => {
    const first = ['0.0', '0.39', '1.0', '1.39', '2.0', '2.39', '2.40', '2.47'];
    for (const oid of [...first, '2.5.29.17', '1.2.840.113549', '1.3.127', '1.3.128', '1.3.16383', '1.3.16384'])
      assert.equal(readOid(readElement(writeOid(oid))), oid);
    assert.equal(readOid(readElement(bytes('06028837'))), '2.999');
  });

  test('object identifiers are exact up to 128 bits: their last numbers may be UUIDs (X.667)', () => {
    for (const [arc, printed] of [
      ['ffffffffffff7f', '562949953421311'],
      ['ffffffffffffff7f', '72057594037927935'],
      [`83${'ff'.repeat(17)}7f`, String(2n ** 128n - 1n)],
    ] as const)
      assert.equal(readOid(readElement(write(TAG.oid, bytes(`69${arc}`)))), `2.25.${printed}`);
    for (const tooLarge of [`69${'ff'.repeat(19)}7f`, 'ffffffffffffff7f'])
      assert.throws(() => readOid(readElement(write(TAG.oid, bytes(tooLarge)))), MalformedDer);
  });

  test('bit strings say how many bits are unused, at most seven, and have these bits', () => {
    assert.deepEqual(readBits(readElement(bytes('030100'))), { unused: 0, octets: bytes('') });
    assert.deepEqual(readBits(readElement(bytes('03020780'))), { unused: 7, octets: bytes('80') });
    for (const hex of ['0300', '030101', '030108', '03020880'])
      assert.throws(() => readBits(readElement(bytes(hex))), MalformedDer, hex);
    assert.deepEqual(readOctetBits(readElement(bytes('03030001ff'))), bytes('01ff'));
    for (const hex of ['0300', '03020180'])
      assert.throws(() => readOctetBits(readElement(bytes(hex))), MalformedDer, hex);
  });

  test('named bits count from the highest of each octet, in at most 32 octets', () => {
    const bits = (hex: string) => [...readNamedBits(readElement(bytes(hex)))];
    assert.deepEqual(bits('0304070180ff'), [7, 8, 16], 'unused bits do not count');
    assert.deepEqual(bits('030205a0'), [0, 2]);
    assert.deepEqual(bits(`032100${'00'.repeat(31)}01`), [255]);
    assert.throws(() => bits(`032200${'00'.repeat(32)}01`), MalformedDer);
  });

  test('an IA5String has octets up to 127', () => {
    assert.equal(readAscii(bytes('417f')), 'A\x7f');
    assert.throws(() => readAscii(bytes('4180')), MalformedDer);
  });

  test('times without seconds, with an offset or on days that do not exist are refused', () => {
    const time = (tag: number, text: string) => () =>
      readTime(readElement(Buffer.concat([Uint8Array.of(tag, text.length), Buffer.from(text)])));
    for (const text of [
      '2601010000Z',
      '260101000000+0100',
      '260230000000Z',
      '261301000000Z',
      '260101240000Z',
      '260101000060Z',
      '260101006000Z',
    ]) {
      assert.throws(time(0x17, text), MalformedDer, text);
    }
    assert.throws(time(0x18, '20260101000000.5Z'), MalformedDer);
    assert.equal(time(0x17, '491231235959Z')(), Date.UTC(2049, 11, 31, 23, 59, 59) / 1000);
    assert.equal(time(0x17, '500101000000Z')(), Date.UTC(1950, 0, 1) / 1000);
  });
});

suite('DER encoding', () => {
  for (const length of [0, 127, 128, 255, 256, 511, 512, 65_535, 65_536, 16_777_216]) {
    test(`${length} bytes are encoded and decoded`, () => {
      assert.equal(readElement(write(TAG.octetString, Buffer.alloc(length)), TAG.octetString).content.length, length);
    });
  }
});

suite('DER in certificates', () => {
  const root = makeAuthority();
  const of = (options: Parameters<typeof root.issue>[0], profile: 'rfc5280' | 'strict' = 'rfc5280') =>
    verdict({ chain: root.issue(options).chain, issuers: [approve(root, { profile })] });
  const MALFORMED = 'certificate-refused-by-policy: extensions-well-formed';
  const policy = (oid: string, ...more: Uint8Array[]) => writeSequence(writeOid(oid), ...more);
  const policies = (...all: Uint8Array[]) => [extension(EXTENSION.certificatePolicies, writeSequence(...all))];

  test('true is FF, false is 00, NULL is empty (X.690 11.1, 8.8.2)', () => {
    for (const [hex, value] of [
      ['0101ff', true],
      ['010100', false],
    ] as const)
      assert.equal(readBoolean(readElement(bytes(hex))), value);
    for (const hex of ['010101', '010180', '0100', '0102ffff'])
      assert.throws(() => readBoolean(readElement(bytes(hex))), MalformedDer, hex);
    readNull(readElement(bytes('0500')));
    assert.throws(() => readNull(readElement(bytes('050100'))), MalformedDer);
  });

  test('children are counted without being parsed', () => {
    assert.equal(countChildren(readElement(bytes('3006020101020102'))), 2);
    assert.equal(countChildren(readElement(bytes('3000'))), 0);
  });

  test('padding bits of key usage must be zero (X.690 11.2.1)', () => {
    const usage = (...octets: number[]) => ({
      extensions: [extension(EXTENSION.keyUsage, write(TAG.bitString, Uint8Array.from(octets)), true)],
    });
    assert.equal(of(usage(7, 0x80)), 'accepted caller');
    for (const octets of [[7, 0x81], [7, 0xc0], [1, 0x81], [8, 0x80], [1]])
      assert.equal(of(usage(...octets)), MALFORMED);
  });

  test('a GeneralizedTime is accepted before 2050 too, as by other programs, except by profile strict (RFC 5280 4.1.2.5)', () => {
    const until = (text: string) => ({ notAfterDer: write(TAG.generalizedTime, Buffer.from(text)) });
    const strict = (text: string) =>
      verdict({ chain: root.issue(until(text)).chain, issuers: [approve(root, { profile: 'strict' })] });
    for (const year of ['2049', '2050']) assert.equal(of(until(`${year}1231235959Z`)), 'accepted caller');
    assert.equal(strict('20500101000000Z'), 'accepted caller');
    assert.equal(strict('20491231235959Z'), 'certificate-refused-by-policy: dates-encoded');
    assert.equal(of(until('20251231235959Z')), 'certificate-expired: expired');
  });

  test('a policy named twice is refused (RFC 5280 4.2.1.4)', () => {
    assert.equal(of({ extensions: policies(policy('1.2.3'), policy('1.2.4')) }), 'accepted caller');
    assert.equal(of({ extensions: policies(policy('1.2.3'), policy('1.2.3')) }), MALFORMED);
  });

  test('a policy has an identifier and qualifiers, and nothing else (RFC 5280 4.2.1.4)', () => {
    const qualifier = writeSequence(writeOid('1.3.6.1.5.5.7.2.1'), write(TAG.ia5, Buffer.from('https://x')));
    assert.equal(of({ extensions: policies(policy('1.2.3', writeSequence(qualifier))) }), 'accepted caller');
    for (const more of [[write(TAG.null)], [writeSequence()], [writeSequence(qualifier), write(TAG.null)]]) {
      assert.equal(of({ extensions: policies(policy('1.2.3', ...more)) }), MALFORMED);
    }
  });

  test('an unknown policy qualifier is refused only if the extension is critical (RFC 5280 4.2.1.4)', () => {
    const value = (oid: string) =>
      writeSequence(policy('1.2.3', writeSequence(writeSequence(writeOid(oid), utf8('x')))));
    const critical = (oid: string) => ({ extensions: [extension(EXTENSION.certificatePolicies, value(oid), true)] });
    assert.equal(of(critical('1.2.3.4')), 'certificate-refused-by-policy: policy-qualifiers-known');
    for (const known of ['1.3.6.1.5.5.7.2.1', '1.3.6.1.5.5.7.2.2'])
      assert.equal(of(critical(known)), 'accepted caller');
    assert.equal(of({ extensions: [extension(EXTENSION.certificatePolicies, value('1.2.3.4'))] }), 'accepted caller');
  });

  test('an empty directoryName is refused by profile strict (RFC 5280 4.2.1.6)', () => {
    const empty = { alternativeNames: [write(contextTag(4, 'constructed'), writeSequence())] };
    assert.equal(of(empty, 'strict'), 'certificate-refused-by-policy: alternative-names-well-formed');
    assert.equal(of(empty), 'accepted caller');
  });

  test('a certificate of more than 64 KiB is not parsed', () => {
    const filled = (octets: number) => ({ extensions: [extension('1.2.3', Buffer.alloc(octets))] });
    assert.equal(of(filled(60_000)), 'accepted caller');
    assert.equal(of(filled(66_000)), 'certificate-unreadable: readable');
  });

  test('an overlong sequence is not parsed', () => {
    const dnsNames = Array.from({ length: 1_025 }, () => 'a.b');
    assert.equal(of({ dnsNames }), MALFORMED);
    assert.equal(of({ dnsNames: dnsNames.slice(1) }), 'accepted caller');
  });
});

suite('arbitrary bytes', () => {
  const authority = makeAuthority();
  const original = authority.issue({ emails: ['john@x.com'], upns: ['john@x'] }).certificate;
  const issuers = [approve(authority)];

  test('never make a reader throw', () => {
    propertyHolds(
      property(uint8Array({ maxLength: 200 }), (octets) => {
        for (const read of [readCertificate, readRevocationList, readOcspResponse])
          assert.equal(read(octets).ok, false);
      }),
      { numRuns: 300 },
    );
  });

  test('in place of one byte of a certificate never get it accepted', () => {
    propertyHolds(
      property(nat(original.length - 1), nat(254), (position, change) => {
        const octets = new Uint8Array(original);
        octets[position] = (octets[position] ?? 0) ^ (change + 1);
        assert.doesNotMatch(verdict({ chain: [octets], issuers }), /^accepted/);
      }),
      { numRuns: 500 },
    );
  });

  test('in place of any of the first bytes, among them the lengths within names, are refused without a fault', () => {
    for (let position = 0; position < 200; position++) {
      const octets = new Uint8Array(original);
      octets[position] = (octets[position] ?? 0) ^ 1;
      assert.doesNotMatch(verdict({ chain: [octets], issuers }), /^accepted/);
    }
  });

  test('removed from or added to the end never get a certificate accepted', () => {
    for (let length = 0; length < original.length; length += 7) {
      assert.match(verdict({ chain: [original.subarray(0, length)], issuers }), /^certificate-unreadable/);
    }
    assert.match(verdict({ chain: [Buffer.concat([original, Uint8Array.of(0)])], issuers }), /^certificate-unreadable/);
  });
});
