import assert from 'node:assert/strict';
import { storeOf } from '../../../src/store/change.ts';
import { attempts } from '../../../src/store/tables/attempts.ts';
import type { Claim } from '../conformance.ts';
import { counter, countOf, create, eventSubjects, increment, put, told } from './rows.ts';

const CALLERS = 64;

export function concurrency(claim: Claim): void {
  claim('64 callers change one row at once: no update is lost', async ({ backEnd }) => {
    const store = storeOf(backEnd);
    const outcomes = await Promise.all(Array.from({ length: CALLERS }, () => increment(store, 'a')));
    assert.deepEqual(
      outcomes.sort((a, b) => a - b),
      oneTo(CALLERS),
    );
    assert.equal(await countOf(backEnd, 'a'), CALLERS);
  });

  claim('of 64 parallel creations of one row one succeeds, and the others find it', async ({ store }) => {
    const outcomes = await Promise.all(
      Array.from({ length: CALLERS }, () =>
        store.change(attempts, 'a', (found) =>
          found ? { outcome: 'found' } : { outcome: 'created', next: counter('a') },
        ),
      ),
    );
    assert.equal(outcomes.filter((outcome) => outcome === 'created').length, 1);
  });

  claim('conflicting changes leave only the events of the attempt that committed', async ({ backEnd }) => {
    const store = storeOf(backEnd);
    await put(store, attempts, counter('a'));
    await Promise.all(
      oneTo(CALLERS).map((caller) =>
        store.change(attempts, 'a', (found) => ({
          outcome: undefined,
          next: counter('a', (found?.row.count ?? 0) + 1),
          events: [told(caller)],
        })),
      ),
    );
    assert.deepEqual(
      (await eventSubjects(backEnd)).sort((a, b) => a - b),
      oneTo(CALLERS),
    );
  });

  claim('parallel changes of different rows all happen', async ({ backEnd }) => {
    const store = storeOf(backEnd);
    await Promise.all(oneTo(500).map((row) => increment(store, `row ${row}`)));
    const rows = await backEnd.page(attempts, { limit: 1000 });
    assert.equal(rows.filter(({ count }) => count === 1).length, 500);
  });

  claim('parallel creations each write their own row, with the store’s time', async ({ backEnd }) => {
    const store = storeOf(backEnd);
    const times = await Promise.all(
      oneTo(500).map((row) =>
        store.create(attempts, `row ${row}`, (now) => ({ outcome: now, next: counter(`row ${row}`, row) })),
      ),
    );
    const now = await store.now();
    assert.ok(times.every((time) => Math.abs(now - time) <= 10));
    assert.equal((await backEnd.page(attempts, { limit: 1000 })).length, 500);
  });

  claim('creating a row with an existing key fails and leaves that row unchanged', async ({ backEnd }) => {
    const store = storeOf(backEnd);
    await put(store, attempts, counter('a', 7));
    await assert.rejects(create(store, 'a'), /is taken/);
    assert.equal(await countOf(backEnd, 'a'), 7);
  });

  claim('the next load returns an acknowledged change', async ({ store }) => {
    for (const count of oneTo(20)) {
      await put(store, attempts, counter('a', count));
      assert.equal((await store.load(attempts, 'a')).found?.row.count, count);
    }
  });
}

function oneTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}
