// HTTP/2: streams that make no progress end, and whoever breaks the rules delays nobody else.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Stream, constants } from 'node:http2';
import { suite, test } from 'node:test';
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
} from '../e2e/http2-frames.ts';
import { RawHttp2, type RawOptions } from '../e2e/raw-http2.ts';
import { eventually } from '../eventually.ts';
import { ask, CA, type Front, http2To, openFront, statusOf } from './front.ts';

const SHORT = { requestTimeoutMs: 3_000, idleTimeoutMs: 3_000 };
const GET = requestFields('GET', '/now');
const POST = requestFields('POST', '/work', [['content-type', 'application/json']]);
const STREAMS = 100;

const rawTo = ({ port }: Front, options?: RawOptions) => RawHttp2.open({ port, ca: CA }, options);
const many = (count: number, make: (n: number) => Buffer) =>
  Buffer.concat(Array.from({ length: count }, (_, n) => make(n)));

async function closedWith(stream: ClientHttp2Stream): Promise<number | undefined> {
  stream.on('error', () => undefined);
  if (!stream.closed) await once(stream, 'close');
  return stream.rstCode;
}

/** On a busy machine, a handshake can take longer than the short timeouts of these tests. */
function othersAreServed(front: Front): Promise<void> {
  return eventually('others are served', async () => (await ask(front, '/now')) === 200);
}

suite('streams', { concurrency: true }, () => {
  test('a body that does not come, or drips, is refused in JSON', async (t) => {
    const front = await openFront(t, SHORT);
    const session = http2To(front);
    const fields = { ':method': 'POST', ':path': '/work', 'content-type': 'application/json' };
    const streams = Array.from({ length: 16 }, () => session.request(fields, { endStream: false }));
    const drip = setInterval(() => streams[0]?.writable && streams[0].write(' '), 100);
    t.after(() => clearInterval(drip));
    await othersAreServed(front);
    const ends = streams.map(async (stream) => {
      let text = '';
      stream.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      return [await closedWith(stream), JSON.parse(text).Error_description];
    });
    for (const end of await Promise.all(ends))
      assert.deepEqual(end, [constants.NGHTTP2_NO_ERROR, 'The request took too long to arrive.']);
    session.destroy();
  });

  for (const path of ['/now', '/big'])
    test(`a stream whose answer is not read is reset, even if PINGs are sent: ${path}`, async (t) => {
      const front = await openFront(t, SHORT);
      const session = http2To(front, { settings: { initialWindowSize: 0 } });
      const pings = setInterval(() => session.destroyed || session.ping(() => undefined), 100);
      t.after(() => clearInterval(pings));
      assert.equal(await closedWith(session.request({ ':path': path })), constants.NGHTTP2_CANCEL);
      session.destroy();
    });

  test('an early refusal resets the stream without waiting for the rest of the body', async (t) => {
    const front = await openFront(t, SHORT);
    const session = http2To(front);
    for (const [method, path, status, code] of [
      ['POST', '/nowhere', 404, constants.NGHTTP2_NO_ERROR],
      ['HEAD', '/now', 200, constants.NGHTTP2_CANCEL],
    ] as const) {
      const stream = session.request({ ':method': method, ':path': path }, { endStream: false });
      assert.equal(await statusOf(stream), status);
      assert.equal(await closedWith(stream), code, `${method} ${path}`);
    }
    session.destroy();
  });

  test('a connection may have 100 at a time: more are refused, even if SETTINGS are not acknowledged', async (t) => {
    const front = await openFront(t);
    const caller = await rawTo(front);
    caller.send(many(STREAMS + 20, () => headersFrame(caller.nextStream(), requestFields('GET', '/work'))));
    await eventually('more are refused', () => (caller.received.get(FRAME.resetStream) ?? 0) === 20);
    assert.equal(front.waiting(), STREAMS);
    front.goOn();
    await eventually('100 are answered', () => (caller.received.get(FRAME.headers) ?? 0) === STREAMS);
    caller.close();
  });

  test('CONNECT is answered and ends the session', async (t) => {
    const front = await openFront(t);
    const session = http2To(front);
    const closed = once(session, 'close');
    assert.equal(await statusOf(session.request({ ':method': 'CONNECT', ':authority': 'x:443' })), 405);
    await closed;
  });

  test('a caller may cancel a thousand requests that waited at its side', async (t) => {
    const front = await openFront(t);
    const session = http2To(front);
    const reasons: number[] = [];
    session.on('goaway', (code) => reasons.push(code));
    await once(session, 'remoteSettings');
    const working = Array.from({ length: STREAMS }, () => statusOf(session.request({ ':path': '/work' })));
    const waiting = Array.from({ length: 1_100 }, () =>
      session.request({ ':path': '/now' }).on('error', () => undefined),
    );
    await eventually('all slots are used', () => front.waiting() === STREAMS);
    for (const stream of waiting) stream.close(constants.NGHTTP2_CANCEL);
    front.goOn();
    await Promise.all(working);
    assert.equal(await statusOf(session.request({ ':path': '/now' })), 200);
    assert.deepEqual(reasons, []);
    session.destroy();
  });

  test('a busy caller with large bodies, with and without a length, is served', async (t) => {
    const front = await openFront(t);
    const session = http2To(front);
    const body = Buffer.alloc(60_000, 0x20);
    const statuses = Array.from({ length: 64 }, (_, n) => {
      const length = n % 2 === 0 ? { 'content-length': `${body.length}` } : {};
      const stream = session.request({ ':method': 'POST', ':path': '/now', 'content-type': 'text/x', ...length });
      stream.end(body);
      return statusOf(stream);
    });
    assert.deepEqual(new Set(await Promise.all(statuses)), new Set([200]));
    session.destroy();
  });
});

suite('connections that break the rules', { concurrency: true }, () => {
  const FLOODS: Readonly<Record<string, (caller: RawHttp2) => Buffer>> = {
    PING: () => many(1000, pingFrame),
    SETTINGS: () => many(1000, () => settingsFrame([[INITIAL_WINDOW_SIZE, 65_535]])),
    PRIORITY: (caller) => many(1000, () => frame(FRAME.priority, 0, caller.nextStream(), Buffer.alloc(5))),
    WINDOW_UPDATE: () => many(1000, () => windowFrame(0, 1)),
    'unknown frames': () => many(1000, () => frame(0x77, 0, 0)),
    'requests that are cancelled': (caller) =>
      many(50, () => {
        const stream = caller.nextStream();
        return Buffer.concat([headersFrame(stream, POST, END_HEADERS), resetFrame(stream)]);
      }),
    'more requests than allowed at a time': (caller) => many(200, () => headersFrame(caller.nextStream(), GET)),
  };

  for (const [what, make] of Object.entries(FLOODS))
    for (const reads of [true, false])
      test(`a flood of ${what}, ${reads ? 'read' : 'unread'}: others are served, and nothing of it is left`, async (t) => {
        const front = await openFront(t, SHORT);
        const caller = await rawTo(front, { reads });
        for (let n = 0; n < 10; n++) {
          caller.send(make(caller));
          if (n % 3 === 0) await othersAreServed(front);
        }
        await eventually('the connection is closed', () => front.connections() === 0);
        await front.assertNothingHeld();
        caller.close();
      });

  test('headers that never end, and fields repeated by their index, end the connection or the request', async (t) => {
    const front = await openFront(t, SHORT);
    const endless = await rawTo(front);
    endless.send(Buffer.concat([headersFrame(1, GET, 0), many(50, () => frame(FRAME.continuation, 0, 1))]));
    await eventually('it ends', () => endless.isOver);
    const bomb = await rawTo(front);
    const fields = [GET, indexedField('x', 'y'.repeat(4000)), Buffer.alloc(10_000, NEWEST_FIELD)];
    bomb.send(headersFrame(1, Buffer.concat(fields)));
    await eventually('it is refused', () => bomb.isOver || (bomb.received.get(FRAME.resetStream) ?? 0) > 0);
    assert.equal(bomb.received.get(FRAME.headers), undefined, 'no response');
    for (const caller of [endless, bomb]) caller.close();
  });
});
