// Connections: who may open one, who yields, and who is closed.
// Needs: openssl
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { suite, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { LEAST_IDLE_MS } from '../../src/front/limits.ts';
import { eventually } from '../eventually.ts';
import { ask, type Front, http1To, http2To, openFront, type Raw, requestTo, statusOf } from './front.ts';

async function open(front: Front, count: number, from?: string): Promise<Raw[]> {
  const callers: Raw[] = [];
  for (let n = 0; n < count; n++) callers.push(await http1To(front, from));
  return callers;
}

const close = (callers: readonly Raw[]) => {
  for (const { socket } of callers) socket.destroy();
};

/** An address that holds no share yet. */
const NEWCOMER = { from: '127.0.9.2' };

suite('over the limit', { concurrency: true }, () => {
  test('the connection that has been idle for longest yields: not those in use, nor those used later', async (t) => {
    const front = await openFront(t, { connections: 6 });
    const callers = await open(front, 5);
    const [busy, slow, first, used, second] = callers as [Raw, Raw, Raw, Raw, Raw];
    const session = http2To(front);
    await once(session, 'remoteSettings');
    busy.socket.write(requestTo('/work'));
    slow.socket.write(`${requestTo('/work', 'POST', 'Content-Type: application/json\r\nContent-Length: 2\r\n')}{`);
    await wait(LEAST_IDLE_MS / 2);
    used.socket.write(requestTo('/now'));
    assert.equal(await statusOf(session.request({ ':path': '/now' })), 200);
    await wait(LEAST_IDLE_MS / 2 + 100);
    assert.equal(await ask(front, '/now', NEWCOMER), 200);
    await eventually('one yields', first.isClosed);
    callers.push(await http1To(front, NEWCOMER.from));
    assert.deepEqual(
      [busy, slow, used, second].map(({ isClosed }) => isClosed()),
      [false, false, false, false],
    );
    callers.push(await http1To(front, NEWCOMER.from));
    await eventually('the next one yields', second.isClosed);
    assert.equal(front.connections(), 6);
    front.goOn();
    await eventually('the busy one is answered', () => busy.statuses().length === 1);
    close(callers);
    session.destroy();
  });

  test('if no connection has been idle for a second, the newcomer is closed', async (t) => {
    const front = await openFront(t, { connections: 4 });
    await eventually('all of it within a second, also on a busy machine', async () => {
      const began = performance.now();
      const callers = await open(front, 4);
      const newcomer = await http1To(front, NEWCOMER.from);
      const isInTime = performance.now() - began < LEAST_IDLE_MS;
      if (isInTime) await eventually('the newcomer is closed', newcomer.isClosed);
      const isAnyClosed = callers.some(({ isClosed }) => isClosed());
      close([...callers, newcomer]);
      await eventually('there is room', () => front.connections() === 0);
      if (isInTime) assert.equal(isAnyClosed, false);
      return isInTime;
    });
    assert.equal(await ask(front, '/now'), 200);
  });

  test('the connection of a proxy does not yield', async (t) => {
    const front = await openFront(t, { connections: 3 }, { proxies: ['127.0.0.1'] });
    const callers = [...(await open(front, 2)), ...(await open(front, 1, '127.0.9.2'))];
    await wait(LEAST_IDLE_MS + 100);
    assert.equal(await ask(front, '/now', { from: '127.0.10.2' }), 200);
    assert.deepEqual(
      callers.map(({ isClosed }) => isClosed()),
      [false, false, true],
    );
    close(callers);
  });
});

test('an address, and a network, can hold a share of the connections; a listed proxy any number', async (t) => {
  const limits = { connections: 20, addressShare: 20, networkShare: 30 };
  const front = await openFront(t, limits, { proxies: ['127.0.0.1'] });
  const callers = [...(await open(front, 6, '127.0.9.2')), ...(await open(front, 6, '127.0.9.3'))];
  callers.push(...(await open(front, 8)), ...(await open(front, 1, '127.0.10.2')));
  await wait(50);
  const isOpen = callers.map(({ isClosed }) => !isClosed());
  const taken = (from: number, to: number) => isOpen.slice(from, to).filter(Boolean).length;
  assert.deepEqual([taken(0, 6), taken(6, 12), taken(12, 20), taken(20, 21)], [4, 2, 8, 1]);
  close(callers);
  await eventually('all are closed', () => front.connections() === 0);
  assert.equal(await ask(front, '/now', { from: '127.0.9.2' }), 200);
});

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
  const SHORT = { headersTimeoutMs: 1_000, requestTimeoutMs: 1_000, idleTimeoutMs: 1_000 };

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
      assert.equal(await ask(front, '/now', NEWCOMER), 200);
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
