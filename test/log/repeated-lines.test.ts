import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RepeatedLines } from '../../src/log/repeated-lines.ts';

test('a cause that lasts is logged when it begins and then once per interval, with how often it was left out', () => {
  let now = 0;
  const lines = new RepeatedLines(60_000, () => now);
  const take = (cause: string, times: number) => Array.from({ length: times }, () => lines.take(cause));
  assert.deepEqual(take('the disk is full', 3), [0, undefined, undefined]);
  assert.deepEqual(take('the database is down', 2), [0, undefined], 'another cause has lines of its own');
  now = 59_999;
  assert.deepEqual(take('the disk is full', 1), [undefined]);
  now = 60_000;
  assert.deepEqual(take('the disk is full', 2), [3, undefined]);
  now = 0;
  assert.deepEqual(take('the disk is full', 1), [1], 'a clock that is set back hides nothing');
});

test('causes that never end in number take no more memory than a thousand', () => {
  const lines = new RepeatedLines(60_000, () => 0);
  assert.equal(lines.take('first'), 0);
  for (let number = 0; number < 999; number++) lines.take(`${number}`);
  assert.equal(lines.take('first'), undefined);
  lines.take('one more');
  assert.equal(lines.take('first'), 0);
});
