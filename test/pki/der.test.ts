// The strict parser: no input has two readings, and none crashes it.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { nat, property, assert as propertyHolds, uint8Array } from 'fast-check';
import {
  childrenOf,
  countChildren,
  expectTag,
  type Fields,
  MalformedDer,
  readElement,
  readFields,
  TAG,
} from '../../src/pki/der/der.ts';
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
import { makeAuthority } from '../authority.ts';
import { approve, verdict } from './approved.ts';

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));

suite('DER', () => {
  test('BER encodings that are not DER are refused', () => {
    const berForms = {
      'an indefinite length': '3080020101',
      'a length that is not minimal': '308103020101',
      'a length with a leading zero': '30820003020101',
      'a length of 128 with a leading zero': `30820080${'0500'.repeat(64)}`,
      'a length of 32768 with a leading zero': `3083008000${'0500'.repeat(16_384)}`,
      'a primitive element that should hold others': '0400',
      'a length past the end': '300502',
      'a length of five octets': '30850000000003020101',
      'bytes after the element': '30000500',
      'nothing at all': '',
      'a tag of several octets': '1f810100',
    };
    for (const [what, hex] of Object.entries(berForms))
      assert.throws(() => childrenOf(readElement(bytes(hex))), MalformedDer, what);
  });

  test('a structure has at most 16 fields, and none behind those that are read', () => {
    const nulls = (count: number) =>
      readElement(writeSequence(...Array.from({ length: count }, () => write(TAG.null))));
    const skip = (fields: Fields) => fields.skip();
    readFields(nulls(16), skip);
    assert.throws(() => readFields(nulls(17), skip), /more than 16 elements/);
    assert.throws(() => readFields(nulls(1), () => undefined), /unexpected fields follow/);
    assert.throws(() => readFields(nulls(0), (fields) => fields.next()), /a field is missing/);
    assert.throws(() => expectTag(undefined, TAG.set), /expected tag 49, found nothing/);
    assert.throws(() => expectTag(nulls(0), TAG.set), /expected tag 49, found 48/);
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
    const long = [127, 128, 256].map((length) => write(TAG.octetString, Buffer.alloc(length)));
    assert.equal(countChildren(readElement(writeSequence(...long))), 3);
  });
});

suite('DER encoding', () => {
  for (const length of [0, 127, 128, 255, 256, 511, 512, 65_535, 65_536, 16_777_216]) {
    test(`${length} bytes are encoded and decoded`, () => {
      assert.equal(readElement(write(TAG.octetString, Buffer.alloc(length)), TAG.octetString).content.length, length);
    });
  }
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
