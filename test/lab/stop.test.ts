// Only in test:all: drill
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stopCycle, stopField } from '../../lab/chaos/stop.ts';
import { Seeded } from '../seeded.ts';

test('with good, bad and idle callers connected, stop ends in time with exit code 0 and logs no fault', async (t) => {
  const field = await stopField();
  t.after(() => field.remove());
  const chance = new Seeded(3);
  for (let cycle = 0; cycle < 3; cycle++) {
    const { code, faults } = await stopCycle(field, chance);
    assert.deepEqual([code, faults], [0, []]);
  }
});
