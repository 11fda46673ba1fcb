import assert from 'node:assert/strict';
import { test } from 'node:test';
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

test('a stream that comes after a pause is served too', async () => {
  const turns = new Turns();
  await turns.next();
  await new Promise((resolve) => setTimeout(resolve, 5));
  await turns.next();
  await Promise.all([turns.next(), turns.next()]);
});
