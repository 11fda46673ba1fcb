import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createServer } from 'node:tls';
import { tlsOptions } from '../../src/doors/server/tls.ts';
import { makeAuthority } from '../authority.ts';

test('a connection is not read before its handshake may begin', async (t) => {
  const { pem: certificate, key } = makeAuthority().issue({ commonName: 'localhost' });
  const server = createServer(tlsOptions({ certificate, key, clientCertificates: 'off', issuers: [] }, 10_000));
  server.removeAllListeners('connection');
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const caller = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [waiting]: Socket[] = await once(server, 'connection');
  t.after(() => {
    caller.destroy();
    waiting?.destroy();
    server.close();
  });
  await new Promise<void>((resolve) => caller.write('what begins a handshake', () => resolve()));
  await wait(50);
  assert.equal(waiting?.bytesRead, 0);
});
