// Only in test:all: drill
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failover, failoverField } from '../../lab/chaos/failover.ts';
import { standbyCluster } from '../../lab/chaos/standby.ts';
import { Seeded } from '../seeded.ts';

test('killing the primary under load and promoting its standby loses nothing, and callers get 503 at worst', async () => {
  const field = await failoverField(await standbyCluster());
  try {
    const { promised, broken } = await failover(field, new Seeded(1));
    assert.ok(promised > 0);
    assert.deepEqual(broken, []);
  } finally {
    await field.remove();
  }
});
