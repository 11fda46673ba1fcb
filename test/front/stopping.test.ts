// A stop loses no request, and nobody can delay it for ever.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { suite, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { http1To, http2To, openFront, requestTo, statusOf } from './front.ts';

suite('a stop', { concurrency: true }, () => {
  test('waits for work in progress, on both protocols, and for bodies that arrive', async (t) => {
    const front = await openFront(t);
    const [working, half] = [await http1To(front), await http1To(front)];
    working.socket.write(requestTo('/work'));
    half.socket.write(`${requestTo('/work', 'POST', 'Content-Type: application/json\r\nContent-Length: 2\r\n')}{`);
    const session = http2To(front);
    const streams = [session.request({ ':path': '/work' }), session.request({ ':path': '/work' })];
    const statuses = Promise.all(streams.map(statusOf));
    await eventually('all are worked on', () => front.waiting() === 3);
    const stopped = front.stop();
    half.socket.write('}');
    await eventually('that too', () => front.waiting() === 4);
    front.goOn();
    await stopped;
    assert.deepEqual(await statuses, [200, 200]);
    await eventually('both are closed', () => working.isClosed() && half.isClosed());
    for (const { text } of [working, half]) assert.match(text(), /^HTTP\/1.1 200 .*^connection: close\r$/ims);
  });

  test('answers requests that wait for a slot', async (t) => {
    const front = await openFront(t, { inFlight: 1 });
    const [working, waiting] = [await http1To(front), await http1To(front)];
    working.socket.write(requestTo('/work'));
    await eventually('it is worked on', () => front.waiting() === 1);
    waiting.socket.write(requestTo('/now'));
    const stopped = front.stop();
    front.goOn();
    await stopped;
    assert.match(waiting.text(), /^HTTP\/1.1 (?:200|503) .*^connection: close\r$/ims);
  });

  test('ends event streams in order, and those that begin meanwhile', async (t) => {
    const front = await openFront(t, { drainIdleMs: 20_000 });
    const [follower, idle] = [await http1To(front), await http1To(front)];
    follower.socket.write(requestTo('/events'));
    await eventually('it follows', () => follower.statuses().length === 1);
    const session = http2To(front);
    const stream = session.request({ ':path': '/events' });
    assert.equal(await statusOf(stream), 200);
    const ended = once(stream, 'end');
    const stopped = front.stop();
    await ended;
    await eventually('the end of the chunks', () => follower.text().endsWith('\r\n0\r\n\r\n'));
    idle.socket.write(requestTo('/events'));
    await eventually('the late one has ended', () => /^HTTP\/1.1 200 .*\r\n\r\n$/s.test(idle.text()));
    for (const { socket } of [follower, idle]) socket.destroy();
    session.destroy();
    await stopped;
  });

  test('does not wait for idle connections, handshakes and work longer than stopTimeout', async (t) => {
    const front = await openFront(t, { stopTimeoutMs: 500, drainIdleMs: 20_000 });
    const callers = [await http1To(front), await http1To(front)];
    callers[0]?.socket.write(requestTo('/work'));
    const stream = http2To(front).request({ ':path': '/work' });
    stream.on('error', () => undefined);
    await eventually('both are worked on', () => front.waiting() === 2);
    const began = performance.now();
    await front.stop();
    assert.ok(performance.now() - began < 10_000);
    await front.assertNothingHeld();
  });
});
