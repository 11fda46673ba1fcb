// Nobody can take the places of others. That every place belongs to an open connection is
// checked whenever a service of these tests stops.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as connectHttp2,
  constants,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { eventually } from '../eventually.ts';
import { askPlainly, callerOver, json, rawConnection, reachOf, readToEnd, sendRaw, tlsOptionsOf } from './caller.ts';
import { startService, type TestService } from './service.ts';
import { pairByCertificate, TOKEN, VERIFY, verify } from './steps.ts';

const GET = `GET ${VERIFY} HTTP/1.1\r\nHost: x\r\n\r\n`;
const POST = `POST ${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;

function statuses(text: string): string[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => String(status));
}

suite('places on connections of HTTP/1.1', () => {
  let service: TestService;

  before(async () => {
    service = await startService({ settings: { limits: { maxInFlight: 40, addressShare: 50 } } });
  });
  after(() => service.stop());

  async function assertServed(): Promise<void> {
    const caller = callerOver('HTTP/1.1', reachOf(service));
    assert.equal((await caller.ask({ path: '/healthz' })).status, 200);
    assert.equal((await caller.ask({ path: VERIFY })).status, 401);
    caller.close();
  }

  test('CONNECT after pipelined requests is answered in order, ends the connection and frees every place', async () => {
    const connect = 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n';
    for (let round = 0; round < 10; round++)
      assert.deepEqual(statuses(await sendRaw(reachOf(service), GET.repeat(4) + connect)), [
        ...Array(4).fill('401'),
        '405',
      ]);
    await assertServed();
  });

  test('an Upgrade request is answered, and the connection closes', async () => {
    const upgrade = `GET ${VERIFY} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`;
    const text = await sendRaw(reachOf(service), upgrade + GET);
    assert.deepEqual(statuses(text), ['401'], text);
    assert.match(text, /^connection: close\r$/im);
  });

  test('a pipeline of 100 is answered up to the limit, then gets 429, and the connection closes', async () => {
    const given = statuses(await sendRaw(reachOf(service), GET.repeat(100)));
    assert.equal(given.at(-1), '429');
    assert.ok(given.length <= 21 && given.length > 10, `${given.length} answers`);
    await assertServed();
  });

  test('a connection cut during a pipeline frees all its places', async () => {
    for (let round = 0; round < 10; round++) {
      const socket = await rawConnection(reachOf(service));
      socket.on('error', () => undefined);
      socket.write(GET.repeat(15));
      socket.destroy();
    }
    await assertServed();
  });

  for (const [what, bytes, expected] of [
    ['bad HTTP', 'NONSENSE\r\n\r\n', ['400']],
    ['bad HTTP twice', 'NONSENSE\r\n\r\nNONSENSE\r\n\r\n', ['400']],
    ['bad HTTP behind two requests', `${GET.repeat(2)}NONSENSE\r\n\r\n`, ['401', '401', '400']],
    ['a bad chunk', `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, ['400']],
    ['a bad chunk behind a good one', `${POST}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n`, ['400']],
  ] as const) {
    test(`${what} gets one answer, and the connection closes`, async () => {
      const text = await sendRaw(reachOf(service), bytes);
      assert.deepEqual(statuses(text), expected, text);
      assert.match(text, /\{"Error":"invalid_request"/);
    });
  }

  test('later bad bytes get no second answer', async () => {
    const socket = await rawConnection(reachOf(service));
    const text = readToEnd(socket, 2000);
    for (let n = 0; n < 5; n++) {
      if (socket.writable) socket.write('NONSENSE\r\n\r\n');
      await wait(20);
    }
    assert.deepEqual(statuses(await text), ['400']);
  });
});

suite('shares', () => {
  test('one address cannot exceed its share of places; other addresses, health and metrics are served', async (t) => {
    const service = await startService({ settings: { limits: { maxInFlight: 40, addressShare: 25 } } });
    t.after(() => service.stop());
    const half = `${POST}Content-Length: 100\r\n\r\n{`;
    const sockets = await Promise.all(Array.from({ length: 10 }, () => fromAddress(service, '127.0.9.2')));
    for (const socket of sockets) socket.write(half);
    await wait(200);
    const more = await fromAddress(service, '127.0.9.2');
    more.write(GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    const refused = await readToEnd(more);
    assert.match(refused, /^HTTP\/1.1 429 /, refused);
    assert.match(refused, /^retry-after: [123]\r$/im);
    const watcher = await fromAddress(service, '127.0.9.2');
    watcher.write('GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    assert.match(await readToEnd(watcher), /^tessera_requests_in_flight 10$/m);
    const other = callerOver('HTTP/1.1', reachOf(service));
    assert.equal((await other.ask({ path: VERIFY })).status, 401, 'another address is served');
    other.close();
    for (const socket of sockets) socket.destroy();
  });

  test('one address cannot exceed its share of connections', async (t) => {
    const service = await startService({ settings: { limits: { connections: 40, addressShare: 10 } } });
    t.after(() => service.stop());
    const opened = await Promise.allSettled(Array.from({ length: 8 }, () => fromAddress(service, '127.0.9.2')));
    assert.equal(opened.filter(({ status }) => status === 'fulfilled').length, 4);
    const other = callerOver('HTTP/1.1', reachOf(service));
    assert.equal((await other.ask({ path: '/healthz' })).status, 200);
    other.close();
    for (const each of opened) if (each.status === 'fulfilled') each.value.destroy();
  });

  test('shares apply to the addresses that a listed proxy forwards, not to the proxy', async (t) => {
    const service = await startService({
      listeners: [{}],
      settings: { limits: { maxInFlight: 100, addressShare: 2 }, proxies: { addresses: ['127.0.0.1'] } },
    });
    t.after(() => service.stop());
    const half = (address: string) => {
      const socket = connectTcp({ port: service.port, host: '127.0.0.1' });
      socket.write(`${POST}X-Forwarded-For: ${address}\r\nContent-Length: 100\r\n\r\n{`);
      return socket;
    };
    const sockets = Array.from({ length: 20 }, (_, n) => half(`10.0.${n}.1`));
    await wait(200);
    const ask = (address: string) =>
      askPlainly(service.port, { path: VERIFY, headers: { 'x-forwarded-for': address } }).then(({ status }) => status);
    assert.equal(await ask('10.1.0.1'), 401);
    sockets.push(half('10.0.1.1'));
    await wait(100);
    assert.deepEqual([await ask('10.0.1.1'), await ask('10.0.2.1')], [429, 401]);
    for (const socket of sockets) socket.destroy();
  });
});

function fromAddress(service: TestService, localAddress: string): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const options = { ...tlsOptionsOf(reachOf(service)), ALPNProtocols: ['http/1.1'], localAddress };
    const socket = connectTls(options, () => resolve(socket));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed before the handshake was done')));
  });
}

suite('places on streams of HTTP/2, and idle connections', () => {
  let service: TestService;

  before(async () => {
    service = await startService({
      settings: { limits: { requestTimeout: '1s', headersTimeout: '1s', idleTimeout: '2s' } },
    });
  });
  after(() => service.stop());

  function open(settings = {}): ClientHttp2Session {
    const session = connectHttp2(`https://127.0.0.1:${service.port}`, { ...tlsOptionsOf(reachOf(service)), settings });
    session.on('error', () => undefined);
    return session;
  }

  async function closedWith(stream: ClientHttp2Stream, milliseconds: number): Promise<number | undefined> {
    stream.on('error', () => undefined);
    const closed = once(stream, 'close').then(() => stream.rstCode);
    return Promise.race([closed, wait(milliseconds, undefined)]);
  }

  // The second one has a large answer.
  for (const path of [VERIFY, '/docs/api']) {
    test(`a stream with a window of 0 is reset, even if PINGs are sent: ${path}`, async (t) => {
      const session = open({ initialWindowSize: 0 });
      const pings = setInterval(() => session.destroyed || session.ping(() => undefined), 100);
      t.after(() => {
        clearInterval(pings);
        session.destroy();
      });
      const stream = session.request({ ':path': path });
      assert.equal(await closedWith(stream, 5000), constants.NGHTTP2_CANCEL);
    });
  }

  test('an early refusal resets the stream without waiting for the rest of the body', async () => {
    const session = open();
    for (const [method, path, status, code] of [
      ['POST', '/nowhere', 404, constants.NGHTTP2_NO_ERROR],
      ['HEAD', VERIFY, 405, constants.NGHTTP2_CANCEL],
    ] as const) {
      const stream = session.request({ ':method': method, ':path': path }, { endStream: false });
      const [headers] = await once(stream.resume(), 'response');
      assert.equal(headers[':status'], status);
      assert.equal(await closedWith(stream, 4000), code, `${method} ${path}`);
    }
    session.destroy();
  });

  test('a session that only sends PINGs is closed', async () => {
    const session = open();
    const pings = setInterval(() => session.destroyed || session.closed || session.ping(() => undefined), 100);
    session.request({ ':path': '/healthz' }).resume();
    const closed = once(session, 'close').then(() => 'closed');
    assert.equal(await Promise.race([closed, wait(8000, 'still open')]), 'closed');
    clearInterval(pings);
  });

  test('an HTTP/1.1 connection that only sends empty lines is closed', async (t) => {
    const socket = await rawConnection(reachOf(service));
    socket.on('error', () => undefined).resume();
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    const lines = setInterval(() => socket.writable && socket.write('\r\n'), 200);
    t.after(() => {
      clearInterval(lines);
      socket.destroy();
    });
    const closed = once(socket, 'close').then(() => 'closed');
    assert.equal(await Promise.race([closed, wait(8000, 'still open')]), 'closed');
  });

  test('strangers get few parallel streams, callers with a valid credential get more if they use them', async () => {
    const caller = connectHttp2(`https://127.0.0.1:${service.port}`, tlsOptionsOf(reachOf(service, service.ada)));
    await once(caller, 'remoteSettings');
    assert.equal(caller.remoteSettings.maxConcurrentStreams, 16);
    const askOften = async (headers: OutgoingHttpHeaders) => {
      for (let n = 0; n < 100; n++) caller.request(headers).resume();
      await once(caller.request(headers).resume(), 'close');
      await wait(150);
    };
    for (let n = 0; n < 4; n++) await askOften({ ':path': VERIFY });
    assert.equal(caller.remoteSettings.maxConcurrentStreams, 16);
    const http1 = callerOver('HTTP/1.1', reachOf(service, service.ada));
    const { access_token } = await pairByCertificate(http1);
    assert.equal((await verify(http1, access_token)).status, 200);
    await eventually('100 streams are allowed', async () => {
      await askOften({ ':path': VERIFY, authorization: `Bearer ${access_token}` });
      return caller.remoteSettings.maxConcurrentStreams === 100;
    });
    caller.destroy();
    http1.close();
  });

  test('CONNECT is answered and ends the session', async () => {
    const session = open();
    const stream = session.request({ ':method': 'CONNECT', ':authority': 'x:443' });
    stream.on('error', () => undefined);
    const [headers] = await once(stream.resume(), 'response');
    assert.equal(headers[':status'], 405);
    const closed = once(session, 'close').then(() => 'closed');
    assert.equal(await Promise.race([closed, wait(3000, 'still open')]), 'closed');
  });

  test('a request whose body never arrives is refused, and others are served meanwhile', async () => {
    const session = open();
    const streams = Array.from({ length: 16 }, () =>
      session.request({ ':method': 'POST', ':path': TOKEN, 'content-type': 'application/json' }, { endStream: false }),
    );
    for (const stream of streams) stream.on('error', () => undefined).resume();
    const other = callerOver('HTTP/2', reachOf(service));
    assert.equal((await other.ask({ path: TOKEN, ...json({}) })).status, 400);
    other.close();
    const ended = await Promise.all(streams.map((stream) => closedWith(stream, 5000)));
    assert.deepEqual(new Set(ended), new Set([constants.NGHTTP2_NO_ERROR]));
    session.destroy();
  });
});
