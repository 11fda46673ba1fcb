// Bodies in many small pieces, each of which costs the service much more than its byte.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { given } from '../given.ts';
import { rawConnection, reachOf, readToEnd } from './caller.ts';
import { startService } from './service.ts';
import { DEVICE } from './steps.ts';

const BODY = JSON.stringify({ client_id: 'orders-sync', scope: 'orders:read' });
const FORM = 'application/x-www-form-urlencoded';
const piecesOf = (text: string) =>
  text
    .split('')
    .map((byte) => `1\r\n${byte}\r\n`)
    .join('');

suite('bodies in many pieces', () => {
  const service = given(() => startService({ settings: { limits: { requestTimeout: '5m' } } }));

  async function answerTo(path: string, chunks: string): Promise<string> {
    const socket = await rawConnection(reachOf(service));
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n`;
    socket.write(`${head}Connection: close\r\n\r\n${chunks}`);
    return readToEnd(socket, 20_000);
  }

  test('one byte at a time is a body like any other (HTTP/1.1)', async () => {
    assert.match(await answerTo(DEVICE, `${piecesOf(BODY)}0\r\n\r\n`), /^HTTP\/1.1 200 .*"device_code":/s);
  });

  for (const [what, end] of [
    ['that ends', '0\r\n\r\n'],
    ['that does not end', ''],
  ])
    test(`too many, of a body ${what}: 413, and the connection ends (HTTP/1.1)`, async () => {
      const answer = await answerTo(DEVICE, `${piecesOf(' '.repeat(2000))}${end}`);
      assert.match(answer, /^HTTP\/1.1 413 .*connection: close.*in too many parts/is);
    });

  test('too many, of a body that nobody reads: the connection ends (HTTP/1.1)', async () => {
    const socket = await rawConnection(reachOf(service));
    socket.write('POST /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    const ended = readToEnd(socket, 60_000);
    const more = setInterval(() => socket.writable && socket.write(piecesOf(' '.repeat(1000))), 20);
    assert.match(await ended, /^HTTP\/1.1 404/);
    clearInterval(more);
    assert.ok(socket.destroyed);
  });

  test('more than a hundred parameters are refused, a hundred are not', async () => {
    const caller = service.caller();
    const ask = (body: string, type: string) =>
      caller.ask({ method: 'POST', path: DEVICE, headers: { 'content-type': type }, body });
    const form = (others: number) => `client_id=orders-sync&scope=orders:read${'&a'.repeat(others)}`;
    const json = (others: number) =>
      JSON.stringify({
        ...JSON.parse(BODY),
        ...Object.fromEntries(Array.from({ length: others }, (_, n) => [`a${n}`, ''])),
      });
    const statuses = [];
    for (const others of [98, 99, 10_000]) {
      statuses.push(
        (await ask(form(others), FORM)).status,
        (await ask(json(Math.min(others, 5000)), 'application/json')).status,
      );
    }
    assert.deepEqual(statuses, [200, 200, 413, 413, 413, 413]);
    caller.close();
  });
});
