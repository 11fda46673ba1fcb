// Only in test:all: drill
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutStreams } from '../../lab/chaos/feed/cuts.ts';
import { FeedField, STORES } from '../../lab/chaos/feed/feed-field.ts';
import { cutAtWorst, endInBurst } from '../../lab/chaos/feed/freshness.ts';
import { refusalLatencies } from '../../lab/chaos/feed/latency.ts';
import { Seeded } from '../seeded.ts';

for (const kind of STORES)
  test(`${kind}, two nodes: every follower refuses a revoked token; cut streams, a backlog and a restart hide nothing`, async () => {
    const field = await FeedField.start(kind);
    try {
      const latencies = await refusalLatencies(field, await field.guards(10), 2);
      assert.equal(latencies.length, 20);
      assert.ok(latencies.every(Number.isFinite), 'each of them, at last');
      const { ended, missed, wronged } = await cutStreams(field, 40, new Seeded(1));
      assert.deepEqual({ ended, missed, wronged }, { ended: 10, missed: 0, wronged: 0 });
      field.closeGuards();
      assert.equal((await cutAtWorst(field, 1_000, 10)).accepted, 0, 'by a verifier that said it was fresh');
      assert.equal((await endInBurst(field, 1_000, 10)).accepted, 0, 'nor in a burst on open streams');
    } finally {
      await field.remove();
    }
  });
