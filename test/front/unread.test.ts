// Own process: collects garbage, and reads the size of the heap.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { InProgress } from '../../src/front/in-progress.ts';
import { Unread } from '../../src/front/unread.ts';

const requestOf = (body: unknown) =>
  ({ body, isUnread: false, unreadBefore: undefined, unreadAfter: undefined }) as unknown as InProgress;

test('unread answers are listed, the oldest first, whichever are sent', () => {
  const unread = new Unread();
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(requestOf) as [InProgress, InProgress, InProgress, InProgress];
  const listed = () => [unread.oldest, unread.size, ...unread];
  for (const request of [a, b, c]) unread.add(request);
  assert.deepEqual(listed(), [a, 3, a, b, c]);
  unread.delete(b);
  unread.delete(b);
  assert.deepEqual(listed(), [a, 2, a, c]);
  unread.add(d);
  unread.delete(a);
  assert.deepEqual(listed(), [c, 2, c, d]);
  unread.delete(d);
  unread.delete(c);
  assert.deepEqual(listed(), [undefined, 0]);
  unread.add(a);
  assert.deepEqual(listed(), [a, 1, a]);
});

test('answers that were sent leave memory before the next full collection', () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const unread = new Unread();
  const inFlight = Array.from({ length: 24 }, () => requestOf(new Array(100).fill(0)));
  for (const request of inFlight) unread.add(request);
  const serve = (requests: number) => {
    for (let at = 0; at < requests; at++) {
      const request = requestOf(new Array(100).fill(at));
      unread.add(request);
      unread.delete(inFlight[at % 24] as InProgress);
      inFlight[at % 24] = request;
    }
  };
  serve(10_000);
  collect();
  const before = oldBytes();
  serve(100_000);
  assert.ok(oldBytes() - before < 4_000_000, `${oldBytes() - before} bytes more`);
});

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? Number.NaN;
}
