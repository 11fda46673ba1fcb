import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { isKeyCheap, whyHandshakeEnds } from '../../src/pki/x509/key-cost.ts';
import { makeAuthority } from '../authority.ts';
import { rsaKeys } from '../signed-der.ts';
import { rsaSpki } from './keys.ts';

const root = makeAuthority();
const withKey = (spki: Uint8Array) => root.issue({ spki }).certificate;
const exported = ({ publicKey }: ReturnType<typeof generateKeyPairSync>) =>
  publicKey.export({ type: 'spki', format: 'der' }) as Buffer;
const onCurve = (namedCurve: string, paramEncoding: 'named' | 'explicit' = 'named') =>
  withKey(exported(generateKeyPairSync('ec', { namedCurve, paramEncoding })));

const ROWS: [what: string, certificate: () => Uint8Array, isCheap: boolean][] = [
  ['RSA', () => withKey(exported(rsaKeys())), true],
  [
    'RSA with an exponent of 200 bits',
    () => withKey(withLongExponent(exported(generateKeyPairSync('rsa', { modulusLength: 2048 })))),
    false,
  ],
  [
    'RSA with an exponent of 64 bits',
    () => withKey(rsaSpki({ exponent: Uint8Array.of(0, ...Array(8).fill(0xff)) })),
    true,
  ],
  [
    'RSA with an exponent of 65 bits',
    () => withKey(rsaSpki({ exponent: Uint8Array.of(1, ...Array(8).fill(0xff)) })),
    false,
  ],
  ['P-256', () => onCurve('P-256'), true],
  ['P-521', () => onCurve('P-521'), true],
  ['a curve that an operator may allow', () => onCurve('brainpoolP512r1'), true],
  ['a curve that nobody may allow', () => onCurve('sect571r1'), false],
  ['P-224, where finding a square root is slow', () => onCurve('P-224'), false],
  ['P-256, spelled out', () => onCurve('P-256', 'explicit'), false],
  ['Ed25519', () => withKey(exported(generateKeyPairSync('ed25519'))), true],
  ['Ed448', () => withKey(exported(generateKeyPairSync('ed448'))), true],
  ['a key that does not sign', () => withKey(exported(generateKeyPairSync('x25519'))), false],
  ['DSA', () => withKey(exported(generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 }))), false],
  ['no certificate', () => Uint8Array.of(0x30, 0), false],
];

for (const [what, certificate, isCheap] of ROWS)
  test(`${what} is ${isCheap ? 'cheap' : 'refused'}`, () => {
    assert.equal(isKeyCheap(certificate()), isCheap);
  });

test('a handshake carries 10 KiB of certificates with acceptable keys', () => {
  const leaf = root.issue().certificate;
  const junk = (octets: number) => Buffer.alloc(octets - 4 - 2 * 5 - leaf.length);
  assert.equal(whyHandshakeEnds([leaf, leaf]), undefined);
  assert.equal(whyHandshakeEnds([junk(9_000)]), 'the leaf has a key that is never accepted');
  assert.equal(whyHandshakeEnds([leaf, junk(10_240)]), 'sent certificate 1 has a key that is never accepted');
  assert.equal(whyHandshakeEnds([leaf, junk(10_241)]), '10241 of at most 10240 octets');
});

/** Of an RSA key with 2048 bits: writes 25 octets for the three of its exponent. */
function withLongExponent(spki: Buffer): Buffer {
  const longer = Buffer.concat([spki.subarray(0, -5), Buffer.of(0x02, 25, 1), Buffer.alloc(24, 0x55)]);
  for (const at of [2, 21, 26]) longer.writeUInt16BE(longer.readUInt16BE(at) + 22, at);
  return longer;
}
