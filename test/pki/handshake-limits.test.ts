// The dry run and the listener agree on what a handshake can carry.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { connect, createServer } from 'node:tls';
import { canInspect, inspectHandshakes } from '../../src/front/certificate-inspection.ts';
import { tlsOptions } from '../../src/front/tls.ts';
import { TAG } from '../../src/pki/der/der.ts';
import { write } from '../../src/pki/der/der-write.ts';
import { writePem } from '../../src/pki/der/pem.ts';
import { explainFiles, explainHandshake } from '../../src/pki/judge/explain.ts';
import { makeAuthority } from '../authority.ts';
import { ecKeys, extension } from '../signed-der.ts';
import { NOW } from './approved.ts';
import { rsaSpki } from './keys.ts';

const root = makeAuthority();
const good = root.issue();
const padded = (octets: number) => extension('1.2.3.4', write(TAG.octetString, Buffer.alloc(octets)));
const spkiOf = ({ publicKey }: ReturnType<typeof generateKeyPairSync>) =>
  new Uint8Array(publicKey.export({ type: 'spki', format: 'der' }));
/** A leaf after which the chain has exactly this many octets in a handshake. */
function leafOf(octets: number) {
  const probe = root.issue({ keys: good.keys, extensions: [padded(8_000)] }).certificate.length;
  const leaf = root.issue({ keys: good.keys, extensions: [padded(8_000 + octets - 4 - 5 - probe)] }).certificate;
  return leaf;
}
const exactly = (octets: number) => {
  // Signatures differ by an octet or two.
  for (;;) {
    const leaf = leafOf(octets);
    if (leaf.length + 9 === octets) return leaf;
  }
};
const beside = (spki: Uint8Array) => [good.certificate, root.issue({ spki }).certificate];

const CHAINS: Readonly<Record<string, readonly Uint8Array[]>> = {
  'an ordinary certificate': [good.certificate],
  'a certificate of 12 KB': [root.issue({ keys: good.keys, extensions: [padded(12_000)] }).certificate],
  'a chain of exactly 10 KiB': [exactly(10_240)],
  'a chain one octet longer': [exactly(10_241)],
  'an RSA exponent of 80 bits': beside(rsaSpki({ exponent: Buffer.alloc(10, 0x55) })),
  'an RSA exponent of 64 bits': beside(rsaSpki({ exponent: Buffer.concat([Buffer.of(0), Buffer.alloc(8, 0xff)]) })),
  'an RSA exponent of 65 bits': beside(rsaSpki({ exponent: Buffer.concat([Buffer.of(1), Buffer.alloc(8, 0xff)]) })),
  'P-224': beside(spkiOf(ecKeys('P-224') as ReturnType<typeof generateKeyPairSync>)),
  secp256k1: beside(spkiOf(ecKeys('secp256k1') as ReturnType<typeof generateKeyPairSync>)),
  'P-521': beside(spkiOf(ecKeys('P-521') as ReturnType<typeof generateKeyPairSync>)),
  'ML-DSA': beside(spkiOf(generateKeyPairSync('ml-dsa-44' as 'ed25519'))),
};
const CARRIED = [
  'an ordinary certificate',
  'a chain of exactly 10 KiB',
  'an RSA exponent of 64 bits',
  'P-521',
  'ML-DSA',
];

test('what a handshake carries, the dry run accepts, and nothing else', async (t) => {
  if (!(await canInspect())) return t.skip(`Node ${process.version} is not one it was proven on`);
  const own = root.issue({ commonName: 'localhost' });
  const files = { certificate: own.pem, key: own.key, clientCertificates: 'request', issuers: [] } as const;
  const server = createServer(tlsOptions(files, 10_000));
  inspectHandshakes(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  for (const [what, chain] of Object.entries(CHAINS)) {
    const caller = connect({
      ...{ port, host: '127.0.0.1', rejectUnauthorized: false },
      ...{ cert: chain.map(writePem).join(''), key: good.key },
    });
    caller.on('error', () => undefined);
    const isCarried = await Promise.race([
      once(server, 'secureConnection').then(() => true),
      once(server, 'tlsClientError').then(() => false),
    ]);
    caller.destroy();
    const [certificate = assert.fail(), ...rest] = chain;
    const judged = explainFiles({ certificate, chain: rest, issuers: [root.certificate], now: NOW });
    const explained = explainHandshake(judged, chain);
    assert.equal(isCarried, CARRIED.includes(what), what);
    assert.equal(explained.steps[0]?.rule, 'handshake');
    assert.equal(explained.steps[0]?.passed, isCarried, `${what}: ${explained.steps[0]?.words}`);
    assert.equal(explained.accepted, isCarried, what);
  }
});

test('the dry run refuses by the limits of a handshake, and says so', () => {
  const chain = CHAINS['a certificate of 12 KB'] ?? assert.fail();
  const judged = explainFiles({ certificate: chain[0] ?? assert.fail(), issuers: [root.certificate], now: NOW });
  const { accepted, refusal, steps } = explainHandshake(judged, chain);
  assert.deepEqual({ accepted, rule: refusal?.rule }, { accepted: false, rule: 'handshake' });
  assert.match(steps[0]?.words ?? '', /carries the certificates: \d+ of at most 10240 octets/);
});
