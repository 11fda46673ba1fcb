// The limits of src/front/limits.ts, with real callers: who is served, who is refused with which answer, and that one caller delays nobody else.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { suite, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '../eventually.ts';
import { ask, type Front, http1To, http2To, openFront, type Raw, requestTo, statusOf } from './front.ts';

const JSON_TYPE = 'Content-Type: application/json\r\n';

/** As many requests that are worked on, each on a connection of its own. */
async function work(front: Front, count: number, from?: string): Promise<Raw[]> {
  const before = front.waiting();
  const callers = await Promise.all(Array.from({ length: count }, () => http1To(front, from)));
  for (const { socket } of callers) socket.write(requestTo('/work'));
  await eventually('all are worked on', () => front.waiting() === before + count);
  return callers;
}

suite('all slots are taken', { concurrency: true }, () => {
  test('one more request gets 503 with Retry-After after two seconds, and a slot that becomes free goes to the next', async (t) => {
    const front = await openFront(t, { inFlight: 3 });
    const callers = await work(front, 3);
    const [http1, session] = [await http1To(front), http2To(front)];
    const began = performance.now();
    http1.socket.write(requestTo('/now'));
    assert.equal(await statusOf(session.request({ ':path': '/now' })), 503);
    assert.ok(performance.now() - began >= 1_990, 'it was held back for two seconds');
    await eventually('an answer', () => http1.statuses().length === 1);
    assert.match(http1.text(), /^HTTP\/1.1 503 .*\r\nretry-after: [123]\r\n/ims);
    assert.match(http1.text(), /\{"Error":"invalid_request"/);
    await eventually('both have ended', () => front.seen.outcomes.join() === 'refused,refused');
    callers[0]?.socket.destroy();
    await eventually('a slot is free', () => front.census().held === 2);
    http1.socket.write(requestTo('/now'));
    await eventually('the connection stayed open', () => http1.statuses().length === 2);
    assert.equal(http1.statuses()[1], 200);
    assert.equal(await statusOf(session.request({ ':path': '/now' })), 200);
    for (const each of [...callers, http1]) each.socket.destroy();
    session.destroy();
  });

  test('a request whose body comes meanwhile is refused too, before a door sees it', async (t) => {
    const front = await openFront(t, { inFlight: 2 });
    const late = await http1To(front);
    late.socket.write(`${requestTo('/work', 'POST', `${JSON_TYPE}Content-Length: 2\r\n`)}{`);
    const session = http2To(front);
    const stream = session.request({ ':method': 'POST', ':path': '/work', 'content-type': 'application/json' });
    stream.write('{');
    await wait(50);
    const callers = await work(front, 2);
    late.socket.write('}');
    stream.end('}');
    assert.equal(await statusOf(stream), 503);
    await eventually('an answer', () => late.statuses().length === 1);
    assert.equal(late.statuses()[0], 503);
    assert.deepEqual([front.seen.handled, front.census().held], [2, 2]);
    for (const each of [...callers, late]) each.socket.destroy();
    session.destroy();
  });
});

suite('slow callers hold no slot', { concurrency: true }, () => {
  test('neither bodies that do not come, nor answers that are not read', async (t) => {
    const front = await openFront(t, { inFlight: 2 });
    const halves = await Promise.all(Array.from({ length: 5 }, () => http1To(front)));
    for (const { socket } of halves)
      socket.write(`${requestTo('/work', 'POST', `${JSON_TYPE}Content-Length: 2\r\n`)}{`);
    const session = http2To(front, { settings: { initialWindowSize: 0 } });
    for (let n = 0; n < 5; n++) {
      session.request({ ':method': 'POST', ':path': '/now' }, { endStream: false }).on('error', () => undefined);
      session.request({ ':path': '/big' }).on('error', () => undefined);
    }
    const deaf = await http1To(front);
    deaf.socket.pause().write(requestTo('/big').repeat(12));
    await wait(200);
    await front.assertNothingHeld();
    assert.deepEqual(await Promise.all([ask(front, '/now'), ask(front, '/now')]), [200, 200]);
    for (const { socket } of [...halves, deaf]) socket.destroy();
    session.destroy();
  });

  test('a body that comes after its request was refused as too slow is ignored', async (t) => {
    const front = await openFront(t, { requestTimeoutMs: 1_000 });
    const session = http2To(front, { settings: { initialWindowSize: 0 } });
    const stream = session.request({ ':method': 'POST', ':path': '/work', 'content-type': 'application/json' });
    stream.write('{');
    assert.equal(await statusOf(stream), 400);
    stream.end('}');
    await wait(200);
    assert.equal(front.seen.handled, 0);
    session.destroy();
  });

  test('an answer to HEAD may wait behind another request', async (t) => {
    const front = await openFront(t);
    const caller = await http1To(front);
    caller.socket.write(requestTo('/work') + requestTo('/now', 'HEAD'));
    await wait(1_500);
    front.goOn();
    await eventually('both answers', () => caller.statuses().length === 2);
    caller.socket.destroy();
  });
});

suite('shares', { concurrency: true }, () => {
  test('an address, and a network, can hold a share of the slots; others are served', async (t) => {
    const front = await openFront(t, { inFlight: 8, addressShare: 50, networkShare: 75 });
    const callers = await work(front, 4, '127.0.9.2');
    const refused = await http1To(front, '127.0.9.2');
    refused.socket.write(requestTo('/now'));
    await eventually('an answer', () => refused.statuses().length === 1);
    assert.match(refused.text(), /^HTTP\/1.1 429 .*\r\nretry-after: [123]\r\n/ims);
    callers.push(refused, ...(await work(front, 2, '127.0.9.3')));
    const others = ['127.0.9.4', '127.0.10.1'].map((from) => ask(front, '/now', { from }));
    assert.deepEqual(await Promise.all(others), [429, 200]);
    for (const { socket } of callers) socket.destroy();
    await front.assertNothingHeld();
    for (const { socket } of await work(front, 4, '127.0.9.2')) socket.destroy();
  });

  test('an address that has its share, with a hundred more that wait, delays nobody else', async (t) => {
    const front = await openFront(t, { inFlight: 4, addressShare: 50 });
    const greedy = await work(front, 2, '127.0.9.1');
    const [more, late] = [await http1To(front, '127.0.9.1'), await http1To(front, '127.0.11.1')];
    const session = http2To(front, { localAddress: '127.0.9.1' });
    const refused = Promise.all(Array.from({ length: 99 }, () => statusOf(session.request({ ':path': '/now' }))));
    const others = await work(front, 2, '127.0.10.1');
    late.socket.write(requestTo('/now'));
    more.socket.write(requestTo('/now'));
    assert.equal(await ask(front, '/healthz'), 200, 'health checks need no slot');
    others[0]?.socket.destroy();
    await eventually('the other one is served', () => late.statuses().length === 1);
    assert.deepEqual([late.statuses(), more.statuses()], [[200], []]);
    assert.deepEqual(new Set(await refused), new Set([429]));
    for (const { socket } of [...greedy, ...others, more, late]) socket.destroy();
    session.destroy();
    await front.assertNothingHeld();
  });

  test('what waits for the share of its address is served when a slot of that is free', async (t) => {
    const front = await openFront(t, { inFlight: 4, addressShare: 50 });
    const [[working, still], waiting] = [await work(front, 2), await http1To(front)];
    waiting.socket.write(requestTo('/now'));
    await wait(50);
    working?.socket.destroy();
    await eventually('an answer', () => waiting.statuses().length === 1);
    assert.deepEqual(waiting.statuses(), [200]);
    for (const each of [still, waiting]) each?.socket.destroy();
  });

  test('of a free slot, the newest that waits is served first, and then the others', async (t) => {
    const front = await openFront(t, { inFlight: 1 });
    const [worker] = await work(front, 1);
    const waiting = [await http1To(front), await http1To(front), await http1To(front)];
    const served: number[] = [];
    for (const [n, { socket }] of waiting.entries()) {
      socket.once('data', () => served.push(n)).write(requestTo('/now'));
      await wait(20);
    }
    waiting[1]?.socket.destroy();
    await wait(20);
    worker?.socket.destroy();
    await eventually('both are served', () => served.length === 2);
    assert.deepEqual(served, [2, 0]);
    for (const { socket } of waiting) socket.destroy();
  });

  test('streams of events hold no slot, and are limited: of a follower, and in all', async (t) => {
    const front = await openFront(t, { inFlight: 1, eventStreams: 3, eventStreamsOfOne: () => 2 });
    const follow = async (follower: string) => {
      const caller = await http1To(front);
      caller.socket.write(requestTo('/events', 'GET', `X-Follower: ${follower}\r\n`));
      await eventually('an answer', () => caller.statuses().length === 1);
      t.after(() => caller.socket.destroy());
      return caller;
    };
    const all = [await follow('a'), await follow('a'), await follow('a'), await follow('b'), await follow('c')];
    const statuses = all.map((caller) => caller.statuses()[0]);
    assert.deepEqual(statuses, [200, 200, 429, 200, 503]);
    all[0]?.socket.destroy();
    await eventually('another may', async () => (await follow('a')).statuses()[0] === 200);
    await front.assertNothingHeld();
  });
});

suite('connections', { concurrency: true }, () => {
  const areOpen = async (all: readonly Raw[]) => {
    await wait(50);
    return all.map(({ isClosed }) => !isClosed());
  };

  test('an address, and a network, can hold a share of them; a listed proxy any number', async (t) => {
    const limits = { connections: 10, addressShare: 20, networkShare: 30 };
    const front = await openFront(t, limits, { proxies: ['127.0.7.1'] });
    const open = async (from: string, count: number) => {
      const all: Raw[] = [];
      while (all.length < count) all.push(await http1To(front, from));
      t.after(() => all.forEach(({ socket }) => void socket.destroy()));
      return (await areOpen(all)).filter(Boolean).length;
    };
    const taken = [await open('127.0.9.1', 3), await open('127.0.9.2', 3), await open('127.0.7.1', 5)];
    assert.deepEqual([...taken, await open('127.0.10.1', 2)], [2, 1, 5, 2]);
  });

  test('behind a proxy, only proxies connect, and requests count for the address that they forward', async (t) => {
    const proxies = ['127.0.7.1'];
    const front = await openFront(t, { inFlight: 4, addressShare: 25 }, { plain: true, proxies, behindProxy: true });
    const through = async (path: string, forwarded?: string) => {
      const socket = connect({ port: front.port, host: '127.0.0.1', localAddress: '127.0.7.1' });
      t.after(() => socket.destroy());
      socket.write(requestTo(path, 'GET', forwarded ? `X-Forwarded-For: ${forwarded}\r\n` : ''));
      return String(await Promise.race([once(socket, 'data'), wait(500, 'it waits')])).slice(0, 12);
    };
    const working = through('/work', '192.0.2.1');
    await eventually('it is worked on', () => front.waiting() === 1);
    assert.equal(await through('/now', '192.0.2.1'), 'it waits');
    assert.deepEqual([await through('/now', '192.0.2.2'), await through('/now')], Array(2).fill('HTTP/1.1 200'));
    assert.equal(await working, 'it waits');
    const stranger = connect({ port: front.port, host: '127.0.0.1', localAddress: '127.0.8.1' });
    stranger.on('error', () => undefined);
    await eventually('another address is not let in', () => stranger.destroyed);
  });

  test('one has 16 requests in progress at most: it ends behind their answers', async (t) => {
    const front = await openFront(t);
    const { socket, statuses, isClosed } = await http1To(front);
    socket.write(requestTo('/now').repeat(40));
    await eventually('it is closed', isClosed);
    assert.deepEqual(statuses(), Array(16).fill(200));
  });

  test('of a thousand answers that are not read, the connection of the oldest closes for the next one', async (t) => {
    const front = await openFront(t, { inFlight: 2_000 });
    const fill = async () => {
      const session = http2To(front, { settings: { initialWindowSize: 0 } });
      await Promise.all(Array.from({ length: 100 }, () => once(session.request({ ':path': '/now' }), 'response')));
      return session;
    };
    const sessions = [await fill()];
    await wait(500);
    while (sessions.length < 10) sessions.push(await fill());
    assert.equal(front.connections(), 10);
    sessions.push(await fill());
    await eventually('it is closed', () => sessions[0]?.destroyed === true);
    assert.equal(front.connections(), 10);
    for (const session of sessions) session.destroy();
  });
});

test('one connection too many takes the place of the one that has been idle for longest; not of a busy one, nor of a proxy', async (t) => {
  let now = performance.now();
  Object.defineProperty(performance, 'now', { configurable: true, value: () => now });
  t.after(() => Reflect.deleteProperty(performance, 'now'));
  const front = await openFront(t, { connections: 5, addressShare: 60 }, { proxies: ['127.0.7.1'] });
  const [proxy, [busy]] = [await http1To(front, '127.0.7.1'), await work(front, 1)];
  const [first, second, other] = [await http1To(front), await http1To(front), await http1To(front, '127.0.9.1')];
  now += 999;
  const early = await http1To(front, '127.0.10.1');
  await eventually('nobody has been idle for a second', early.isClosed);
  now += 1;
  const greedy = await http1To(front);
  await eventually('its address has its share', greedy.isClosed);
  const late = await http1To(front, '127.0.10.1');
  late.socket.write(requestTo('/now'));
  await eventually('the first has made way', () => first.isClosed() && late.statuses().length === 1);
  assert.deepEqual(
    [proxy, busy as Raw, second, other].map(({ isClosed }) => isClosed()),
    [false, false, false, false],
  );
  for (const { socket } of [proxy, busy as Raw, second, other, late]) socket.destroy();
});
