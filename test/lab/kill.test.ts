// Only in test:all: drill
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killCycle, killField } from '../../lab/chaos/kill.ts';
import { Seeded } from '../seeded.ts';

test('rotate, kill -9, reopen: nothing acknowledged is lost, nothing spent works again (CVE-2026-9802)', async (t) => {
  const field = await killField();
  t.after(() => field.remove());
  const chance = new Seeded(1);
  for (let cycle = 0; cycle < 4; cycle++) {
    const { promised, broken } = await killCycle(field, chance);
    assert.deepEqual(broken, []);
    assert.ok(promised > 0);
  }
});
