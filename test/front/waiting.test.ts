// Requests that find all slots taken wait for a second: a crowd that comes at once is served.
import assert from 'node:assert/strict';
import { constants } from 'node:http2';
import { suite, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { SLOT_WAIT_MS } from '../../src/front/limits.ts';
import { eventually } from '../eventually.ts';
import { type Front, http1To, http2To, openFront, requestTo, statusOf } from './front.ts';

/** Takes the only slot. Resolves when the request is worked on. */
async function work(front: Front): Promise<() => void> {
  const { socket } = await http1To(front);
  socket.write(requestTo('/work'));
  await eventually('it is worked on', () => front.waiting() === 1);
  return () => void socket.destroy();
}

suite('requests that wait for a slot', { concurrency: true }, () => {
  test('all get an answer when slots become free, however many they are', async (t) => {
    const front = await openFront(t, { inFlight: 1 });
    const leave = await work(front);
    const sessions = Array.from({ length: 4 }, () => http2To(front));
    await Promise.all(sessions.map((session) => new Promise((resolve) => session.once('remoteSettings', resolve))));
    const statuses = sessions.flatMap((session) =>
      Array.from({ length: 100 }, () => statusOf(session.request({ ':path': '/at-once' }))),
    );
    await wait(SLOT_WAIT_MS / 4);
    leave();
    const given = await Promise.all(statuses);
    assert.ok(given.filter((status) => status === 200).length > 100, `${front.seen.handled} were handled`);
    await front.assertNothingHeld();
    for (const session of sessions) session.destroy();
  });

  test('are served although a newer one, which is let in first, does not use the slot', async (t) => {
    const statuses = async () => {
      const front = await openFront(t, { inFlight: 1 });
      const leave = await work(front);
      const session = http2To(front);
      const waiting = statusOf(session.request({ ':path': '/now' }));
      await wait(50);
      const others = [
        statusOf(session.request({ ':path': '/nowhere' })),
        statusOf(session.request({ ':method': 'POST', ':path': '/nowhere' }, { endStream: false })),
      ];
      const slow = await http1To(front);
      slow.socket.write(requestTo('/work', 'POST', 'Content-Type: application/json\r\nContent-Length: 2\r\n'));
      await wait(50);
      leave();
      const given = await Promise.all([waiting, ...others]);
      slow.socket.destroy();
      session.destroy();
      return given;
    };
    let given = await statuses();
    // On a busy machine, the second may be over before the slot is free.
    for (let again = 0; again < 9 && given.includes(503); again++) given = await statuses();
    assert.deepEqual(given, [200, 404, 404]);
  });

  test('are not served any more if their caller is gone', async (t) => {
    const front = await openFront(t, { inFlight: 1 });
    const leave = await work(front);
    const session = http2To(front);
    const streams = Array.from({ length: 5 }, () => session.request({ ':path': '/work' }).on('error', () => undefined));
    const { socket } = await http1To(front);
    socket.write(requestTo('/work'));
    await wait(50);
    for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
    socket.destroy();
    await wait(50);
    leave();
    await wait(100);
    assert.equal(front.seen.handled, 1);
    await front.assertNothingHeld();
    session.destroy();
  });

  test('are served when a request that held a slot becomes an event stream', async (t) => {
    const front = await openFront(t, { inFlight: 1 });
    const session = http2To(front);
    const streams = Array.from({ length: 10 }, () => statusOf(session.request({ ':path': '/events' })));
    assert.deepEqual(new Set(await Promise.all(streams)), new Set([200]));
    session.destroy();
  });
});
