// Only in test:all: drill
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median, quantile, quartiles } from '../../lab/quantiles.ts';

test('the median of an odd count is the middle one, of an even count the mean of both', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 3, 2]), 2.5);
});

test('quartiles and other quantiles lie between the two nearest values, in whatever order these come', () => {
  assert.deepEqual(quartiles([5, 1, 4, 2, 3]), [2, 3, 4]);
  assert.equal(quantile([10, 0], 0.99), 9.9);
  assert.equal(quantile([7], 0.99), 7);
});

test('the median of no numbers is NaN', () => {
  assert.ok(Number.isNaN(median([])));
});
