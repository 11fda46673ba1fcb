import assert from 'node:assert/strict';
import { storeOf } from '../../../src/store/change.ts';
import { attempts } from '../../../src/store/tables/sign-in.ts';
import type { Claim } from '../conformance.ts';
import { counter, countOf, create, increment, put, subjectsTold, told } from './rows.ts';

const CALLERS = 64;

export function concurrency(claim: Claim): void {
  claim('64 callers change one row at once: no update is lost', async (database) => {
    const backEnd = await database.open();
    const store = storeOf(backEnd);
    const outcomes = await Promise.all(Array.from({ length: CALLERS }, () => increment(store, 'a')));
    assert.deepEqual(
      outcomes.sort((a, b) => a - b),
      oneTo(CALLERS),
    );
    assert.equal(await countOf(backEnd, 'a'), CALLERS);
  });

  claim('64 callers create one row at once: one does, the others find it', async (database) => {
    const store = storeOf(await database.open());
    const outcomes = await Promise.all(
      Array.from({ length: CALLERS }, () =>
        store.change(attempts, 'a', (found) =>
          found ? { outcome: 'found' } : { outcome: 'created', next: counter('a') },
        ),
      ),
    );
    assert.equal(outcomes.filter((outcome) => outcome === 'created').length, 1);
  });

  claim('changes that conflict leave the events of the attempt that counted, and of no other', async (database) => {
    const backEnd = await database.open();
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
      (await subjectsTold(backEnd)).sort((a, b) => a - b),
      oneTo(CALLERS),
    );
  });

  claim('changes of different rows at once all happen', async (database) => {
    const backEnd = await database.open();
    const store = storeOf(backEnd);
    await Promise.all(oneTo(500).map((row) => increment(store, `row ${row}`)));
    const rows = await backEnd.page(attempts, { limit: 1000 });
    assert.equal(rows.filter(({ count }) => count === 1).length, 500);
  });

  claim('rows are created at once, each with its own, and by the clock of the store', async (database) => {
    const backEnd = await database.open();
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

  claim('a creation that meets a row with its key faults, and leaves the row as it is', async (database) => {
    const backEnd = await database.open();
    const store = storeOf(backEnd);
    await put(store, attempts, counter('a', 7));
    await assert.rejects(create(store, 'a'), /is taken/);
    assert.equal(await countOf(backEnd, 'a'), 7);
  });

  claim('an acknowledged change is what the next load finds', async (database) => {
    const store = storeOf(await database.open());
    for (const count of oneTo(20)) {
      await put(store, attempts, counter('a', count));
      assert.equal((await store.load(attempts, 'a')).found?.row.count, count);
    }
  });
}

function oneTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}
