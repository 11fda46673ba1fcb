import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Limit } from '../../src/core/rules/attempts.ts';
import { seconds } from '../../src/core/time.ts';
import { countAttempt } from '../../src/operations/attempts.ts';
import { byOneNode } from '../../src/store/lease.ts';
import { onSqlite } from './on-sqlite.ts';

const LIMIT: Limit = { about: 'a test', most: 3, within: seconds(300) };

test('parallel attempts together get no more than the limit', async (t) => {
  const { node } = await onSqlite(t);
  const all = await Promise.all(Array.from({ length: 20 }, () => countAttempt(LIMIT, node)));
  assert.equal(all.filter(({ ok }) => ok).length, 3);
});

test('forgiving an attempt leaves the window of earlier attempts unchanged', async (t) => {
  const { node, clock } = await onSqlite(t);
  await countAttempt(LIMIT, node);
  for (let n = 0; n < 10; n++) {
    clock.move(29);
    const attempt = await countAttempt(LIMIT, node);
    if (attempt.ok) await attempt.value.forgive();
  }
  clock.move(11); // 301 seconds after the one that failed
  for (let n = 0; n < 3; n++) assert.ok((await countAttempt(LIMIT, node)).ok, 'it has aged out');
});

test('correcting a clock that was ahead locks nobody out and blocks no lease', async (t) => {
  const { node, clock } = await onSqlite(t);
  const lease = { name: 'a test', lasts: seconds(50) };
  clock.move(86_400 * 365);
  for (let n = 0; n < 3; n++) await countAttempt(LIMIT, node);
  assert.equal((await countAttempt(LIMIT, node)).ok, false);
  assert.ok(await byOneNode(lease, async () => undefined, node));
  clock.move(-86_400 * 365);
  assert.ok((await countAttempt(LIMIT, node)).ok);
  assert.ok(await byOneNode(lease, async () => undefined, node));
});

test('a lease is released when its work ends or fails, unless another node has taken it', async (t) => {
  const { node, clock } = await onSqlite(t);
  const lease = { name: 'a test', lasts: seconds(10), endsWithWork: true } as const;
  const nothing = async () => undefined;
  const others: boolean[] = [];
  await byOneNode(lease, async () => others.push(await byOneNode(lease, nothing, node)), node);
  assert.deepEqual(others, [false], 'while it is under way');
  await assert.rejects(
    byOneNode(lease, async () => assert.fail('broke'), node),
    /broke/,
  );
  assert.ok(await byOneNode(lease, nothing, node));
  const slow = async () => {
    clock.move(11);
    void byOneNode(lease, () => new Promise(() => undefined), node); // another node that believes this one is dead
    await new Promise((resolve) => setTimeout(resolve, 50));
  };
  await byOneNode(lease, slow, node);
  assert.equal(await byOneNode(lease, nothing, node), false);
});
