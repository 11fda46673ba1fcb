// Only in test:all: drill
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSeed } from '../../lab/sim/run-seed.ts';
import { openSimDatabase } from '../../lab/sim/world.ts';

const SEEDS = 100;

test(`${SEEDS} random histories with interleaved callers, a moving clock and faults agree with the model`, async (t) => {
  const database = await openSimDatabase();
  t.after(() => database.close());
  const accepted = { times: 0 };
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { deeds, violations } = await runSeed(seed, database);
    assert.deepEqual(violations, [], `seed ${seed}; again: npm run lab -- sim --seed ${seed}`);
    accepted.times += deeds.filter(({ kind, answer }) => kind === 'refresh' && answer === 'accepted').length;
  }
  assert.ok(accepted.times > SEEDS, 'something happened');
});
