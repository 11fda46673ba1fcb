// What the server sends of its own certificates, beside what OpenSSL would send by itself.
import assert from 'node:assert/strict';
import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { suite, test } from 'node:test';
import { connect, createServer, type TlsOptions } from 'node:tls';
import { type TlsFiles, tlsOptions } from '../../src/http/tls.ts';
import { makeAuthority } from '../authority.ts';

const root = makeAuthority({ name: 'Root' });
const intermediate = root.makeIntermediate();
const stranger = makeAuthority({ name: 'Stranger' });
const host = intermediate.issue({ commonName: 'localhost' });

const CASES: readonly {
  readonly what: string;
  readonly file: string;
  readonly issuers: string[];
  readonly sent: number;
}[] = [
  { what: 'alone, with all above it', file: host.pem, issuers: [stranger.pem, root.pem, intermediate.pem], sent: 3 },
  { what: 'alone, with a part of them', file: host.pem, issuers: [intermediate.pem], sent: 2 },
  { what: 'alone, and nobody knows its issuer', file: host.pem, issuers: [stranger.pem], sent: 1 },
  {
    what: 'with a chain of its own',
    file: host.pem + intermediate.pem,
    issuers: [root.pem, intermediate.pem],
    sent: 2,
  },
];

suite('the chain of the server', () => {
  for (const { what, file, issuers, sent } of CASES) {
    test(`${what}: is what OpenSSL would send`, async () => {
      const files: TlsFiles = { certificate: file, key: host.key, issuers, clientCertificates: 'request' };
      const ours = await chainSent(tlsOptions(files));
      assert.deepEqual(ours, await chainSent({ cert: file, key: host.key, ca: issuers, requestCert: true }));
      assert.equal(ours.length, sent);
    });
  }
});

/** Fingerprints, leaf first. */
async function chainSent(options: TlsOptions): Promise<string[]> {
  const server = createServer({ ...options, rejectUnauthorized: false });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(client, 'secureConnect');
  const sent: string[] = [];
  let next: X509Certificate | undefined = client.getPeerX509Certificate();
  for (; next && !sent.includes(next.fingerprint256); next = next.issuerCertificate) sent.push(next.fingerprint256);
  client.destroy();
  server.close();
  return sent;
}
