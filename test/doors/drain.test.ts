import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
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

/** Twenty callers that connect again and again, each time with one request. Posts when they begin, and then what they got. */
const CROWD = `
  const { parentPort, workerData: { port } } = require('node:worker_threads');
  const { connect } = require('node:net');
  const seen = {};
  function call() {
    let isOver = false;
    const end = (result) => {
      if (isOver) return;
      isOver = true;
      seen[result] = (seen[result] ?? 0) + 1;
      socket.destroy();
      setTimeout(call, result === 'ECONNREFUSED' ? 2 : 0);
    };
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n'));
    socket.once('data', (answer) => end(String(answer).slice(9, 12)));
    socket.once('error', (error) => end(error.code));
    socket.once('close', () => end('closed'));
  }
  for (let n = 0; n < 20; n++) call();
  parentPort.postMessage('begun');
  parentPort.once('message', () => parentPort.postMessage(seen));`;

const STOPS = 20;
const LISTENS_MS = 30;
/** A busy machine may need more than the usual patience. */
const STARVED_MS = 60_000;

test('no connection is reset while callers keep connecting', async () => {
  const places = { endStreams: () => undefined, visitors: [] } as unknown as Places;
  const server = createServer((_request, response) => response.end('served'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const crowd = new Worker(CROWD, { eval: true, workerData: { port } });
  await once(crowd, 'message');
  for (let stop = 0; stop < STOPS; stop++) {
    if (stop > 0) await once(server.listen(port, '127.0.0.1'), 'listening');
    await once(server, 'request'); // a busy machine takes its time
    await wait(LISTENS_MS);
    await new Drain(server, places, 10_000, STARVED_MS).begin();
  }
  crowd.postMessage('stop');
  const [{ 200: served = 0, ECONNREFUSED: refused = 0, ...lost }] = await once(crowd, 'message');
  await crowd.terminate();
  assert.deepEqual(lost, {}, `of ${served} served and ${refused} refused`);
  assert.ok(served >= STOPS, `${served} served`);
});
