// How two stores differ, how durations are counted, and how many queries calls cause. Without a database.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { BackEnd } from '../../src/store/back-end.ts';
import { DURATION_BOUNDS, DurationTally } from '../../src/store/duration-tally.ts';
import { differences } from '../../src/store/move.ts';
import { FollowedTable, SharedQuery } from '../../src/store/registry.ts';
import type { Store } from '../../src/store/store.ts';
import { attempts } from '../../src/store/tables/attempts.ts';
import { keyMarks } from '../../src/store/tables/signing-keys.ts';
import { counter } from './conformance/rows.ts';

const holding = (rows: readonly unknown[]) => ({ page: async () => rows }) as unknown as Pick<BackEnd, 'page'>;

suite('two stores differ', () => {
  const found = async (left: readonly string[], right: readonly string[]) => {
    const rowsOf = (names: readonly string[]) => holding(names.map((name) => counter(name[0] as string, name.length)));
    const all = await Array.fromAsync(differences(attempts, rowsOf(left), rowsOf(right)));
    return all.map(({ is, row }) => `${is} ${(row as { about: string }).about}`);
  };

  test('in rows that are missing, changed or gone', async () => {
    assert.deepEqual(await found([], []), []);
    assert.deepEqual(await found(['a', 'b'], ['a', 'b']), ['same a', 'same b']);
    assert.deepEqual(await found(['a', 'b'], ['b']), ['missing a', 'same b']);
    assert.deepEqual(await found(['a', 'b'], ['a']), ['same a', 'missing b']);
    assert.deepEqual(await found(['b'], ['a', 'b', 'c']), ['gone a', 'same b', 'gone c']);
    assert.deepEqual(await found(['a', 'bb'], ['aa', 'bb']), ['changed a', 'same b']);
  });

  test('in the order of their keys: numbers by value', async () => {
    const marks = (...ids: number[]) => holding(ids.map((id) => ({ id, fingerprint: 'ab', retired: false })));
    const all = await Array.fromAsync(differences(keyMarks, marks(2, 10), marks(2, 9, 10)));
    assert.deepEqual(
      all.map(({ is, row }) => `${is} ${(row as { id: number }).id}`),
      ['same 2', 'gone 9', 'same 10'],
    );
  });
});

test('a duration is counted in the first bucket that it fits', () => {
  const tally = new DurationTally();
  for (const ms of [0.5, 0.6, 1, 2500, 2501]) tally.add(ms);
  assert.deepEqual([tally.count, tally.seconds.toFixed(4)], [5, '5.0031']);
  const counted = DURATION_BOUNDS.map((bound, n) => [bound, tally.buckets[n]] as const).filter(([, count]) => count);
  assert.deepEqual(counted, [
    [0.0005, 1],
    [0.001, 2],
    [2.5, 1],
  ]);
  const round = new DurationTally();
  for (const bound of [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500])
    for (const ms of [bound, 1.01 * bound]) round.add(ms);
  assert.deepEqual(round.buckets, [1, ...Array(11).fill(2)], 'what is longer than a bound is in the next bucket');
});

suite('calls share a query', () => {
  test('that begins after them, and queries never overlap', async () => {
    const began: ((result: number) => void)[] = [];
    const query = new SharedQuery(() => new Promise<number>((resolve) => began.push(resolve)));
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const first = query.run();
    await turn();
    const [second, third] = [query.run(), query.run()];
    await turn();
    assert.equal(began.length, 1);
    assert.equal(second, third);
    began[0]?.(1);
    assert.equal(await first, 1);
    while (began.length === 1) await turn();
    began[1]?.(2);
    assert.equal(await second, 2);
  });

  test('at most ten a second, and a fault is that of its callers alone', async () => {
    let count = 0;
    const query = new SharedQuery(async () => {
      count += 1;
      if (count === 1) throw new Error('away');
      return count;
    });
    const began = performance.now();
    await assert.rejects(query.run(), /away/);
    assert.equal(await query.run(), 2);
    assert.equal(await query.run(), 3);
    assert.ok(performance.now() - began >= 195);
  });
});

test('a small table is read again when its stamp changes, and an older read changes nothing', async () => {
  const state = { stamp: 'a', rows: ['x'], held: undefined as Promise<void> | undefined };
  const store = {
    stamp: async () => state.stamp,
    page: async () => {
      const { rows, held } = state;
      await held;
      return rows;
    },
  } as unknown as Store;
  const table = new FollowedTable<string>(store, { ...attempts, keyOf: String } as never, (rows) => rows);
  assert.deepEqual(table.rows, []);
  assert.equal(await table.refresh(), true);
  assert.deepEqual(table.rows, ['x']);
  state.rows = ['y'];
  assert.equal(await table.refresh(), false, 'the stamp is the same');
  const slow = Promise.withResolvers<void>();
  Object.assign(state, { stamp: 'b', held: slow.promise });
  const early = table.refresh();
  await new Promise((resolve) => setImmediate(resolve));
  Object.assign(state, { stamp: 'c', rows: ['z'], held: undefined });
  assert.deepEqual(await table.lookAgain(), ['z']);
  slow.resolve();
  assert.equal(await early, false);
  assert.deepEqual(table.rows, ['z']);
});
