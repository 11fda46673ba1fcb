// How long a server may take to connect and to send its headers. The timers are the test's own.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { after, before, suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { download } from '../../src/outbound/download.ts';
import { guardedFetch } from '../../src/outbound/guarded-fetch.ts';
import { eventually } from '../eventually.ts';
import { BROKEN, type RudeServer, rudeServer } from './rude-server.ts';

const LIMITS = { maxBytes: 1000, withinMs: 20_000, allowed: ['127.0.0.1'] };
const fetch = guardedFetch({ resolve: async () => assert.fail('no name to resolve'), environment: {} });

async function get(url: string): Promise<string> {
  const answer = await download(fetch, url, LIMITS);
  return answer.ok ? Buffer.from(answer.value).toString() : answer.refusal;
}

/** The next turn of the event loop: everything that was due has happened. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}

async function assertWaiting(answer: Promise<string>): Promise<void> {
  await turn();
  assert.equal(await Promise.race([answer, turn().then(() => 'waiting')]), 'waiting');
}

let server: RudeServer;
const late: ServerResponse[] = [];
before(async () => {
  server = await rudeServer({
    late: (response) => {
      late.push(response);
      response.writeHead(200).write('late');
    },
  });
});
after(() => server.close());

/** A port whose queue is full: connecting to it takes for ever. */
async function fullPort(t: TestContext): Promise<number> {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
    const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`,
    { eval: true },
  );
  t.after(() => worker.terminate());
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  for (let count = 0; count < 3; count += 1) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    t.after(() => socket.destroy());
    await Promise.race([new Promise((resolve) => socket.once('connect', resolve)), pause(200)]);
  }
  return port;
}

suite('a server', () => {
  test('has three seconds to connect', async (t) => {
    const port = await fullPort(t);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const answer = get(`http://127.0.0.1:${port}/`);
    await turn();
    t.mock.timers.tick(2_999);
    await assertWaiting(answer);
    t.mock.timers.tick(1);
    assert.equal(await answer, 'no response: connecting timed out');
  });

  test('has eight seconds to send its headers', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const answer = get(`${server.url}/silent`);
    await until(() => server.asked.includes('/silent'));
    for (const ms of [3_000, 4_999]) {
      t.mock.timers.tick(ms);
      await assertWaiting(answer);
    }
    t.mock.timers.tick(1);
    assert.equal(await answer, 'no response: the response headers timed out');
  });

  test('that has sent its headers in time may take longer for the body', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const signal = new AbortController().signal;
    const { body } = await fetch(`${server.url}/late`, { ...LIMITS, redirect: 'error', signal });
    t.mock.timers.tick(60_000);
    await turn();
    late.pop()?.end();
    assert.equal(Buffer.concat(await Array.fromAsync(body ?? [])).toString(), 'late');
  });
});

test('a server has eight connections at most, each until its body is read or given up', async () => {
  const giveUp = new AbortController();
  const ask = (signal = new AbortController().signal) =>
    fetch(`${server.url}/late`, { ...LIMITS, redirect: 'error', signal });
  const open = await Promise.all([ask(giveUp.signal), ...Array.from({ length: 7 }, () => ask())]);
  let served = 0;
  const more = [ask(), ask()].map((each) => each.then(() => served++));
  for (let n = 0; n < 20; n++) await turn();
  assert.equal(served, 0);
  giveUp.abort();
  await open[0]?.body?.cancel().catch(() => undefined);
  await until(() => served === 1);
  for (const response of late.splice(0)) response.end();
  for (const { body } of open.slice(1)) await Array.fromAsync(body ?? []);
  await Promise.all(more);
  for (const response of late.splice(0)) response.end();
});

test('the connection of a response that is not read is closed', async (t) => {
  const closed: string[] = [];
  const unread =
    (name: string, status: number, headers = {}) =>
    (response: ServerResponse) => {
      response.on('close', () => closed.push(name));
      response.writeHead(status, headers).write('more will come');
    };
  const rude = await rudeServer({
    missing: unread('404', 404),
    packed: unread('200', 200, { 'content-encoding': 'x' }),
    wrong: unread('no gzip', 200, { 'content-encoding': 'gzip' }),
  });
  t.after(() => rude.close());
  const ask = (path: string) =>
    fetch(`${rude.url}/${path}`, { ...LIMITS, redirect: 'error', signal: new AbortController().signal });
  assert.equal((await ask('missing')).status, 404);
  await assert.rejects(ask('packed'), /unsupported encoding/);
  const { body } = await ask('wrong');
  await eventually('all connections are closed', () => closed.length === 3);
  await assert.rejects(Array.fromAsync(body ?? []), /incorrect header check/, 'a fault has who reads it late');
});

test('replies that break in their first read take no connection from later ones', async () => {
  for (const reply of Object.keys(BROKEN))
    for (let count = 0; count < 9; count += 1)
      assert.doesNotMatch(await get(`${server.url}/broken/${reply}`), /took longer/);
  assert.equal(await get(`${server.url}/hello`), 'hello');
});

test('nothing keeps the process alive after a download, whether it succeeded or not', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const closed = await rudeServer();
  closed.close();
  const before = timers();
  assert.equal(await get(`${server.url}/hello`), 'hello');
  assert.match(await get(`${closed.url}/`), /no response/);
  assert.match(await get(`${server.url}/missing`), /404/);
  await turn();
  assert.equal(timers(), before);
});
