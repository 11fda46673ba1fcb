import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  Agent,
  type ClientRequest,
  createServer,
  get,
  type IncomingMessage,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import {
  type ClientHttp2Stream,
  connect as connectHttp2,
  constants,
  createSecureServer,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { type AddressInfo, connect, type Server } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { peersOf } from '../../src/doors/caller/connection.ts';
import { Drain } from '../../src/doors/server/drain.ts';
import { Gate } from '../../src/doors/server/gate.ts';
import { http2Options } from '../../src/doors/server/http2-limits.ts';
import { Pressure } from '../../src/doors/server/pressure.ts';
import { RefusalQueue } from '../../src/doors/server/refusal-queue.ts';
import { NEUTRAL_REPLIES } from '../../src/doors/server/refusal-replies.ts';
import { Shares, shareLimit } from '../../src/doors/server/shares.ts';
import { makeAuthority } from '../authority.ts';
import { headersFrame, PREFACE, requestFields, resetFrame, settingsFrame } from '../e2e/http2-frames.ts';

const HOLD = '/hold';
const SHARE = 20;
const TOKEN = 'Bearer authentic';

/**
 * A server behind a gate, and which of its requests were told to be the first on their connection. It answers all but those to `HOLD`.
 * While `load.isTooMuch`, requests are refused for overload; while `load.isBusy`, the server has no time to spare. One address may
 * have `SHARE` requests in flight; 127.0.0.9 is a proxy.
 */
async function aGate(t: TestContext, server: Server = createServer()) {
  server.on('request', ({ url }: IncomingMessage, response: ServerResponse) => {
    if (url !== HOLD) response.end('ok');
  });
  const pressure = new Pressure(100);
  const firsts: boolean[] = [];
  const load = { isTooMuch: false, isBusy: false };
  t.mock.method(pressure, 'accept', (isFirst: boolean) => firsts.push(isFirst));
  t.mock.method(pressure, 'isTooLate', () => load.isTooMuch);
  t.mock.getter(Pressure.prototype, 'isSaturated', () => load.isTooMuch || load.isBusy);
  const limit = shareLimit(100, SHARE, 100);
  const { places } = new Gate(server, {
    shares: new Shares(),
    places: 100,
    bodyBytes: 1000,
    limit,
    streams: { total: 100, share: limit },
    peers: peersOf(['127.0.0.9']),
    pressure,
    isAuthentic: ({ authorization }) => authorization === TOKEN,
    isMonitoring: () => false,
    repliesAt: () => NEUTRAL_REPLIES,
    onRefused: () => undefined,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, server, firsts, load, places };
}

async function ask(options: RequestOptions): Promise<string> {
  const [response] = (await once(get({ host: '127.0.0.1', ...options }), 'response')) as [IncomingMessage];
  return (await response.toArray()).join('');
}

test('the first request on a connection is told from those that follow on it', async (t) => {
  const { port, firsts } = await aGate(t);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  for (let n = 0; n < 3; n++) assert.equal(await ask({ port, agent }), 'ok');
  assert.deepEqual(firsts, [true, false, false]);
});

test('of thousands of pipelined requests in one packet, few are parsed', async (t) => {
  const { port, server } = await aGate(t);
  let parsed = 0;
  server.on('request', () => {
    parsed += 1;
  });
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.resume().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2000));
  await once(socket, 'close');
  assert.ok(parsed < 200, `${parsed} were parsed`);
});

test('a request with a connection of its own is always a first one', async (t) => {
  const { port, firsts } = await aGate(t);
  for (let n = 0; n < 3; n++) assert.equal(await ask({ port, agent: false }), 'ok');
  assert.deepEqual(firsts, [true, true, true]);
});

test('of pipelined requests, one is the first', async (t) => {
  const { port, firsts } = await aGate(t);
  const socket = connect(port, '127.0.0.1');
  const request = 'GET / HTTP/1.1\r\nHost: x\r\n';
  socket.write(`${request}\r\n${request}\r\n${request}Connection: close\r\n\r\n`);
  const answers = (await socket.toArray()).join('').split('HTTP/1.1 200').length - 1;
  assert.equal(answers, 3);
  assert.deepEqual(firsts, [true, false, false]);
});

test('a caller that returns earlier than it was told waits longer for its refusal than others', async (t) => {
  const early: boolean[] = [];
  t.mock.method(RefusalQueue.prototype, 'refuse', (send: () => void, isEarly: boolean) => {
    early.push(isEarly);
    send();
  });
  const { port, load } = await aGate(t);
  const [hasty, other] = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })];
  t.after(() => {
    for (const agent of [hasty, other]) agent.destroy();
  });
  load.isTooMuch = true;
  for (const agent of [hasty, hasty, other]) await ask({ port, agent });
  assert.deepEqual(early, [false, true, false]);
});

async function anHttp2Caller(t: TestContext, from = '127.0.0.1') {
  const { pem: cert, key } = makeAuthority().issue({ commonName: 'localhost' });
  const server = createSecureServer({ cert, key, ...http2Options({ headerBytes: 1000 }) });
  const gate = await aGate(t, server);
  const socket = connectTls({
    socket: connect({ port: gate.port, localAddress: from }),
    rejectUnauthorized: false,
    ALPNProtocols: ['h2'],
  });
  const caller = connectHttp2('https://localhost', { createConnection: () => socket });
  t.after(() => caller.destroy());
  const limits: (number | undefined)[] = [];
  caller.on('remoteSettings', ({ maxConcurrentStreams }) => limits.push(maxConcurrentStreams));
  await once(caller, 'remoteSettings');
  const ask = (path = '/', headers: OutgoingHttpHeaders = {}) => {
    const stream = caller.request({ ':path': path, ...headers }).resume();
    stream.on('error', () => undefined);
    return stream;
  };
  const statusOf = async (stream: ClientHttp2Stream) => Number((await once(stream, 'response'))[0][':status']);
  return { ...gate, server, caller, limits, ask, statusOf };
}

test('after a refusal for overload, an HTTP/2 caller may have fewer streams until there is time again', async (t) => {
  const { load, caller, limits, ask, statusOf } = await anHttp2Caller(t);
  load.isTooMuch = true;
  const lowered = once(caller, 'remoteSettings');
  assert.equal(await statusOf(ask()), 503);
  await lowered;
  load.isTooMuch = false;
  await once(caller, 'remoteSettings');
  assert.deepEqual(limits, [16, 8, 16]);
});

test('a refusal of one caller behind a proxy, for its share, leaves the streams of the others', async (t) => {
  const { load, caller, limits, ask, statusOf } = await anHttp2Caller(t, '127.0.0.9');
  const [one, other] = ['10.0.0.1', '10.0.0.2'].map((address) => ({ 'x-forwarded-for': address }));
  for (let n = 0; n < SHARE; n++) ask(HOLD, one);
  while (limits.length < 2) await once(caller, 'remoteSettings');
  await wait(150); // between two changes
  load.isBusy = true;
  assert.equal(await statusOf(ask('/', one)), 429);
  assert.equal(await statusOf(ask('/', other)), 200);
  assert.deepEqual(limits, [16, 32]);
});

test('a caller whose streams are all in use gets more once there is time', async (t) => {
  const { load, limits, ask, statusOf } = await anHttp2Caller(t, '127.0.0.9');
  load.isBusy = true;
  for (let n = 0; n < 16; n++) ask(HOLD, { 'x-forwarded-for': `10.0.0.${n}` });
  const next = statusOf(ask());
  await wait(100);
  assert.deepEqual(limits, [16]);
  load.isBusy = false;
  assert.equal(await Promise.race([next, wait(5000, 'no answer')]), 200);
  assert.deepEqual(limits, [16, 32]);
});

test('a refusal that waits is forgotten when its caller cancels the request, and does not count as sent', async (t) => {
  const waiting = new Set<() => void>();
  t.mock.method(RefusalQueue.prototype, 'refuse', (send: () => void, isEarly: boolean) => {
    assert.equal(isEarly, false);
    waiting.add(send);
  });
  t.mock.method(RefusalQueue.prototype, 'forget', (send: () => void) => waiting.delete(send));
  const { load, places, ask } = await anHttp2Caller(t);
  load.isTooMuch = true;
  for (let n = 1; n <= 2; n++) {
    const stream = ask();
    while (waiting.size === 0) await wait(5);
    stream.close(constants.NGHTTP2_CANCEL);
    while ([...places.visitors].some((visitor) => visitor.places.length > 0)) await wait(5);
    assert.equal(waiting.size, 0);
  }
});

for (const [path, when] of [
  [HOLD, 'before they are answered'],
  ['/', 'behind their answers'],
] as const) {
  test(`requests reset at once, ${when}, end the connection long before all are handled`, async (t) => {
    const { port, firsts } = await anHttp2Caller(t);
    const socket = connectTls({ port, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    socket.on('error', () => undefined).resume();
    await once(socket, 'secureConnect');
    const fields = requestFields('GET', path);
    const resets = Array.from({ length: 500 }, (_, n) => [headersFrame(2 * n + 1, fields), resetFrame(2 * n + 1)]);
    socket.write(Buffer.concat([PREFACE, settingsFrame(), ...resets.flat()]));
    await once(socket, 'close');
    assert.ok(firsts.length < 80, `${firsts.length} of ${resets.length} were handled`);
  });
}

test('a stop does not wait for an HTTP/2 caller that cancels its requests during it', async (t) => {
  const { server, places, ask } = await anHttp2Caller(t);
  const stream = ask(HOLD);
  while (places.held === 0) await wait(5);
  const stopped = new Drain(server, places, 0).begin();
  await wait(50);
  stream.close(constants.NGHTTP2_CANCEL);
  assert.equal(await Promise.race([stopped.then(() => 'stopped'), wait(5000, 'waits')]), 'stopped');
});

test('a refusal while the server stops ends the connection', async (t) => {
  const { port, load, places } = await aGate(t);
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  load.isTooMuch = true;
  const connectionOf = async () => {
    const [response] = (await once(get({ host: '127.0.0.1', port, agent }), 'response')) as [IncomingMessage];
    await response.toArray();
    return [response.statusCode, response.headers.connection];
  };
  assert.deepEqual(await connectionOf(), [503, 'keep-alive']);
  places.endStreams();
  assert.deepEqual(await connectionOf(), [503, 'close']);
});

test('strangers never take the last twentieth of the places', async (t) => {
  const { port, places } = await aGate(t);
  const holding: ClientRequest[] = [];
  t.after(() => {
    for (const request of holding) request.destroy();
  });
  const hold = (options: RequestOptions) =>
    holding.push(get({ host: '127.0.0.1', port, path: HOLD, ...options }).on('error', () => undefined));
  const known = { port, agent: new Agent({ keepAlive: true, maxSockets: 1 }) };
  t.after(() => known.agent.destroy());
  await ask(known);
  for (const visitor of places.visitors) visitor.isKnown = true;
  for (let n = 0; n < 95; n++) hold({ localAddress: `127.0.1.${n % 5}` });
  while (places.held < 95) await wait(5);
  const headers = { authorization: TOKEN };
  assert.notEqual(await ask({ port }), 'ok');
  assert.equal(await ask({ port, headers }), 'ok');
  assert.equal(await ask(known), 'ok');
  for (let n = 0; n < 5; n++) hold({ headers, localAddress: '127.0.1.5' });
  while (places.held < 100) await wait(5);
  assert.notEqual(await ask({ port, headers }), 'ok', 'all places are taken');
});
