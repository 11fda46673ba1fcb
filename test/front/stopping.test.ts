// A stop loses no request, and nobody can delay it for ever.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { suite, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { eventually } from '../eventually.ts';
import { http1To, http2To, openFront, requestTo, statusOf } from './front.ts';

/** Connects while the thread of the service accepts nothing; then sends a request. */
const LATE_CALLER = `
  const { parentPort, workerData: { port, connected } } = require('node:worker_threads');
  const socket = require('node:net').connect(port, '127.0.0.1', () => {
    Atomics.store(connected, 0, 1);
    Atomics.notify(connected, 0);
    socket.write('GET /now HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n');
  });
  socket.once('data', (answer) => parentPort.postMessage(String(answer).slice(0, 12)));
  socket.once('error', (error) => parentPort.postMessage(error.code));`;

test('a connection that the kernel has accepted before a stop, and the service has not, is served', async (t) => {
  const front = await openFront(t, { drainIdleMs: 20_000 }, { plain: true }); // its request comes a moment later
  const connected = new Int32Array(new SharedArrayBuffer(4));
  const caller = new Worker(LATE_CALLER, { eval: true, workerData: { port: front.port, connected } });
  const answer = once(caller, 'message');
  await once(caller, 'online');
  Atomics.wait(connected, 0, 0);
  const stopped = front.stop();
  assert.deepEqual(await answer, ['HTTP/1.1 200']);
  await stopped;
});

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

test('a stop leaves no timer behind, which would keep the process alive', async (t) => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  const front = await openFront(t, { drainIdleMs: 60_000 }, { plain: true });
  await front.stop();
  assert.ok(timers() <= before);
});
