// The limits of what requests may ask for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ActName, FORMATS } from '../../../src/operations/admin/act-formats.ts';
import { flawOf, type Schema } from '../../../src/schema.ts';

const LIMITS: [act: ActName, field: string, least: number, most?: number][] = [
  ['event-list', 'after', 0],
  ['event-list', 'before', 0],
  ['event-list', 'within', 0],
  ['event-list', 'limit', 1, 10_000],
  ['grant-list', 'limit', 1, 1000],
  ['grant-list', 'since', 0],
  ['integration-list', 'limit', 1, 1000],
  ['identity-list', 'limit', 1, 1000],
  ['integration-secret-make', 'endsIn', 1],
];

for (const [act, field, least, most = Number.MAX_SAFE_INTEGER] of LIMITS)
  test(`${field} of ${act} is ${least} or more${most < Number.MAX_SAFE_INTEGER ? `, and ${most} at most` : ''}`, () => {
    const { query } = FORMATS[act] as { query: Schema };
    const isRefused = (value: number) => flawOf(query, { [field]: value }) !== undefined;
    assert.deepEqual([least - 1, least, most, most + 1].map(isRefused), [
      true,
      false,
      false,
      most < Number.MAX_SAFE_INTEGER,
    ]);
  });
