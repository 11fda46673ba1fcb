// Pipelined requests, and those that Node's parser refuses: every one is answered in its turn, and a broken connection once.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { http1To, openFront, requestTo } from './front.ts';

const GET = requestTo('/now');
const CHUNKED = requestTo('/now', 'POST', 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n');

suite('on a connection of HTTP/1.1', () => {
  for (const [what, bytes, expected] of [
    ['pipelined requests', GET.repeat(3) + requestTo('/now', 'GET', 'Connection: close\r\n'), [200, 200, 200, 200]],
    ['CONNECT behind two requests', GET.repeat(2) + requestTo('x:443', 'CONNECT'), [200, 200, 405]],
    ['an Upgrade', requestTo('/now', 'GET', 'Upgrade: websocket\r\nConnection: Upgrade\r\n') + GET, [200]],
    ['bad HTTP', 'NONSENSE\r\n\r\n', [400]],
    ['bad HTTP twice', 'NONSENSE\r\n\r\nNONSENSE\r\n\r\n', [400]],
    ['bad HTTP behind two requests', `${GET.repeat(2)}NONSENSE\r\n\r\n`, [200, 200, 400]],
    ['a bad chunk', `${CHUNKED}zz\r\n`, [400]],
    ['a bad chunk in the last of many', `${GET.repeat(15)}${CHUNKED}zz\r\n`, [...Array<number>(15).fill(200), 400]],
    ['a bad chunk behind a good one', `${CHUNKED}2\r\n{}\r\nzz\r\n`, [400]],
  ] as const)
    test(`${what}: answered in order, then the connection closes`, async (t) => {
      const front = await openFront(t);
      const caller = await http1To(front);
      caller.socket.write(bytes);
      await eventually('it closes', caller.isClosed);
      assert.deepEqual(caller.statuses(), expected, caller.text());
      assert.match(caller.text(), /^connection: close\r$/im);
      if (expected.at(-1) !== 200) assert.match(caller.text(), /\{"Error":"invalid_request"/);
    });

  test('an answer that precedes the end of its body in chunks ends the connection', async (t) => {
    const front = await openFront(t);
    const caller = await http1To(front);
    caller.socket.write(`${CHUNKED.replace('/now', '/nowhere')}1\r\nx\r\n`);
    await eventually('it closes', caller.isClosed);
    assert.deepEqual(caller.statuses(), [404]);
  });
});

test('the last of many pipelined requests has no more time for its body than others', async (t) => {
  const front = await openFront(t, { requestTimeoutMs: 500 });
  const caller = await http1To(front);
  const slow = requestTo('/now', 'POST', 'Content-Type: application/json\r\nContent-Length: 100\r\n');
  caller.socket.write(`${requestTo('/now').repeat(15)}${slow}{`);
  await eventually('the connection ends', caller.isClosed);
  assert.deepEqual(caller.statuses(), [...Array<number>(15).fill(200), 400]);
});
