import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, type RequestOptions, type ServerResponse } from 'node:http';
import { connect as connectHttp2, createSecureServer } from 'node:http2';
import { type AddressInfo, connect, type Server } from 'node:net';
import { type TestContext, test } from 'node:test';
import { peersOf } from '../../src/doors/caller/connection.ts';
import { Gate } from '../../src/doors/server/gate.ts';
import { Pressure } from '../../src/doors/server/pressure.ts';
import { RefusalQueue } from '../../src/doors/server/refusal-queue.ts';
import { NEUTRAL_REPLIES } from '../../src/doors/server/refusal-replies.ts';
import { Shares, shareLimit } from '../../src/doors/server/shares.ts';
import { makeAuthority } from '../authority.ts';

/**
 * A server behind a gate, and which of its requests were told to be the first on their connection. While `load.isTooMuch`, requests
 * are refused for overload.
 */
async function aGate(t: TestContext, server: Server = createServer()) {
  server.on('request', (_request: unknown, response: ServerResponse) => response.end('ok'));
  const pressure = new Pressure(100);
  const firsts: boolean[] = [];
  const load = { isTooMuch: false };
  t.mock.method(pressure, 'accept', (isFirst: boolean) => firsts.push(isFirst));
  t.mock.method(pressure, 'isTooLate', () => load.isTooMuch);
  t.mock.getter(Pressure.prototype, 'isSaturated', () => load.isTooMuch);
  const limit = shareLimit(100, 100, 100);
  const { places } = new Gate(server, {
    shares: new Shares(),
    places: 100,
    bodyBytes: 1000,
    limit,
    streams: { total: 100, share: limit },
    peers: peersOf([]),
    pressure,
    isAuthentic: () => false,
    isMonitoring: () => false,
    repliesAt: () => NEUTRAL_REPLIES,
    onRefused: () => undefined,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, firsts, load, places };
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

test('after a refusal for overload, an HTTP/2 caller may have fewer streams until there is time again', async (t) => {
  const { pem: cert, key } = makeAuthority().issue({ commonName: 'localhost' });
  const { port, load } = await aGate(t, createSecureServer({ cert, key }));
  const caller = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  t.after(() => caller.destroy());
  await once(caller, 'remoteSettings');
  load.isTooMuch = true;
  const lowered = once(caller, 'remoteSettings');
  const [headers] = await once(caller.request().resume(), 'response');
  assert.equal(headers[':status'], 503);
  assert.equal((await lowered)[0].maxConcurrentStreams, 8);
  load.isTooMuch = false;
  const [restored] = await once(caller, 'remoteSettings');
  assert.equal(restored.maxConcurrentStreams, 16);
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
