import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Turns } from '../../../src/doors/oauth/turns.ts';

test('a thousand streams send a few at a time, in order, and other work runs in between', async () => {
  const turns = new Turns();
  const order: number[] = [];
  let inThisTurn = 0;
  let most = 0;
  let isOver = false;
  const otherWork = () => {
    most = Math.max(most, inThisTurn);
    inThisTurn = 0;
    if (!isOver) setImmediate(otherWork);
  };
  setImmediate(otherWork);
  await Promise.all(
    Array.from({ length: 1_000 }, async (_, n) => {
      await turns.next();
      order.push(n);
      inThisTurn += 1;
    }),
  );
  isOver = true;
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
  assert.equal(order.length, 1_000);
  assert.equal(most, 16);
});

test('streams rest twice as long as their turn took, but at most 20 ms; nothing runs while none waits', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 1_000;
  t.mock.method(performance, 'now', () => now);
  const pauses = t.mock.method(globalThis, 'setTimeout');
  for (const [took, rest] of [
    [5, 10],
    [100, 20],
  ] as const) {
    const turns = new Turns();
    const first = turns.next().then(() => {
      now += took;
    });
    let isLastSent = false;
    for (let n = 1; n < 17; n++) void turns.next().then(() => (isLastSent = n === 16));
    await first;
    for (let each = 0; each < 3; each++) await nextTurn();
    t.mock.timers.tick(rest - 1);
    await nextTurn();
    assert.equal(isLastSent, false);
    t.mock.timers.tick(1);
    await nextTurn();
    assert.equal(isLastSent, true);
  }
  for (let each = 0; each < 3; each++) await nextTurn();
  assert.equal(pauses.mock.callCount(), 2);
});

test('a stream that comes after a pause is served too', async () => {
  const turns = new Turns();
  await turns.next();
  await new Promise((resolve) => setTimeout(resolve, 5));
  await turns.next();
  await Promise.all([turns.next(), turns.next()]);
});
