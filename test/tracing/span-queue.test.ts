import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Reply } from '../../src/tracing/post.ts';
import { SpanQueue } from '../../src/tracing/span-queue.ts';
import type { Span } from '../../src/tracing/tracer.ts';
import { eventually } from '../eventually.ts';

const SPAN: Span = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  name: 'x',
  kind: 'internal',
  start: 1,
  end: 2,
  attributes: {},
};

const OK: Reply = { status: 200, body: '{}' };

function queueTo(replies: readonly (Reply | Error)[], news: string[] = []) {
  const sent: number[] = [];
  const queue = new SpanQueue({
    post: async (body) => {
      sent.push(Number(body));
      const reply = replies[sent.length - 1] ?? OK;
      if (reply instanceof Error) throw reply;
      return reply;
    },
    encode: (spans) => String(spans.length),
    news: { failing: (why) => news.push(why), worksAgain: () => news.push('works again') },
    everyMs: 3_600_000,
    pauseMs: 1,
  });
  return { queue, sent };
}

function add(queue: SpanQueue, count: number): void {
  for (let n = 0; n < count; n++) queue.add(SPAN);
}

suite('the queue of spans', () => {
  test('a full batch is sent at once, the rest when it stops', async () => {
    const { queue, sent } = queueTo([]);
    add(queue, 255);
    await new Promise(setImmediate);
    assert.deepEqual(sent, []);
    queue.add(SPAN);
    await eventually('the queue did its work', () => queue.tally().sent === 256);
    add(queue, 3);
    await queue.stop();
    assert.deepEqual(sent, [256, 3]);
    assert.equal(queue.tally().sent, 259);
  });

  test('it holds a limited number; more are dropped and counted', () => {
    const { queue } = queueTo([]);
    add(queue, 4_103);
    const { waiting, dropped } = queue.tally();
    assert.deepEqual([waiting, dropped], [4_096, { 'queue-full': 7, unsent: 0, rejected: 0 }]);
  });

  test('a batch is retried after 429, 502, 503, 504 and lost connections, and given up after three attempts', async () => {
    const news: string[] = [];
    const unavailable = { status: 503, body: '' };
    const { queue, sent } = queueTo([new Error('reset'), unavailable, OK, unavailable, unavailable, unavailable], news);
    add(queue, 256);
    await eventually('the queue did its work', () => queue.tally().sent === 256);
    add(queue, 256);
    await eventually('the queue did its work', () => queue.tally().dropped.unsent === 256);
    assert.equal(sent.length, 6);
    assert.deepEqual(news, ['status 503']);
    add(queue, 256);
    await eventually('the queue did its work', () => news.length === 2);
    assert.deepEqual(news, ['status 503', 'works again']);
    await queue.stop();
  });

  test('a batch that the collector does not accept is not sent again', async () => {
    const { queue, sent } = queueTo([{ status: 400, body: '' }]);
    add(queue, 256);
    await eventually('the queue did its work', () => queue.tally().dropped.rejected === 256);
    assert.equal(sent.length, 1);
    await queue.stop();
  });

  test('spans that the collector rejects in a 200 are counted, and malformed replies count as success', async () => {
    const partial = { status: 200, body: '{"partialSuccess":{"rejectedSpans":"6","errorMessage":"no"}}' };
    const { queue } = queueTo([partial, { status: 200, body: 'ok' }]);
    add(queue, 256);
    await eventually('the queue did its work', () => queue.tally().dropped.rejected === 6 && queue.tally().sent > 0);
    assert.equal(queue.tally().sent, 250);
    add(queue, 256);
    await eventually('the queue did its work', () => queue.tally().sent === 506);
    await queue.stop();
  });
});
