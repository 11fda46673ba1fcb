// OpenSSL's verdict through Node: one handshake per chain, and the server socket's authorizationError.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { writePem } from '../../../src/pki/der/pem.ts';
import { makeAuthority } from '../../../test/authority.ts';

export interface Openssl {
  /** `good`, OpenSSL's code, or `no handshake: …` if TLS could not present the certificate. */
  ask(chain: readonly Uint8Array[], key: string): Promise<string>;
  close(): void;
}

// Weak keys and signatures must reach the verifier, not fail in the client.
const LENIENT = { ciphers: 'DEFAULT:@SECLEVEL=0', rejectUnauthorized: false } as const;

export async function startOpenssl(roots: readonly string[]): Promise<Openssl> {
  const host = makeAuthority({ name: 'Host' }).issue({ commonName: 'localhost' });
  const server = createServer({ ...LENIENT, cert: host.pem, key: host.key, ca: [...roots], requestCert: true });
  server.on('tlsClientError', () => undefined);
  server.on('secureConnection', (socket) => {
    socket.on('error', () => undefined);
    socket.end(opinionOf(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { ask: (chain, key) => shake(port, chain, key), close: () => server.close() };
}

function opinionOf(socket: TLSSocket): string {
  if (socket.authorized) return 'good';
  return String(socket.authorizationError ?? 'no certificate');
}

function shake(port: number, chain: readonly Uint8Array[], key: string): Promise<string> {
  return new Promise((resolve) => {
    try {
      const client = connect({ ...LENIENT, host: '127.0.0.1', port, key, cert: chain.map(writePem).join('') });
      let said = '';
      client.on('data', (octets: Buffer) => {
        said += octets.toString('utf8');
      });
      client.on('error', ({ message }) => resolve(`no handshake: ${message.slice(0, 60)}`));
      client.on('close', () => resolve(said || 'no handshake'));
    } catch (fault) {
      resolve(`no handshake: ${(fault as { code?: string }).code ?? 'unknown'}`);
    }
  });
}
