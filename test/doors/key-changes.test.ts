import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createServer, type TLSSocket } from 'node:tls';
import { rememberChains } from '../../src/doors/caller/handshake-chain.ts';
import { makeAuthority } from '../authority.ts';

test('a caller that does nothing but change its keys loses its connection, after many changes', async (t) => {
  const { pem: cert, key } = makeAuthority().issue({ commonName: 'localhost' });
  const server = createServer({ cert, key });
  rememberChains(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const caller = spawn('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, '-tls1_3'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  t.after(() => {
    caller.kill();
    server.close();
  });
  caller.stdin.on('error', () => undefined);
  const [socket] = (await once(server, 'secureConnection')) as [TLSSocket];
  socket.on('error', () => undefined).resume();
  let changes = 0;
  socket.on('keylog', () => {
    changes += 1;
  });
  // s_client looks at the first letter of what it reads: `k` changes its keys.
  for (let tried = 0; tried < 5_000 && !socket.destroyed; tried++) {
    caller.stdin.write('k\n');
    await wait(3);
  }
  assert.ok(socket.destroyed, `${changes} changes did not end the connection`);
  assert.ok(changes > 60, `it ended after ${changes} changes`);
});
