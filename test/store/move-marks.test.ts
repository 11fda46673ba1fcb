// What a store says of a move: into it, which must be complete before a service starts, or away from it.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { acted } from '../../src/core/event.ts';
import { storeOf } from '../../src/store/change.ts';
import { isMark, movedAwayAt, takeBack, takeOver } from '../../src/store/move.ts';
import { attempts } from '../../src/store/tables/attempts.ts';
import { leases } from '../../src/store/tables/leases.ts';
import { TestClock } from '../node.ts';
import { NOW, OPERATOR } from '../samples.ts';
import { counter, later, put } from './conformance/rows.ts';
import { newSqlite } from './new-sqlite.ts';
import { sqliteDatabase } from './sqlite-database.ts';

const [HERE, AWAY] = ['moving a store here', 'this store was moved away'];
const TEN_YEARS = 10 * 365 * 86_400;

async function scene(t: TestContext) {
  const clock = new TestClock();
  const database = await sqliteDatabase(clock.now);
  t.after(() => database.remove());
  newSqlite(database.path);
  const store = storeOf(await database.open());
  const mark = (about: string, count: number, lasts: number) =>
    put(store, attempts, counter(about, count, later(NOW, lasts)));
  const endOf = async (about: string) => ((await store.load(attempts, about)).found?.row.endsAt ?? 0) - NOW;
  return { clock, store, mark, endOf };
}

test('no service starts on a store before the move into it is complete; then no move may write to it', async (t) => {
  const { store, mark, endOf, clock } = await scene(t);
  await takeOver(store);
  await mark(HERE, 0, 60);
  await assert.rejects(takeOver(store), /a move into this store is not complete/);
  assert.equal(await endOf(HERE), 60);
  await mark(HERE, 1, 60);
  await takeOver(store);
  assert.equal(await endOf(HERE), 0);
  await mark(HERE, 0, 60);
  clock.move(59);
  await assert.rejects(takeOver(store), /not complete/);
  clock.move(1);
  await takeOver(store);
});

test('no service starts on a store that was moved away, until an operator takes it back', async (t) => {
  const { store, mark, clock } = await scene(t);
  assert.equal(await movedAwayAt(store), undefined);
  await mark(AWAY, 1, TEN_YEARS);
  assert.equal(await movedAwayAt(store), NOW);
  await assert.rejects(takeOver(store), /moved to another one on 2027-01-15T08:00:00.000Z/);
  const event = () => acted({ kind: 'store', id: '', did: 'taken-back' }, { at: NOW, by: OPERATOR });
  clock.move(10);
  for (let n = 0; n < 2; n++) await takeBack(store, event);
  assert.equal((await store.events({ after: 0, limit: 9 })).length, 1, 'it is taken back once');
  assert.equal(await movedAwayAt(store), undefined);
  await takeOver(store);
});

test('marks are not moved', () => {
  assert.deepEqual(
    [HERE, AWAY, 'other'].map((about) => isMark(attempts, counter(about))),
    [true, true, false],
  );
  assert.equal(isMark(leases, { name: HERE, endsAt: NOW }), false);
});
