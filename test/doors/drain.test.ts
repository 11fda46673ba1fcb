import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Drain } from '../../src/doors/server/drain.ts';
import type { Places } from '../../src/doors/server/places.ts';

/** Connects, says so in shared memory, sends a request, and posts what it got. */
const CALLER = `
  const { parentPort, workerData: { port, connected } } = require('node:worker_threads');
  const socket = require('node:net').connect(port, '127.0.0.1', () => {
    Atomics.store(connected, 0, 1);
    Atomics.notify(connected, 0);
    socket.write('GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n');
  });
  socket.once('data', (answer) => parentPort.postMessage(String(answer).slice(0, 12)));
  socket.once('error', (error) => parentPort.postMessage(error.code));`;

test('a connection that waits in the kernel when the stop begins is served', async () => {
  const server = createServer((_request, response) => response.end('served'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const places = { endStreams: () => undefined, visitors: [] } as unknown as Places;
  const drain = new Drain(server, places, 1000);
  const connected = new Int32Array(new SharedArrayBuffer(4));
  const { port } = server.address() as AddressInfo;
  const caller = new Worker(CALLER, { eval: true, workerData: { port, connected } });
  const answer = once(caller, 'message');
  await once(caller, 'online');
  Atomics.wait(connected, 0, 0); // this thread accepts nothing meanwhile
  const ended = drain.begin();
  assert.deepEqual(await answer, ['HTTP/1.1 200']);
  await ended;
});
