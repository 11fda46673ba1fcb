// Who gets a slot, who waits for one, and who is refused.
import assert from 'node:assert/strict';
import { constants } from 'node:http2';
import { suite, test } from 'node:test';
import { stillFront } from './still-front.ts';

type Asked = ReturnType<ReturnType<typeof stillFront>['ask']>;
const handled = (all: readonly Asked[]) => all.map(({ isHandled }) => isHandled());
const statuses = (all: readonly Asked[]) => all.map(({ response }) => response.status);

suite('without a free slot', () => {
  test('a request is refused after two seconds, and told to come back in one, two or three', async (t) => {
    const { ask, pass, turnedAway, worded } = stillFront(t, { inFlight: 1 });
    ask();
    const late = [ask(undefined, { url: '/oauth2/token' }), ask(), ask(), ask()];
    await pass(1_999);
    assert.deepEqual(turnedAway, []);
    await pass(1);
    assert.deepEqual(turnedAway, Array(4).fill('overloaded'));
    assert.deepEqual(statuses(late), [503, 503, 503, 503]);
    const retryAfter = late.map(({ response }) => response.retryAfter);
    assert.deepEqual(retryAfter, ['1', '2', '3', '1']);
    assert.deepEqual(new Set(handled(late)), new Set([false]));
    assert.equal(late[0]?.response.shouldKeepAlive, true);
    assert.deepEqual(worded.slice(0, 2), ['/oauth2/token', '/oauth2/token'], 'in the words of its door');
  });

  test('a request that has waited for a second at most gets the next one; the newest first', async (t) => {
    const { ask, pass } = stillFront(t, { inFlight: 1 });
    const first = ask();
    const older = ask();
    await pass(1);
    const [second, third] = [ask(), ask()];
    await pass(1_000);
    first.response.end();
    assert.equal(third.isHandled(), false, 'the answer that freed the slot goes first');
    await pass(0);
    assert.deepEqual(handled([older, second, third]), [false, false, true]);
    third.response.end();
    await pass(0);
    assert.deepEqual(handled([older, second]), [false, true]);
    second.response.end();
    await pass(0);
    assert.equal(older.isHandled(), false, 'its second was over');
    await pass(2_000);
    assert.deepEqual(statuses([older, second, third]), [503, 0, 0], 'who was let in is not refused');
  });

  test('as many are let in as there are slots, and those whose caller is gone take none', async (t) => {
    const { ask, connect, pass, turnedAway } = stillFront(t, { inFlight: 2 });
    const first = [ask(), ask()];
    const gone = connect();
    const waiting = [ask(), ask(), ask(), ask(gone)];
    gone.destroy();
    for (const { response } of first) response.end();
    await pass(0);
    assert.deepEqual(handled(waiting), [false, true, true, false]);
    await pass(2_000);
    assert.deepEqual(turnedAway, ['overloaded'], 'neither who was let in, nor who is gone');
  });

  test('one that does not use the slot does not keep it from the others: refused, or its body has yet to come', async (t) => {
    const { ask, pass } = stillFront(t, { inFlight: 1 });
    const first = ask();
    const waiting = [ask(), ask(), ask(undefined, { complete: false }), ask(undefined, {}, 'refuses')];
    first.response.end();
    await pass(0);
    assert.deepEqual(handled(waiting), [false, true, true, true]);
  });

  for (const complete of [true, false])
    test(`one whose door has yet to take the slot keeps it: over HTTP/${complete ? '1.1' : '2'}`, async (t) => {
      const { ask, pass, stream } = stillFront(t, { inFlight: 1 });
      const later = () => {
        const of = complete ? undefined : stream();
        return ask(of?.session.socket, { complete, stream: of }, 'later');
      };
      const first = ask();
      const waiting = [later(), later()];
      first.response.end();
      await pass(0);
      assert.deepEqual(handled(waiting), [false, true]);
    });

  test('those of an address that has its share do not keep others from slots, and keep their order', async (t) => {
    const { ask, connect, pass } = stillFront(t, { inFlight: 2, addressShare: 50 });
    const [busy, other] = [ask(connect('192.0.2.1')), ask(connect('198.51.100.1'))];
    const third = ask(connect('203.0.113.1'));
    const more = [ask(connect('192.0.2.1')), ask(connect('192.0.2.1'))];
    other.response.end();
    await pass(0);
    assert.deepEqual(handled([third, ...more]), [true, false, false]);
    busy.response.end();
    await pass(0);
    assert.deepEqual(handled(more), [false, true], 'the newer one');
  });

  for (const [asked, searches] of [
    [64, 2],
    [63, 1],
  ] as const)
    test(`after ${asked} of them, others are found in search ${searches}`, async (t) => {
      const { slots, ask, connect, pass } = stillFront(t, { inFlight: 3, addressShare: 34 });
      const first = [ask(connect('192.0.2.1')), ask(connect('198.51.100.1')), ask(connect('203.0.113.1'))];
      const waiting = ask(connect('233.252.0.1'));
      const looked: unknown[] = [];
      for (let n = 0; n < asked; n++) ask(connect('192.0.2.1'));
      const whyNot = slots.whyNot.bind(slots);
      slots.whyNot = (request) => {
        looked.push(request);
        return whyNot(request);
      };
      first[1]?.response.end();
      await pass(0);
      assert.equal(looked.length, 64);
      assert.equal(waiting.isHandled(), searches === 1);
    });

  test('callers that are gone, however many, do not hide one that waits', async (t) => {
    const { ask, connect, pass } = stillFront(t, { inFlight: 1 });
    const [first, waiting] = [ask(), ask()];
    for (let n = 0; n < 64; n++) {
      const socket = connect();
      ask(socket);
      socket.destroy();
    }
    first.response.end();
    await pass(0);
    assert.equal(waiting.isHandled(), true);
  });

  test('a slot that nobody may take is offered once', async (t) => {
    const { slots, ask, connect, pass } = stillFront(t, { inFlight: 2, addressShare: 50 });
    const [, other] = [ask(connect('192.0.2.1')), ask(connect('198.51.100.1'))];
    for (let n = 0; n < 3; n++) ask(connect('192.0.2.1'));
    const looks = t.mock.method(slots, 'whyNot').mock;
    other.response.end();
    await pass(0);
    assert.equal(looks.callCount(), 3);
  });

  test('500 that wait are not too many to be served within their second', async (t) => {
    const { ask, pass } = stillFront(t, { inFlight: 1 });
    const first = ask();
    const waiting = Array.from({ length: 499 }, () => ask());
    await pass(1_000);
    waiting.push(ask());
    for (const { response } of [first, waiting.at(-1) as Asked]) {
      response.end();
      await pass(0);
    }
    assert.deepEqual(handled(waiting.slice(-3)), [false, true, true]);
  });

  test('64 health checks are answered all the same', async (t) => {
    const { ask, pass, slots } = stillFront(t, { inFlight: 1 });
    ask();
    const check = () => ask(undefined, { url: '/healthz' });
    const checks = Array.from({ length: 65 }, check);
    assert.deepEqual(handled(checks), [...Array(64).fill(true), false]);
    assert.deepEqual(slots.census(), { held: 1, living: 1, orphaned: 0 });
    checks[0]?.response.end();
    assert.equal(check().isHandled(), true);
    await pass(2_000);
    assert.deepEqual(statuses(checks.slice(-2)), [0, 503]);
  });
});

suite('a connection', () => {
  test('may have 16 requests in progress: the next one is refused, and those behind it are not heard', async (t) => {
    const { ask, at, connect, pass, turnedAway } = stillFront(t);
    const socket = connect();
    const asked = Array.from({ length: 18 }, () => ask(socket));
    assert.deepEqual(handled(asked), [...Array(16).fill(true), false, false]);
    assert.equal(at(socket as never)?.isClosing, true);
    await pass(1_999);
    assert.deepEqual(turnedAway, []);
    await pass(1);
    assert.deepEqual(turnedAway, ['rate-limited']);
    assert.deepEqual(statuses(asked.slice(-3)), [0, 429, 0]);
    assert.deepEqual(
      asked.slice(-3).map(({ response }) => response.shouldKeepAlive),
      [true, false, true],
    );
  });

  test('ends behind a request that asks for another protocol, or is answered before its last chunk has come', (t) => {
    const { ask } = stillFront(t);
    const staysOpen = (headers: object) => ask(undefined, { headers });
    assert.equal(staysOpen({}).response.shouldKeepAlive, true);
    assert.equal(staysOpen({ upgrade: 'websocket' }).response.shouldKeepAlive, false);
    const chunked = staysOpen({ 'transfer-encoding': 'chunked' });
    assert.equal(chunked.response.shouldKeepAlive, false);
    chunked.request().raw.emit('end');
    assert.equal(chunked.response.shouldKeepAlive, true);
  });

  test('of a listed proxy counts for the address that it forwards; without one, for nobody', (t) => {
    const { ask, connect } = stillFront(t, { inFlight: 4, addressShare: 25 }, ['10.0.0.1']);
    const through = (forwarded?: string) =>
      ask(connect('10.0.0.1'), { headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded } });
    const asked = [through('192.0.2.1'), through('192.0.2.1'), through(), through(), ask(connect('192.0.2.1'))];
    assert.deepEqual(handled(asked), [true, false, true, true, false]);
  });

  test('of HTTP/2 does not wait for the rest of a body that nobody read, once the answer is sent [RFC 9113 8.1]', (t) => {
    const { ask, stream } = stillFront(t);
    const closed = [
      [false, false],
      [false, true],
      [true, false],
    ].map(([endAfterHeaders, readableEnded]) => {
      const of = Object.assign(stream(undefined, endAfterHeaders), { readableEnded });
      ask(of.session.socket, { stream: of });
      of.emit('finish');
      return of.closedWith;
    });
    assert.deepEqual(closed, [constants.NGHTTP2_NO_ERROR, undefined, undefined]);
  });

  test('that is not known any more, or is about to close, brings no request', (t) => {
    const { ask, connect } = stillFront(t);
    const socket = connect();
    socket.destroy();
    assert.equal(ask(socket).isHandled(), false);
  });
});

suite('while the server stops', () => {
  test('a refusal ends its connection', async (t) => {
    const { ask, pass, slots } = stillFront(t, { inFlight: 1 });
    ask();
    const late = ask();
    slots.endEventStreams();
    await pass(2_000);
    assert.deepEqual([late.response.status, late.response.shouldKeepAlive], [503, false]);
  });
});

suite('event streams', () => {
  test('hold no slot, and are limited: of an address, of a follower, and in all', (t) => {
    const limits = { inFlight: 1, eventStreams: 6, addressShare: 34, eventStreamsOfOne: () => 2 };
    const { ask, connect, slots } = stillFront(t, limits);
    const follow = (host: number, follower: string) => {
      const { request, response } = ask(connect(`192.0.${host}.1`));
      const refusal = request().keepStreaming(() => undefined, follower);
      if (refusal) response.end();
      return { refusal, end: () => response.end() };
    };
    for (let n = 0; n < 2; n++) {
      const pair = [follow(8, 'z'), follow(9, 'z')];
      for (const { refusal, end } of pair) {
        assert.equal(refusal, undefined, 'those before have ended');
        end();
      }
    }
    const first = follow(1, 'a');
    assert.equal(slots.census().held, 0);
    assert.deepEqual(
      [follow(1, 'b'), follow(1, 'c'), follow(2, 'a'), follow(3, 'a')].map(({ refusal }) => refusal),
      [undefined, 'rate-limited', undefined, 'rate-limited'],
    );
    first.end();
    assert.deepEqual(
      [follow(3, 'a'), follow(1, 'c'), follow(4, 'c'), follow(5, 'd'), follow(6, 'e')].map(({ refusal }) => refusal),
      [undefined, undefined, undefined, undefined, 'overloaded'],
    );
  });

  test('free the slot for a request that waits for it', async (t) => {
    const { ask, pass } = stillFront(t, { inFlight: 1 });
    const [first, waiting] = [ask(), ask()];
    first.request().keepStreaming(() => undefined, 'a');
    await pass(0);
    assert.equal(waiting.isHandled(), true);
  });

  test('end when the server stops, and so do those that begin then', (t) => {
    const { ask, slots } = stillFront(t);
    const ended: string[] = [];
    const keep = (name: string) =>
      ask()
        .request()
        .keepStreaming(() => void ended.push(name), name);
    keep('a');
    assert.deepEqual(ended, []);
    slots.endEventStreams();
    keep('b');
    assert.deepEqual(ended, ['a', 'b']);
  });
});

suite('a request', () => {
  test('ends once: answered, or aborted if its caller went before; then it takes no slot any more', async (t) => {
    const { ask, connect, pass, slots } = stillFront(t);
    const ends: unknown[] = [];
    const asking = (socket = connect()) => {
      const asked = ask(socket);
      asked.request().onEnd = (...end) => void ends.push(end);
      return asked;
    };
    const answered = asking();
    await pass(1.25);
    answered.response.end();
    const socket = connect();
    const aborted = asking(socket);
    const gone = aborted.request();
    await pass(2);
    socket.destroy();
    aborted.response.end();
    slots.take(gone); // while its door asked the store who it is
    assert.deepEqual(slots.census(), { held: 0, living: 0, orphaned: 0 });
    assert.deepEqual(ends, [
      [true, 1.25],
      [false, 2],
    ]);
  });

  test('over HTTP/2 is answered if its stream was sent and not cut off, by the caller or by us', (t) => {
    const { ask, stream } = stillFront(t);
    const ends: unknown[] = [];
    for (const [writableFinished, aborted, isDisconnected] of [
      [true, false, false],
      [true, true, false],
      [false, false, false],
      [true, false, true],
    ] as const) {
      const of = Object.assign(stream(), { writableFinished, aborted });
      const { request, response } = ask(of.session.socket, { stream: of });
      const followed = request();
      followed.onEnd = (isAnswered) => void ends.push([isAnswered, of.closedWith]);
      if (isDisconnected) followed.disconnect();
      response.end();
    }
    const CANCEL = constants.NGHTTP2_CANCEL;
    assert.deepEqual(ends, [
      [true, undefined],
      [false, undefined],
      [false, undefined],
      [false, CANCEL],
    ]);
  });

  test('asks its caller for another connection if it is the last one on this; that stays open unless the server stops', (t) => {
    const { ask, connect, slots, stream } = stillFront(t);
    const [socket, of] = [connect(), stream()];
    const [first, last, other] = [ask(socket), ask(socket), ask(of.session.socket, { stream: of })];
    const all = [first, last, other].map(({ request }) => request());
    const open = () => all.map((request) => request.staysOpen());
    assert.deepEqual(open(), [true, true, false]);
    slots.endEventStreams();
    assert.deepEqual(open(), [false, false, false]);
    for (const request of all) request.endConnection();
    assert.deepEqual(
      [first, last].map(({ response }) => response.shouldKeepAlive),
      [true, false],
    );
    assert.equal(of.session.closed, true);
    first.request().disconnect();
    assert.equal(socket.destroyed, true);
  });

  test('of a thousand whose answers are not read, the next one closes the connection of the oldest, half a second after its answer', async (t) => {
    const { ask, connect, pass } = stillFront(t);
    const sockets = Array.from({ length: 1_002 }, () => connect());
    const answer = (n: number) => {
      const { request, response } = ask(sockets[n]);
      request().release();
      response.end(false);
    };
    answer(0);
    await pass(499);
    for (let n = 1; n <= 1_000; n++) answer(n);
    assert.equal(
      sockets.some(({ destroyed }) => destroyed),
      false,
      'the oldest may still be read',
    );
    await pass(1);
    answer(1_001);
    assert.deepEqual(
      sockets.flatMap(({ destroyed }, n) => (destroyed ? [n] : [])),
      [0],
    );
  });
});
