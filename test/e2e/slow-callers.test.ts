// Callers that do not finish what they began: handshakes, headers, bodies, idle connections.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { canInspect } from '../../src/front/certificate-inspection.ts';
import { eventually } from '../eventually.ts';
import { unsentOf } from '../kernel-queue.ts';
import { callerOver, rawConnection, reachOf, readToEnd, tlsOptionsOf } from './caller.ts';
import { startService, type TestService } from './service.ts';
import { pairByCertificate, TOKEN, verify } from './steps.ts';

/** The pinned Node can. For others: docs/operators.md. */
const ONLY_WITH_C = !(await canInspect()) && `Node ${process.version} cannot set options of sockets`;

suite('slow callers', () => {
  const CONNECTIONS = 20;
  let service: TestService;

  before(async () => {
    service = await startService({
      settings: {
        limits: {
          headersTimeout: '1s',
          requestTimeout: '2s',
          idleTimeout: '20s',
          connections: CONNECTIONS,
          addressShare: 100,
        },
      },
    });
  });
  after(() => service.stop());

  const HEAD = `POST ${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`;
  for (const [what, bytes] of [
    ['headers', 'POST / HTTP/1.1\r\nHost: x\r\nX-Slow: '],
    ['bodies', `${HEAD}{"client_id":`],
  ] as const) {
    test(`slow ${what} time out in JSON, even if bytes keep dripping (HTTP/1.1)`, async () => {
      const socket = await rawConnection(reachOf(service));
      socket.write(bytes);
      const drip = setInterval(() => socket.write('x'), 200);
      const text = await readToEnd(socket, 6000);
      clearInterval(drip);
      assert.match(text, /^HTTP\/1.1 400 The request took too long to arrive\./, text);
      assert.match(text, /"Error":"invalid_request"/);
    });
  }

  test('slow bodies time out in JSON, even if bytes keep dripping (HTTP/2)', async () => {
    const session = connectHttp2(`https://127.0.0.1:${service.port}`, tlsOptionsOf(reachOf(service)));
    const stream = session.request({ ':method': 'POST', ':path': TOKEN, 'content-type': 'application/json' });
    stream.on('error', () => undefined);
    const drip = setInterval(() => stream.writable && stream.write(' '), 200);
    let text = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    await new Promise((resolve) => stream.once('close', resolve));
    clearInterval(drip);
    session.destroy();
    assert.equal(JSON.parse(text).Error_description, 'The request took too long to arrive.');
  });

  test('an idle connection is closed (HTTP/2)', async () => {
    const session = connectHttp2(`https://127.0.0.1:${service.port}`, tlsOptionsOf(reachOf(service)));
    const closed = new Promise<string>((resolve) => session.once('close', () => resolve('closed')));
    assert.equal(await Promise.race([closed, wait(5000, 'still open')]), 'closed');
  });

  test('a TLS handshake that does not end frees its connection in time, whether the caller stays or goes', async () => {
    const half = Buffer.from('160301020001', 'hex'); // of a ClientHello
    const sockets = Array.from({ length: CONNECTIONS }, (_, n) => {
      const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true });
      socket.on('error', () => undefined).resume();
      if (n % 2 === 0) socket.write(half);
      return socket;
    });
    const ends = sockets.map((socket) => once(socket, 'end'));
    await wait(1500);
    for (const socket of sockets.slice(0, CONNECTIONS / 2)) socket.end();
    const ended = Promise.all(ends).then(() => 'ended');
    assert.equal(await Promise.race([ended, wait(5000, 'still open')]), 'ended');
    const caller = callerOver('HTTP/2', reachOf(service));
    assert.equal((await caller.ask({ path: '/healthz' })).status, 200);
    caller.close();
    for (const socket of sockets) socket.destroy();
  });

  test('answers that a caller does not read do not stay in the kernel (HTTP/1.1)', { skip: ONLY_WITH_C }, async () => {
    const socket = await rawConnection(reachOf(service));
    socket.on('error', () => undefined).pause();
    socket.write('GET /docs/api HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(40));
    const unsent = () => unsentOf(service.port) ?? 0;
    await eventually('answers wait', () => unsent() > 0);
    assert.ok(unsent() < 256 * 1024, `${unsent()} bytes`);
    await eventually('they are gone', () => unsent() === 0);
    socket.destroy();
  });

  test('connections over the limit are closed, and the others are served', async () => {
    const caller = callerOver('HTTP/2', reachOf(service, service.ada));
    await pairByCertificate(caller); // known: others yield
    const sockets = await Promise.allSettled(Array.from({ length: 30 }, () => rawConnection(reachOf(service))));
    const opened = sockets.filter(({ status }) => status === 'fulfilled').length;
    assert.ok(opened <= CONNECTIONS && opened > 0, `${opened} of 30 were let in`);
    assert.equal((await caller.ask({ path: '/healthz' })).status, 200);
    for (const socket of sockets) if (socket.status === 'fulfilled') socket.value.destroy();
    caller.close();
  });
});

suite('when nearly all connections are taken', () => {
  const CONNECTIONS = 20;
  let service: TestService;

  before(async () => {
    service = await startService({ settings: { limits: { connections: CONNECTIONS, addressShare: 100 } } });
  });
  after(() => service.stop());

  for (const [what, begin] of [
    ['idle', 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['silent', ''],
  ] as const)
    test(`${what} connections of strangers yield to newcomers, those of known callers do not`, async () => {
      const known = callerOver('HTTP/1.1', reachOf(service, service.ada));
      const { access_token } = await pairByCertificate(known);
      const strangers = await Promise.all(
        Array.from({ length: CONNECTIONS - 2 }, () => rawConnection(reachOf(service))),
      );
      let closed = 0;
      for (const socket of strangers) {
        socket.on('error', () => undefined).on('close', () => (closed += 1));
        socket.resume().write(begin);
      }
      await wait(1100);
      const newcomers = Array.from({ length: 4 }, () => callerOver('HTTP/1.1', reachOf(service)));
      for (const newcomer of newcomers) {
        assert.equal((await newcomer.ask({ path: '/healthz' })).status, 200);
        await wait(50);
      }
      assert.ok(closed > 0 && closed < strangers.length, `${closed} yielded`);
      assert.equal((await verify(known, access_token)).status, 200);
      for (const caller of [known, ...newcomers]) caller.close();
      for (const socket of strangers) socket.destroy();
    });
});
