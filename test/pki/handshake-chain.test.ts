// The chain as it arrives in a real handshake.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { suite, test } from 'node:test';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { chainOf } from '../../src/doors/caller/presented-certificate.ts';
import { type Issued, makeAuthority } from '../authority.ts';

const root = makeAuthority({ name: 'Root' });
const intermediate = root.makeIntermediate();
const host = root.issue({ commonName: 'localhost' });

suite('the chain of a handshake', () => {
  test('keeps its intermediate after OpenSSL has accepted it (nodejs/node#65579)', async () => {
    const caller = intermediate.issue();
    const { chain } = await shake(caller, caller.pem + intermediate.pem);
    assert.deepEqual(
      chain.slice(0, 2),
      caller.chain.map((der) => Buffer.from(der)),
    );
  });

  test('has every certificate that was sent, in order, including duplicates', async () => {
    const lower = intermediate.makeIntermediate({ name: 'Lower' });
    const caller = lower.issue();
    const sent = [caller, lower, lower, root, intermediate];
    const { chain } = await shake(caller, sent.map(({ pem }) => pem).join(''));
    assert.deepEqual(
      chain,
      sent.map(({ certificate }) => Buffer.from(certificate)),
    );
  });

  test('is empty where the client sent no certificate', async () => {
    assert.deepEqual((await shake()).chain, []);
  });
});

interface Shaken {
  readonly chain: readonly Uint8Array[];
  /** How often it was read before `chain` was asked for. */
  readonly reads: number;
  readonly authorized: boolean;
}

async function shake(caller?: Issued, cert?: string): Promise<Shaken> {
  const server = createServer({
    cert: host.pem,
    key: host.key,
    ca: root.pem,
    requestCert: true,
    rejectUnauthorized: false,
  });
  const asked: unknown[] = [];
  server.on('keylog', (_line: Buffer, socket: TLSSocket & { _handle: { getPeerX509Certificate(): unknown } }) => {
    const { _handle: handle } = socket;
    const read = handle.getPeerX509Certificate.bind(handle);
    handle.getPeerX509Certificate = () => {
      asked.push(handle);
      return read();
    };
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const presented = caller && cert ? { cert, key: caller.key } : {};
  const client = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...presented });
  const [socket] = (await once(server, 'secureConnection')) as [TLSSocket];
  const reads = asked.length;
  const seen = { chain: chainOf(socket), reads, authorized: socket.authorized };
  client.destroy();
  server.close();
  return seen;
}
