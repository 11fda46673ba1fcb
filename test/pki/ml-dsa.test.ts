// ML-DSA (FIPS 204, RFC 9881), alone and in chains with classical keys.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { suite, test } from 'node:test';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { chainOf } from '../../src/doors/caller/presented-certificate.ts';
import { makeAuthority } from '../authority.ts';
import { algorithmOf, ecKeys, type KeyPair } from '../signed-der.ts';
import { approve, CRL_REQUIRED, verdict } from './approved.ts';

type Kind = 'ml-dsa-44' | 'ml-dsa-65' | 'ml-dsa-87';
const KINDS: readonly Kind[] = ['ml-dsa-44', 'ml-dsa-65', 'ml-dsa-87'];
const keysOf = (kind: Kind): KeyPair => generateKeyPairSync(kind as 'ed25519');

suite('ML-DSA', () => {
  for (const kind of KINDS) {
    test(`${kind} is accepted if the issuer allows it, and refused otherwise`, () => {
      const root = makeAuthority({ keys: keysOf(kind) });
      const { chain } = root.makeIntermediate({ keys: keysOf(kind) }).issue({ keys: keysOf(kind) });
      assert.equal(verdict({ chain, issuers: [approve(root, { mlDsa: true })] }), 'accepted caller');
      assert.equal(verdict({ chain, issuers: [approve(root)] }), 'certificate-refused-by-policy: key-strong');
    });
  }

  test('may be mixed with other keys, on any level', () => {
    for (const kinds of [
      ['ml-dsa-65', 'ec', 'ec'],
      ['ec', 'ml-dsa-44', 'ec'],
      ['ec', 'ec', 'ml-dsa-87'],
    ] as const) {
      const [top, middle, leaf] = kinds.map((kind) => (kind === 'ec' ? ecKeys() : keysOf(kind)));
      assert.ok(top && middle && leaf);
      const root = makeAuthority({ keys: top });
      const { chain } = root.makeIntermediate({ keys: middle }).issue({ keys: leaf });
      assert.equal(verdict({ chain, issuers: [approve(root, { mlDsa: true })] }), 'accepted caller', kinds.join());
      assert.equal(verdict({ chain, issuers: [approve(root)] }), 'certificate-refused-by-policy: key-strong');
    }
  });

  test('signs revocation lists', () => {
    const root = makeAuthority({ keys: keysOf('ml-dsa-65') });
    const { chain, serial } = root.issue();
    const issuers = [approve(root, { mlDsa: true, revocation: CRL_REQUIRED })];
    assert.equal(verdict({ chain, issuers, crls: [root.crl()] }), 'accepted caller');
    assert.equal(
      verdict({ chain, issuers, crls: [root.crl({ revoked: [serial] })] }),
      'certificate-revoked: crl-revoked',
    );
  });

  test('is refused by profile strict, which follows the CA/Browser Forum', () => {
    const root = makeAuthority();
    const { chain } = root.issue({ keys: keysOf('ml-dsa-65') });
    const issuers = [approve(root, { mlDsa: true, profile: 'strict' })];
    assert.equal(verdict({ chain, issuers }), 'certificate-refused-by-policy: key-kind');
  });

  test('a signature that names another set of parameters than its key is refused', () => {
    const root = makeAuthority({ keys: keysOf('ml-dsa-65') });
    const { chain } = root.issue({ algorithm: algorithmOf(keysOf('ml-dsa-44')) });
    assert.match(verdict({ chain, issuers: [approve(root, { mlDsa: true })] }), /issuer-not-approved/);
  });

  test('a changed certificate or signature is refused', () => {
    const root = makeAuthority({ keys: keysOf('ml-dsa-44') });
    const { certificate } = root.issue();
    for (const at of [60, certificate.length - 1, certificate.length - 2000]) {
      const changed = Buffer.from(certificate);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      assert.notEqual(verdict({ chain: [changed], issuers: [approve(root, { mlDsa: true })] }), 'accepted caller');
    }
  });

  test('works in a handshake', async () => {
    const root = makeAuthority({ keys: keysOf('ml-dsa-44') });
    const caller = root.issue({ keys: keysOf('ml-dsa-44') });
    const host = makeAuthority().issue({ commonName: 'localhost' });
    const server = createServer({ cert: host.pem, key: host.key, requestCert: true, rejectUnauthorized: false });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, cert: caller.pem, key: caller.key });
    const [socket] = (await once(server, 'secureConnection')) as [TLSSocket];
    assert.equal(verdict({ chain: chainOf(socket), issuers: [approve(root, { mlDsa: true })] }), 'accepted caller');
    client.destroy();
    server.close();
  });
});
