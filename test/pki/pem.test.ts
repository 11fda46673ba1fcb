// Files of certificates and lists: PEM with any text around it, or one DER.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPem, readPemOrDer, writeKeyPem, writePem } from '../../src/pki/der/pem.ts';

const octets = (count: number) => Uint8Array.from({ length: count }, (_, n) => (n + 0x30) % 256);

test('blocks are written with lines of 64 characters, and read again', () => {
  for (const count of [1, 48, 49, 96, 500]) {
    const pem = writePem(octets(count));
    const [first, ...lines] = pem.trimEnd().split('\n');
    assert.deepEqual([first, lines.pop()], ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----']);
    assert.ok(lines.slice(0, -1).every(({ length }) => length === 64) && (lines.at(-1)?.length ?? 0) <= 64);
    assert.deepEqual(readPem(pem, 'CERTIFICATE'), [octets(count)]);
  }
});

test('only blocks with the label are read, whatever is between them', () => {
  const file = `before\n${writePem(octets(5))}between${writeKeyPem(octets(6))}\n${writePem(octets(7))}after`;
  assert.deepEqual(readPem(file, 'CERTIFICATE'), [octets(5), octets(7)]);
  assert.deepEqual(readPem(file, 'X509 CRL'), []);
  const unequal = writePem(octets(5)).replace('END CERTIFICATE', 'END X509 CRL');
  assert.deepEqual(readPem(unequal, 'CERTIFICATE'), []);
});

test('a file that begins as DER does is one DER', () => {
  assert.deepEqual(readPemOrDer(octets(5), 'X509 CRL'), [octets(5)]);
  assert.deepEqual(readPemOrDer(Buffer.from(writePem(octets(5))), 'CERTIFICATE'), [octets(5)]);
  assert.deepEqual(readPemOrDer(octets(5).subarray(1), 'CERTIFICATE'), []);
  assert.deepEqual(readPemOrDer(new Uint8Array(), 'CERTIFICATE'), []);
});
