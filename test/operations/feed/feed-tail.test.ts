// How the end of the feed is read for many followers.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { FeedTail } from '../../../src/operations/feed/feed-tail.ts';
import type { FeedStore } from '../../../src/operations/feed/read-feed.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { onSqlite } from '../on-sqlite.ts';

const ENTRIES = 1_000;

/** A store with this many ended grants in its log, that counts the reads of the log under way. */
async function withEntries(t: TestContext) {
  const { node, clock } = await onSqlite(t);
  const { store } = node;
  const events = Array.from({ length: ENTRIES }, (_, n) => ({
    type: 'revoked' as const,
    detail: { reason: 'by-caller' } as const,
    at: clock.now(),
    subjectId: n.toString(16).padStart(32, 'd'),
  }));
  await store.change(integrations, 'none', () => ({ outcome: undefined, events }));
  const reads = { all: 0, atOnce: 0, most: 0, isFailing: false };
  const counting: FeedStore = {
    now: () => store.now(),
    newestEvents: (query) => store.newestEvents(query),
    eventProgress: () => store.eventProgress(),
    load: (table, key) => store.load(table, key),
    page: (table, query) => store.page(table, query),
    events: async (query) => {
      reads.all += 1;
      reads.most = Math.max(reads.most, ++reads.atOnce);
      try {
        if (reads.isFailing) throw new Error('the store is away');
        return await store.events(query);
      } finally {
        reads.atOnce -= 1;
      }
    },
  };
  const tail = new FeedTail(counting, 60_000);
  t.after(await tail.follow());
  Object.assign(reads, { all: 0, most: 0 });
  return { tail, reads, first: ((await store.events({ after: 0, limit: 1, acts: true }))[0]?.sequence ?? 0) - 1 };
}

/** Reads to the end, and returns the sequence numbers. */
async function readOn(tail: FeedTail, from: number): Promise<number[]> {
  const found: number[] = [];
  for (let at = from; ; at = found.at(-1) ?? at) {
    const items = await tail.after({ epoch: 1, sequence: at });
    if (items.length === 0) return found;
    found.push(...items.map(({ sequence }) => sequence));
  }
}

suite('followers that are far behind', () => {
  test('share a read if they are at the same place', async (t) => {
    const { tail, reads, first } = await withEntries(t);
    const found = await Promise.all(Array.from({ length: 100 }, () => readOn(tail, first)));
    assert.ok(found.every((each) => each.length === ENTRIES));
    assert.ok(reads.all <= 20, `${reads.all} reads`);
  });

  test('wait for each other if they are not', async (t) => {
    const { tail, reads, first } = await withEntries(t);
    const found = await Promise.all(Array.from({ length: 10 }, (_, n) => readOn(tail, first + n)));
    assert.deepEqual(
      found.map(({ length }) => length),
      Array.from({ length: 10 }, (_, n) => ENTRIES - n),
    );
    assert.equal(reads.most, 1);
  });

  test('read on after a read that failed', async (t) => {
    const { tail, reads, first } = await withEntries(t);
    reads.isFailing = true;
    await assert.rejects(tail.after({ epoch: 1, sequence: first }), /the store is away/);
    reads.isFailing = false;
    assert.equal((await readOn(tail, first)).length, ENTRIES);
  });
});
