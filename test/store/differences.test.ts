// How two stores differ, and how durations are counted. Without a database.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { BackEnd } from '../../src/store/back-end.ts';
import { DurationTally } from '../../src/store/duration-tally.ts';
import { differences } from '../../src/store/move.ts';
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
  assert.deepEqual(tally.buckets, [1, 2, ...Array(9).fill(0), 1]);
  const round = new DurationTally();
  for (const bound of [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500])
    for (const ms of [bound, 1.01 * bound]) round.add(ms);
  assert.deepEqual(round.buckets, [1, ...Array(11).fill(2)], 'what is longer than a bound is in the next bucket');
});
