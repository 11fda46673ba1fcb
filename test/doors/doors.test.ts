import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OWNED_SEGMENTS } from '../../src/doors/doors.ts';

test('no first path segment belongs to two doors', () => {
  assert.deepEqual([...new Set(OWNED_SEGMENTS)], OWNED_SEGMENTS);
});
