// Callers that break the rules of HTTP/2 on purpose, with frames made by hand.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { after, before, suite, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { reachOf, tlsOptionsOf } from './caller.ts';
import {
  END_HEADERS,
  FRAME,
  frame,
  headersFrame,
  INITIAL_WINDOW_SIZE,
  indexedField,
  NEWEST_FIELD,
  pingFrame,
  requestFields,
  resetFrame,
  settingsFrame,
  windowFrame,
} from './http2-frames.ts';
import { RawHttp2, type RawOptions } from './raw-http2.ts';
import { startService, type TestService } from './service.ts';
import { TOKEN, VERIFY } from './steps.ts';

const CANCEL = 8;
const ENHANCE_YOUR_CALM = 11;
const GET = requestFields('GET', VERIFY);
const POST = requestFields('POST', TOKEN, [['content-type', 'application/json']]);
const many = (count: number, make: (n: number) => Buffer) =>
  Buffer.concat(Array.from({ length: count }, (_, n) => make(n)));

suite('HTTP/2 connections that break the rules', () => {
  let service: TestService;
  const opened: RawHttp2[] = [];

  before(async () => {
    service = await startService({
      settings: { limits: { requestTimeout: '1s', headersTimeout: '1s', idleTimeout: '1s' } },
    });
  });
  after(async () => {
    for (const connection of opened) connection.close();
    await service.stop();
  });

  async function open(options?: RawOptions): Promise<RawHttp2> {
    const connection = await RawHttp2.open(reachOf(service), options);
    opened.push(connection);
    return connection;
  }

  async function until(holds: () => boolean, milliseconds: number): Promise<boolean> {
    for (const end = performance.now() + milliseconds; !holds() && performance.now() < end; ) await wait(20);
    return holds();
  }

  const FLOODS: Readonly<Record<string, (connection: RawHttp2) => Buffer>> = {
    PING: () => many(1000, pingFrame),
    SETTINGS: () => many(1000, () => settingsFrame([[INITIAL_WINDOW_SIZE, 65_535]])),
    PRIORITY: (connection) => many(1000, () => frame(FRAME.priority, 0, connection.nextStream(), Buffer.alloc(5))),
    WINDOW_UPDATE: () => many(1000, () => windowFrame(0, 1)),
    'unknown frames': () => many(1000, () => frame(0x77, 0, 0)),
    'requests that are cancelled': (connection) =>
      many(50, () => {
        const stream = connection.nextStream();
        return Buffer.concat([headersFrame(stream, POST, END_HEADERS), resetFrame(stream)]);
      }),
    'more requests than allowed at a time': (connection) => many(200, () => headersFrame(connection.nextStream(), GET)),
  };

  for (const [what, make] of Object.entries(FLOODS)) {
    test(`a flood of ${what} ends the connection`, async () => {
      const connection = await open();
      const isOver = () => connection.isOver;
      for (let n = 0; n < 200 && !isOver(); n++) {
        connection.send(make(connection));
        await wait(20);
      }
      assert.ok(await until(isOver, 2000), 'still open');
    });
  }

  test('a flood of control frames is answered with GOAWAY ENHANCE_YOUR_CALM, whether or not the answers are read', async () => {
    const [reading, mute] = [await open(), await open({ reads: false })];
    for (const connection of [reading, mute]) connection.send(many(3000, pingFrame));
    assert.ok(await until(() => reading.isOver, 2000), 'still open');
    assert.equal(reading.goAway, ENHANCE_YOUR_CALM);
    mute.socket.resume();
    assert.ok(await until(() => mute.isOver, 2000), 'still open');
  });

  test('headers that never end, and fields repeated by their index, end the connection or the request', async () => {
    const endless = await open();
    endless.send(Buffer.concat([headersFrame(1, GET, 0), many(50, () => frame(FRAME.continuation, 0, 1))]));
    assert.ok(await until(() => endless.isOver, 2000), 'still open');
    const bomb = await open();
    bomb.send(
      headersFrame(1, Buffer.concat([GET, indexedField('x', 'y'.repeat(4000)), Buffer.alloc(10_000, NEWEST_FIELD)])),
    );
    const isRefused = () => bomb.isOver || (bomb.received.get(FRAME.resetStream) ?? 0) > 0;
    assert.ok(await until(isRefused, 2000), 'not refused');
    assert.equal(bomb.received.get(FRAME.headers), undefined, 'no response');
  });

  test('streams above the limit are refused, even if SETTINGS are not acknowledged', async () => {
    const connection = await open();
    connection.send(many(60, () => headersFrame(connection.nextStream(), POST, END_HEADERS)));
    assert.ok(await until(() => (connection.received.get(FRAME.resetStream) ?? 0) >= 44, 500));
    assert.equal(connection.received.get(FRAME.headers), undefined, 'the other 16 wait for their bodies');
  });

  test('streams refused now and then do not add up: the connection is kept', async () => {
    const connection = await open();
    const received = (type: number) => connection.received.get(type) ?? 0;
    const each = 50;
    for (let round = 1; round <= 10; round++) {
      connection.send(many(each, () => headersFrame(connection.nextStream(), GET)));
      const isSettled = () => received(FRAME.headers) + received(FRAME.resetStream) >= round * each;
      assert.ok(await until(isSettled, 2000), `round ${round}`);
      await wait(150);
    }
    assert.ok(received(FRAME.resetStream) > 100, `${received(FRAME.resetStream)} refused`);
    assert.equal(connection.isOver, false);
  });

  test('a caller may cancel a thousand requests that waited at its side: their numbers are skipped', async (t) => {
    const patient = await startService();
    t.after(() => patient.stop());
    const session = connectHttp2(`https://127.0.0.1:${patient.port}`, tlsOptionsOf(reachOf(patient)));
    t.after(() => session.destroy());
    const reasons: number[] = [];
    session.on('goaway', (code) => reasons.push(code)).on('error', () => undefined);
    await once(session, 'remoteSettings');
    const ask = (method: string, path: string) => {
      const fields = { ':method': method, ':path': path, 'content-type': 'application/json' };
      const stream = session.request(fields, { endStream: method === 'GET' }).resume();
      return stream.on('error', () => undefined);
    };
    const held = Array.from({ length: 16 }, () => ask('POST', TOKEN));
    const waiting = Array.from({ length: 1100 }, () => ask('GET', VERIFY));
    await wait(100);
    assert.equal(
      waiting.some((stream) => stream.closed),
      false,
      'all of them wait',
    );
    for (const stream of waiting) stream.close(CANCEL);
    await Promise.all(held.map((stream) => once(stream.end('{}'), 'close')));
    const [headers] = await once(ask('GET', VERIFY), 'response');
    assert.equal(headers[':status'], 401);
    await wait(400);
    assert.deepEqual(reasons, []);
  });

  test('an idle connection is closed, even if the caller keeps its side open', async () => {
    const connection = await open();
    assert.ok(await until(() => connection.isOver, 5000), 'still open');
    await wait(2500);
    for (let n = 0; n < 2; n++) {
      connection.socket.write(pingFrame());
      await wait(100);
    }
    assert.ok(await until(() => connection.socket.destroyed, 1000), 'the service still reads');
  });

  test('a busy caller with large bodies, with and without a length, does not count as a flood', async () => {
    const session = connectHttp2(`https://127.0.0.1:${service.port}`, tlsOptionsOf(reachOf(service)));
    session.on('error', () => undefined);
    await once(session, 'remoteSettings');
    const body = Buffer.alloc(60_000, 0x20);
    const ask = (n: number) =>
      new Promise<number>((resolve, reject) => {
        const length = n % 2 === 0 ? { 'content-length': `${body.length}` } : {};
        const stream = session.request({
          ':method': 'POST',
          ':path': TOKEN,
          'content-type': 'application/json',
          ...length,
        });
        stream.on('response', (headers) => resolve(Number(headers[':status']))).on('error', reject);
        stream.resume().end(body);
      });
    const statuses = await Promise.all(Array.from({ length: 64 }, (_, n) => ask(n)));
    assert.deepEqual(new Set(statuses), new Set([400]));
    session.destroy();
  });
});
