// When all slots are taken: who is refused, who is not, and who holds none.
import assert from 'node:assert/strict';
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
  test('one more request gets 503 with Retry-After after a second, and a slot that becomes free goes to the next', async (t) => {
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
    assert.deepEqual(front.refused, ['overloaded', 'overloaded']);
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
});
