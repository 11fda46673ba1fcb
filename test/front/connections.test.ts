// Connections: which are one, and which are closed.
// Needs: openssl
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { suite, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { ask, type Front, http1To, http2To, openFront, requestTo, statusOf } from './front.ts';

test('two connections from one address and port, to two addresses of the service, are two', async (t) => {
  const front = await openFront(t, {}, { plain: true, host: '0.0.0.0' });
  const to = async (host: string, localPort?: number) => {
    const socket = connect({ host, port: front.port, localAddress: '127.0.0.1', ...(localPort && { localPort }) });
    await once(socket, 'connect');
    return socket;
  };
  const first = await to('127.0.0.1');
  const second = await to('127.0.0.2', first.localPort);
  await eventually('both are counted', () => front.connections() === 2);
  first.destroy();
  await eventually('one is left', () => front.connections() === 1);
  second.write(requestTo('/now'));
  assert.match(String((await once(second, 'data'))[0]), /^HTTP\/1.1 200 /);
  second.destroy();
});

suite('connections that make no progress are closed', { concurrency: true }, () => {
  const SHORT = { requestTimeoutMs: 3_000, idleTimeoutMs: 3_000 };

  const STALLED: Readonly<Record<string, (front: Front, every: (act: () => void) => void) => Promise<unknown>>> = {
    'handshakes that do not begin, or do not end': async ({ port }) => {
      for (const bytes of ['', '160301020001'])
        connect({ port, host: '127.0.0.1', allowHalfOpen: true })
          .on('error', () => undefined)
          .resume()
          .write(Buffer.from(bytes, 'hex'));
    },
    'nothing is ever sent (HTTP/1.1)': (front) => http1To(front),
    'nothing is ever sent (HTTP/2)': (front) => once(http2To(front), 'remoteSettings'),
    'headers that drip': async (front, every) => {
      const { socket } = await http1To(front);
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nX-Slow: ');
      every(() => socket.writable && socket.write('x'));
    },
    'empty lines only, after a request': async (front, every) => {
      const { socket } = await http1To(front);
      socket.write(requestTo('/now'));
      every(() => socket.writable && socket.write('\r\n'));
    },
    'PINGs only, after a request': async (front, every) => {
      const session = http2To(front);
      await statusOf(session.request({ ':path': '/now' }));
      every(() => session.closed || session.destroyed || session.ping(() => undefined));
    },
    'key changes of TLS 1.3 only': async (front, every) => {
      const caller = spawn('openssl', ['s_client', '-connect', `127.0.0.1:${front.port}`, '-tls1_3']);
      let said = '';
      caller.stdin.on('error', () => undefined);
      caller.stderr.on('data', (bytes) => {
        said += bytes;
      });
      every(() => caller.stdin.writable && caller.stdin.write('k\n'));
      await eventually('it changes its keys', () => said.includes('KEYUPDATE'));
      assert.equal(await ask(front, '/now'), 200);
    },
    'answers that are not read (HTTP/1.1)': async (front) => {
      const { socket } = await http1To(front);
      socket.pause().write(requestTo('/big').repeat(16));
    },
  };
  for (const [what, begin] of Object.entries(STALLED))
    test(what, async (t) => {
      const front = await openFront(t, SHORT);
      const timers: NodeJS.Timeout[] = [];
      t.after(() => timers.forEach(clearInterval));
      await begin(front, (act) => timers.push(setInterval(act, 100)));
      await eventually('it has begun', () => front.connections() > 0);
      await eventually('all connections are closed', () => front.connections() === 0);
    });

  for (const [what, begun] of [
    ['headers', 'POST /work HTTP/1.1\r\nHost: x\r\nX-Slow: '],
    ['a body', requestTo('/work', 'POST', 'Content-Type: application/json\r\nContent-Length: 600\r\n')],
  ] as const)
    test(`${what}, drop by drop: a refusal in JSON comes first (HTTP/1.1)`, async (t) => {
      const front = await openFront(t, SHORT);
      const { socket, text, statuses, isClosed } = await http1To(front);
      socket.write(begun);
      const drip = setInterval(() => socket.writable && socket.write('x'), 100);
      t.after(() => clearInterval(drip));
      await eventually('the connection is closed', isClosed);
      assert.deepEqual(statuses(), [400]);
      assert.match(text(), /"Error_description":"The request took too long to arrive\."/);
    });
});
