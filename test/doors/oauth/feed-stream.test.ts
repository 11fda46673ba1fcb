// A stream of the revocation feed over HTTP/2, whose client decides how much it takes.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get as ask, createServer as createHttpServer, IncomingMessage, ServerResponse } from 'node:http';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  createServer,
  type Http2ServerResponse,
} from 'node:http2';
import { type AddressInfo, Socket } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { attachExchange } from '../../../src/doors/http/answers.ts';
import { FeedStream } from '../../../src/doors/oauth/feed-stream.ts';

const MINUTE = 60_000;
const BATCH = Buffer.alloc(16_384, 'x');

interface Fixture {
  readonly response: ServerResponse;
  readonly client: ClientHttp2Stream;
  readonly session: ClientHttp2Session;
  /** How often the service has cut it. */
  readonly cuts: () => number;
}

async function get(url: string) {
  const [answer] = (await once(ask(url), 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, text: await textOf(answer) };
}

/** The service can send `window` bytes; more only after the client has read. */
async function responseTo(t: TestContext, window: number): Promise<Fixture> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const session = connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: window } });
  t.after(() => {
    session.destroy();
    server.close();
  });
  const client = session.request({ ':path': '/' });
  client.on('error', () => undefined);
  const [, given] = (await once(server, 'request')) as [unknown, Http2ServerResponse];
  const response = given as unknown as ServerResponse;
  let cuts = 0;
  const disconnect = () => {
    cuts += 1;
    given.stream.close();
  };
  attachExchange(response, {
    staysOpen: () => false,
    keepStreaming: () => undefined,
    release: () => undefined,
    disconnect,
  });
  return { response, client, session, cuts: () => cuts };
}

test('a follower that does not read has one write at most in memory, and is cut after 10 seconds', async (t) => {
  const { response, client } = await responseTo(t, 100);
  const stream = new FeedStream(response, MINUTE);
  let written = 0;
  void stream.run(async () => {
    for (; !stream.ending.aborted; written += 1) await stream.write(BATCH);
  });
  await once(client, 'response');
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(written, 0);
  assert.ok(response.writableLength <= BATCH.length, `${response.writableLength} bytes are held`);
  const now = performance.now();
  stream.look(now + 9_500);
  assert.equal(stream.ending.aborted, false);
  stream.look(now + 10_001);
  assert.equal(stream.ending.aborted, true);
  client.resume();
  await once(client, 'close');
});

test('a follower that reads slowly gets everything', async (t) => {
  const { response, client } = await responseTo(t, 1_000);
  const stream = new FeedStream(response, MINUTE);
  void stream.run(async () => {
    for (let n = 0; n < 20; n++) await stream.write(BATCH);
  });
  let received = 0;
  for await (const chunk of client) received += (chunk as Buffer).length;
  assert.equal(received, 'retry: 1000\n:\n\n'.length + 20 * BATCH.length);
});

test('a stream is cut if the store is away: silence would mean that nothing has changed', async (t) => {
  const { response, client, cuts } = await responseTo(t, 65_535);
  client.resume();
  const stream = new FeedStream(response, MINUTE);
  await stream.run(() => Promise.reject(new Error('the store is away')));
  assert.deepEqual([cuts(), stream.ending.aborted], [1, true]);
});

test('a stream that is too old ends in order', async (t) => {
  const { response, client } = await responseTo(t, 65_535);
  const stream = new FeedStream(response, MINUTE);
  void stream.run(() => new Promise((resolve) => stream.ending.addEventListener('abort', () => resolve())));
  await once(client, 'data'); // no write is under way
  stream.look(performance.now() + MINUTE - 1_000);
  assert.equal(stream.ending.aborted, false);
  stream.look(performance.now() + MINUTE + 1);
  await once(client, 'end');
  assert.equal(client.rstCode, 0);
});

test('a stream that ends while its follower does not read is cut 10 seconds later', async (t) => {
  const { response, client, cuts } = await responseTo(t, 100);
  const stream = new FeedStream(response, MINUTE);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const running = stream.run(async () => {
    while (!stream.ending.aborted) await stream.write(BATCH);
  });
  await once(client, 'response');
  stream.end();
  await running;
  t.mock.timers.tick(9_999);
  assert.equal(cuts(), 0);
  t.mock.timers.tick(1);
  assert.equal(cuts(), 1);
  client.resume();
  await once(client, 'close');
});

test('a stream that was read to its end is not cut later', async (t) => {
  const { response, client, cuts } = await responseTo(t, 65_535);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  client.resume();
  await new FeedStream(response, MINUTE).run(async () => undefined);
  await once(client, 'close');
  await nextTurn();
  t.mock.timers.tick(10_000);
  assert.equal(cuts(), 0);
});

test('over HTTP/1.1 a stream is not kept by caches or proxies, and its connection ends with it', async (t) => {
  const server = createHttpServer((_, raw) => void new FeedStream(raw, MINUTE).run(async () => undefined)).listen(0);
  t.after(() => server.close());
  await once(server, 'listening');
  const { status, headers, text } = await get(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  assert.deepEqual([status, text], [200, 'retry: 1000\n:\n\n']);
  const { 'content-type': type, 'cache-control': cached, 'x-accel-buffering': buffered, connection } = headers;
  assert.deepEqual([type, cached, buffered, connection], ['text/event-stream', 'no-store', 'no', 'close']);
});

test('a stream ends if its connection had ended before it began, or fails', async (t) => {
  const gone = new ServerResponse(new IncomingMessage(new Socket())).destroy();
  assert.equal(new FeedStream(gone, MINUTE).ending.aborted, true);
  const { response } = await responseTo(t, 65_535);
  const failing = new FeedStream(response, MINUTE);
  assert.equal(failing.ending.aborted, false);
  response.emit('error', new Error('gone'));
  assert.equal(failing.ending.aborted, true);
  const write = t.mock.method(response, 'write', (_: Buffer, done: (fault: Error) => void) => done(new Error('gone')));
  await failing.write(BATCH);
  assert.equal(write.mock.callCount(), 0, 'it has ended');
  const unwritten = new FeedStream(response, MINUTE);
  await unwritten.write(BATCH);
  assert.deepEqual([write.mock.callCount(), unwritten.ending.aborted], [1, true]);
});

test('a stream whose client has gone ends, also with a write under way, and is not cut later', async (t) => {
  const { response, session, cuts } = await responseTo(t, 100);
  const stream = new FeedStream(response, MINUTE);
  const running = stream.run(async () => {
    while (!stream.ending.aborted) await stream.write(BATCH);
  });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  session.destroy();
  await running;
  assert.equal(stream.ending.aborted, true);
  t.mock.timers.tick(10_000);
  assert.equal(cuts(), 0);
});
