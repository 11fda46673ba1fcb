import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { epochSeconds } from '../../../src/core/time.ts';
import { isoTime } from '../../../src/doors/authsvc/iso-time.ts';

const LAST_SECOND = 8_640_000_000_000;

test('times are formatted exactly as Date formats them', () => {
  fc.assert(
    fc.property(fc.integer({ min: -LAST_SECOND, max: LAST_SECOND }), (time) =>
      assert.equal(isoTime(epochSeconds(time)), new Date(time * 1000).toISOString()),
    ),
  );
});
