// What unauthenticated clients take in memory is free again once they are gone. The drill `http2` measures the whole process.
// Own process: memory is searched, which takes long in a process that other files have filled.
import { test } from 'node:test';
import { TLSSocket } from 'node:tls';
import { queryObjects } from 'node:v8';
import { eventually } from '../eventually.ts';
import { http1To, http2To, openFront, requestTo } from './front.ts';

/** A request that is still in memory keeps its connection there. */
const connectionsInMemory = () => queryObjects(TLSSocket, { format: 'count' });

const HALF = `${requestTo('/work', 'POST', 'Content-Type: application/json\r\nContent-Length: 60000\r\n')}{`;

test('connections, requests and answers that nobody reads leave nothing in memory once their callers are gone', async (t) => {
  const front = await openFront(t);
  const flood = async () => {
    const callers = await Promise.all(Array.from({ length: 40 }, () => http1To(front)));
    for (const [n, { socket }] of callers.entries())
      socket.pause().write(n % 2 ? HALF : requestTo('/work') + requestTo('/big').repeat(8));
    const sessions = Array.from({ length: 10 }, () => http2To(front, { settings: { initialWindowSize: 0 } }));
    for (const session of sessions)
      for (let n = 0; n < 10; n++) session.request({ ':path': n % 2 ? '/big' : '/work' }).on('error', () => undefined);
    await eventually('all are worked on', () => front.waiting() >= 70);
    for (const { socket } of callers) socket.destroy();
    for (const session of sessions) session.destroy();
    await eventually('all are gone', () => front.connections() === 0);
    front.goOn();
    await front.assertNothingHeld();
  };
  await flood();
  await eventually('nothing of it is in memory', () => connectionsInMemory() === 0);
});
