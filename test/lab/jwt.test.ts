// Only in test:all: drill
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryRefreshes } from '../../lab/chaos/retries.ts';
import { rotateForDays } from '../../lab/chaos/signing-keys.ts';
import { Seeded } from '../seeded.ts';

for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const) {
  const same = algorithm === 'ES256' ? 'the same claims' : 'the same bytes';
  test(`a retried refresh gets ${same} (${algorithm}), also if resource servers changed in between`, async () => {
    const { changed, differing } = await retryRefreshes(algorithm, 60, new Seeded(1));
    assert.equal(differing, 0);
    assert.ok(changed > 5);
  });
}

test('keys are rotated under load, and a verifier that fetches them once an hour refuses no token', async () => {
  const { checks, rotations, removed, refused } = await rotateForDays(11, 3000, new Seeded(1));
  assert.deepEqual(refused, []);
  assert.ok(rotations >= 2 && removed >= 1 && checks > 300, JSON.stringify({ rotations, removed, checks }));
});
