import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failover, failoverField } from '../../lab/chaos/failover.ts';
import { standbyCluster } from '../../lab/chaos/standby.ts';
import { Seeded } from '../seeded.ts';

test('the primary is killed under load and its standby promoted: no promise is broken, and nobody hears worse than "not now"', async () => {
  const field = await failoverField(await standbyCluster());
  try {
    const { promised, broken } = await failover(field, new Seeded(1));
    assert.ok(promised > 0);
    assert.deepEqual(broken, []);
  } finally {
    await field.remove();
  }
});
