// The strict reader: two programs must not see two certificates in the same octets, and no octets may break it.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { nat, property, assert as propertyHolds, uint8Array } from 'fast-check';
import { readCertificate } from '../../src/pki/certificate.ts';
import { readRevocationList } from '../../src/pki/crl.ts';
import { childrenOf, MalformedDer, readElement } from '../../src/pki/der.ts';
import { readInteger, readOid, readTime } from '../../src/pki/der-values.ts';
import { readOcspResponse } from '../../src/pki/ocsp.ts';
import { makeAuthority } from '../authority.ts';
import { approve, verdict } from './approved.ts';

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));

suite('DER', () => {
  test('BER’s liberties are refused', () => {
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

  test('padded integers and object identifiers are refused', () => {
    for (const hex of ['02020001', '0202ff80', '0200'])
      assert.throws(() => readInteger(readElement(bytes(hex))), MalformedDer, hex);
    for (const hex of ['0602800a', '060155'.slice(0, 4), '060188', '0600'])
      assert.throws(() => readOid(readElement(bytes(hex))), MalformedDer, hex);
    assert.equal(readOid(readElement(bytes('0603551d11'))), '2.5.29.17');
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
    ]) {
      assert.throws(time(0x17, text), MalformedDer, text);
    }
    assert.throws(time(0x18, '20260101000000.5Z'), MalformedDer);
    assert.equal(time(0x17, '491231235959Z')(), Date.UTC(2049, 11, 31, 23, 59, 59) / 1000);
    assert.equal(time(0x17, '500101000000Z')(), Date.UTC(1950, 0, 1) / 1000);
  });
});

suite('octets of any kind', () => {
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

  test('in place of one octet of a certificate never get it accepted', () => {
    propertyHolds(
      property(nat(original.length - 1), nat(254), (position, change) => {
        const octets = new Uint8Array(original);
        octets[position] = (octets[position] ?? 0) ^ (change + 1);
        assert.doesNotMatch(verdict({ chain: [octets], issuers }), /^accepted/);
      }),
      { numRuns: 500 },
    );
  });

  test('cut from the end or added to it never get a certificate accepted', () => {
    for (let length = 0; length < original.length; length += 7) {
      assert.match(verdict({ chain: [original.subarray(0, length)], issuers }), /^certificate-unreadable/);
    }
    assert.match(verdict({ chain: [Buffer.concat([original, Uint8Array.of(0)])], issuers }), /^certificate-unreadable/);
  });
});
