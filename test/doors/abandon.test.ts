import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { abandon } from '../../src/doors/server/abandon.ts';
import { makeAuthority } from '../authority.ts';

const UNREAD = Buffer.alloc(32 * 1024 * 1024);

/** What a caller meets that reads only after the service has ended the connection. */
async function readAfter(t: TestContext, end: (socket: Socket) => void, isTls: boolean): Promise<string> {
  const { pem: cert, key } = makeAuthority().issue({ commonName: 'localhost' });
  const server: Server = isTls ? createTlsServer({ cert, key }) : createServer();
  const accepted = once(server, isTls ? 'secureConnection' : 'connection');
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const to = { port: (server.address() as AddressInfo).port, host: '127.0.0.1', rejectUnauthorized: false };
  const caller = isTls ? connectTls(to) : connect(to);
  caller.pause();
  const [socket] = (await accepted) as [Socket];
  t.after(() => {
    caller.destroy();
    server.close();
  });
  const closed = once(
    socket.on('error', () => undefined),
    'close',
  );
  socket.write(UNREAD);
  await wait(50);
  end(socket);
  await closed;
  return await new Promise((resolve) => {
    caller.on('error', ({ code }: NodeJS.ErrnoException) => resolve(`${code}`)).on('close', () => resolve('end'));
    caller.resume();
  });
}

suite('a connection whose caller does not read', () => {
  for (const isTls of [false, true]) {
    const over = isTls ? 'over TLS' : 'without TLS';
    test(`is reset, and leaves nothing in the kernel, ${over}`, async (t) => {
      assert.equal(await readAfter(t, abandon, isTls), 'ECONNRESET');
    });
    test(`would be ended with what the kernel holds of it, if it were closed, ${over}`, async (t) => {
      assert.equal(await readAfter(t, (socket) => socket.destroy(), isTls), 'end');
    });
  }
});
