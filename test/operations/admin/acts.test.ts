// The limits of what requests may ask for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACTS, type ActName } from '../../../src/operations/admin/acts.ts';
import { flawOf } from '../../../src/schema.ts';

const LIMITS: [act: ActName, field: string, least: number, most: number][] = [
  ['event-list', 'after', 0, 1e15 - 1],
  ['event-list', 'before', 0, 1e15 - 1],
  ['event-list', 'within', 0, 36_525 * 86_400],
  ['event-list', 'limit', 1, 10_000],
  ['grant-list', 'limit', 1, 1000],
  ['grant-list', 'since', 0, 36_525 * 86_400],
  ['integration-list', 'limit', 1, 1000],
  ['identity-list', 'limit', 1, 1000],
];

for (const [act, field, least, most] of LIMITS)
  test(`${field} of ${act} is ${least} or more, and ${most} at most`, () => {
    const { query = {} } = ACTS[act];
    const isRefused = (value: number) => flawOf(query, { [field]: value }) !== undefined;
    assert.deepEqual([least - 1, least, most, most + 1].map(isRefused), [true, false, false, true]);
  });
