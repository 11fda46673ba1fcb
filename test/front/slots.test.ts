// A slot is held from the moment a request's body is complete until its answer is sent, and is never lost.
// Only in test:all: long property runs
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants } from 'node:http2';
import { suite, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { END_HEADERS, FRAME, frame, headersFrame, requestFields, resetFrame } from '../e2e/http2-frames.ts';
import { RawHttp2 } from '../e2e/raw-http2.ts';
import { eventually } from '../eventually.ts';
import { Seeded } from '../seeded.ts';
import { ask, CA, type Front, http1To, http2To, openFront, requestTo, statusOf } from './front.ts';

const POST = { ':method': 'POST', ':path': '/work', 'content-type': 'application/json' };
const HALF = `${requestTo('/work', 'POST', 'Content-Type: application/json\r\nContent-Length: 10\r\n')}{`;

const BEGIN = Buffer.from('{');

/** Every way in which a request can end. Each resolves when the caller has done its part. */
const ENDS: Readonly<Record<string, (front: Front) => Promise<void>>> = {
  answered: async (front) => {
    const { socket, statuses } = await http1To(front);
    socket.write(requestTo('/now'));
    await eventually('an answer', () => statuses().length === 1);
    socket.destroy();
  },
  'answered over HTTP/2': async (front) => {
    const session = http2To(front);
    assert.equal(await statusOf(session.request({ ':path': '/now' })), 200);
    session.close();
  },
  'HEAD, with and without a body that does not come': async (front) => {
    const session = http2To(front);
    for (const endStream of [true, false])
      assert.equal(await statusOf(session.request({ ':method': 'HEAD', ':path': '/now' }, { endStream })), 200);
    session.destroy();
  },
  'refused: a path without a route': async (front) => {
    assert.equal(await ask(front, '/nowhere'), 404);
    const session = http2To(front);
    assert.equal(await statusOf(session.request({ ...POST, ':path': '/nowhere' }, { endStream: false })), 404);
    session.destroy();
  },
  'cut off in its body': async (front) => {
    const { socket } = await http1To(front);
    socket.write(HALF);
    await wait(10);
    socket.destroy();
  },
  'cut off in its body over HTTP/2': async (front) => {
    const session = http2To(front);
    await once(session, 'remoteSettings');
    session
      .request(POST)
      .on('error', () => undefined)
      .write('{');
    await wait(10);
    session.destroy();
  },
  'reset in its body': async (front) => {
    const caller = await RawHttp2.open({ port: front.port, ca: CA });
    const fields = requestFields('POST', '/work', [['content-type', 'application/json']]);
    for (let n = 0; n < 5; n++) {
      const stream = caller.nextStream();
      caller.send(Buffer.concat([headersFrame(stream, fields, END_HEADERS), frame(FRAME.data, 0, stream, BEGIN)]));
      await wait(5);
      caller.send(resetFrame(stream));
    }
    await wait(10);
    caller.close();
  },
  'cut off while it is worked on': async (front) => {
    const { socket } = await http1To(front);
    socket.write(requestTo('/work'));
    await eventually('it is worked on', () => front.waiting() > 0);
    socket.destroy();
  },
  'reset while it is worked on': async (front) => {
    const session = http2To(front);
    const stream = session.request({ ':path': '/work' }).on('error', () => undefined);
    await eventually('it is worked on', () => front.waiting() > 0);
    stream.close(constants.NGHTTP2_CANCEL);
    await wait(10);
    session.destroy();
  },
  'cut off in a pipeline': async (front) => {
    const { socket } = await http1To(front);
    socket.write(requestTo('/work') + requestTo('/now').repeat(9));
    await eventually('the first is worked on', () => front.waiting() > 0);
    socket.destroy();
  },
  'cut off behind more than a pipeline': async (front) => {
    const { socket } = await http1To(front);
    socket.write(requestTo('/work').repeat(40));
    await eventually('the first is worked on', () => front.waiting() > 0);
    socket.destroy();
  },
  'cut off behind a CONNECT': (front) => cutBehind(front, requestTo('x:443', 'CONNECT')),
  'cut off behind bad HTTP': (front) => cutBehind(front, 'NONSENSE\r\n\r\n'),
  'bad HTTP in its body': async (front) => {
    const { socket, isClosed } = await http1To(front);
    socket.write(requestTo('/work', 'POST', 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n'));
    socket.write('zz\r\n');
    await eventually('the connection closes', isClosed);
  },
  'cut off in its event stream': async (front) => {
    const { socket, statuses } = await http1To(front);
    socket.write(requestTo('/events'));
    await eventually('an answer', () => statuses().length === 1);
    socket.destroy();
  },
  'cut off in its event stream over HTTP/2': async (front) => {
    const session = http2To(front);
    assert.equal(await statusOf(session.request({ ':path': '/events' })), 200);
    session.destroy();
  },
};

async function cutBehind(front: Front, last: string): Promise<void> {
  const { socket } = await http1To(front);
  socket.write(requestTo('/work').repeat(3));
  await eventually('it is worked on', () => front.waiting() > 0);
  for (const text of [last, 'more']) {
    socket.write(text);
    await wait(20);
  }
  socket.destroy();
}

suite('a slot is never lost', { concurrency: true }, () => {
  for (const [how, end] of Object.entries(ENDS))
    test(`a request ends: ${how}`, async (t) => {
      const front = await openFront(t, { inFlight: 50, eventStreams: 3 });
      for (let round = 0; round < 5; round++) await end(front);
      await eventually('all connections are closed', () => front.connections() === 0);
      await front.assertNothingHeld();
      if (/in its body/.test(how)) assert.equal(front.seen.handled, 0, 'nobody sees a part of a body');
      front.goOn();
      assert.equal(await ask(front, '/now'), 200);
    });

  test('whatever 200 callers do at a time', async (t) => {
    const front = await openFront(t, {
      inFlight: 20,
      eventStreams: 10,
      requestTimeoutMs: 1_000,
    });
    const random = new Seeded(38);
    const callers = Array.from({ length: 200 }, (_, n) =>
      n % 2 ? fuzzHttp1(front, random) : fuzzHttp2(front, random),
    );
    const over = Promise.all(callers).then(() => true);
    for (let isOver = false; !isOver; isOver = await Promise.race([over, wait(10, false)])) {
      const { held, orphaned } = front.census();
      assert.ok(held <= 20, `${held} slots are held`);
      assert.equal(orphaned, 0);
    }
    await eventually('all connections are closed', () => front.connections() === 0);
    await front.assertNothingHeld();
    front.goOn();
    assert.equal(await ask(front, '/now'), 200);
    assert.equal(await statusOf(http2To(front).request({ ':path': '/events' })), 200);
  });
});

const PATHS = ['/now', '/work', '/big', '/events', '/healthz', '/nowhere'] as const;

async function fuzzHttp1(front: Front, random: Seeded): Promise<void> {
  const { socket } = await http1To(front);
  const texts = [
    HALF,
    `${HALF}123456789`,
    'NONSENSE\r\n\r\n',
    requestTo('x:443', 'CONNECT'),
    requestTo('/now', 'HEAD'),
  ];
  for (let n = 0; n < 4 && socket.writable; n++) {
    socket.write(random.pick([...texts, ...PATHS.map((path) => requestTo(path).repeat(random.pick([1, 1, 5, 20])))]));
    await wait(random.pick([0, 0, 5, 50]));
  }
  socket.destroy();
}

async function fuzzHttp2(front: Front, random: Seeded): Promise<void> {
  const session = http2To(front, { settings: { initialWindowSize: random.pick([0, 65_535]) } });
  for (let n = 0; n < 8 && !session.destroyed; n++) {
    const fields = { ':method': random.pick(['GET', 'POST', 'HEAD']), ':path': random.pick(PATHS) };
    const stream = session.request(fields, { endStream: random.pick([true, false]) });
    stream.on('error', () => undefined).resume();
    await wait(random.pick([0, 0, 5, 50]));
    const then = random.pick(['cancel', 'cancel', 'end', 'nothing']);
    if (then === 'cancel') stream.close(constants.NGHTTP2_CANCEL);
    if (then === 'end' && stream.writable) stream.end('{}');
  }
  if (random.pick([true, false])) session.destroy();
  else session.close();
  setTimeout(() => session.destroy(), 200);
}

test('a request counts as answered if its answer was sent, and as aborted if its caller went before', async (t) => {
  const front = await openFront(t);
  const session = http2To(front);
  assert.equal(await statusOf(session.request({ ':method': 'HEAD', ':path': '/now' })), 200);
  for (const path of ['/now', '/nowhere']) await statusOf(session.request({ ':path': path }));
  await ENDS['answered']?.(front);
  await eventually('all have ended', () => front.seen.outcomes.length === 4);
  assert.deepEqual(front.seen.outcomes.splice(0), ['accepted', 'accepted', 'refused', 'accepted']);
  session.destroy();
  const aborted = Object.entries(ENDS).filter(([how]) => /^(cut off|reset) (in its body|while)/.test(how));
  for (const [, end] of aborted) await end(front);
  await eventually('no connection is open', () => front.connections() === 0);
  assert.deepEqual(new Set(front.seen.outcomes), new Set(['aborted']));
});
