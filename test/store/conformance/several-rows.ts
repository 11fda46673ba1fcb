// Changes of several rows: all or none.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { BackEnd, Commit } from '../../../src/store/back-end.ts';
import { storeOf } from '../../../src/store/change.ts';
import { insert, rowOf, type Store } from '../../../src/store/store.ts';
import { attempts } from '../../../src/store/tables/attempts.ts';
import { identities, passwords } from '../../../src/store/tables/identities.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { anIdentity, anIntegration } from '../../samples.ts';
import { Seeded } from '../../seeded.ts';
import type { Claim, TestDatabase } from '../conformance.ts';
import { commitOf, counter, countOf, eventSubjects, increment, put, revisionOf, told } from './rows.ts';

const CHILD = join(import.meta.dirname, 'other-process.ts');
const ABC = ['a', 'b', 'c'];

export function severalRows(claim: Claim): void {
  claim('rows of several tables, inserts and events commit together, parents first', async ({ backEnd }) => {
    const store = storeOf(backEnd);
    const identity = anIdentity();
    const rows = [rowOf(passwords, identity.id), rowOf(identities, identity.id), rowOf(attempts, 'a')] as const;
    const outcome = await store.changeAll(rows, ([password, found, a], now) => {
      assert.deepEqual([password, found, a], [undefined, undefined, undefined]);
      return {
        outcome: now,
        next: [{ identityId: identity.id, phc: 'x' }, identity, counter('a', 1)],
        inserts: [insert(attempts, counter('b', 2)), insert(integrations, anIntegration())],
        events: [told(2), told(1)],
      };
    });
    assert.ok(Math.abs(outcome - (await store.now())) <= 10);
    const found = await store.changeAll(rows, ([password, { row } = {}, a]) => ({
      outcome: [password?.row.phc, row?.id, a?.row.count],
    }));
    assert.deepEqual(found, ['x', identity.id, 1]);
    assert.deepEqual([await countOf(backEnd, 'b'), await eventSubjects(backEnd)], [2, [2, 1]]);
    assert.ok(await revisionOf(backEnd, integrations, anIntegration().clientId));
  });

  for (const moved of ABC)
    claim(`several rows: if ${moved} changes before the commit, all are decided again`, async ({ backEnd: real }) => {
      for (const about of ABC) await put(storeOf(real), attempts, counter(about));
      // The decision changes a and c; b is only read.
      const outcome = await raced(real, () => increment(storeOf(real), moved), [1, undefined, 1]);
      assert.deepEqual(outcome, [ABC.map((about) => (about === moved ? 1 : 0)), 2]);
      const [a, b, c] = outcome[0];
      assert.deepEqual(await counts(real), [(a ?? 0) + 1, b, (c ?? 0) + 1]);
      assert.deepEqual(await eventSubjects(real), [2], 'the events of the attempt that committed');
    });

  claim(
    'several rows: one that is created before the commit is found by the next decision',
    async ({ backEnd: real }) => {
      await put(storeOf(real), attempts, counter('a'));
      const outcome = await raced(real, () => put(storeOf(real), attempts, counter('c', 7)), [1, 1, 1]);
      assert.deepEqual(outcome, [[0, undefined, 7], 2]);
      assert.deepEqual([await counts(real), await eventSubjects(real)], [[1, 1, 8], [2]]);
    },
  );

  claim('several rows: a decision without changes writes nothing, and one that throws neither', async ({ backEnd }) => {
    const store = storeOf(backEnd);
    await put(store, attempts, counter('a'));
    const before = await revisionOf(backEnd, attempts, 'a');
    const rows = ABC.map((about) => rowOf(attempts, about));
    assert.equal(await store.changeAll(rows, () => ({ outcome: 'as it was' })), 'as it was');
    const decide = () => {
      throw new Error('no decision');
    };
    await assert.rejects(store.changeAll(rows, decide), /no decision/);
    assert.deepEqual(await counts(backEnd), [0, undefined, undefined]);
    assert.equal(await revisionOf(backEnd, attempts, 'a'), before);
  });

  claim('several rows that lose their race do not affect the commits beside them', async ({ backEnd }) => {
    for (const about of ABC) await put(storeOf(backEnd), attempts, counter(about));
    const swapOf = async (about: string) => ({
      table: attempts,
      row: counter(about, 9),
      expected: await revisionOf(backEnd, attempts, about),
    });
    const [a, b, c] = [await swapOf('a'), await swapOf('b'), { ...(await swapOf('c')), expected: 1 }];
    const losing = commitOf({ swaps: [a, b, c], inserts: [insert(attempts, counter('e'))], events: [told(9)] });
    const beside = (n: number) => commitOf({ inserts: [insert(attempts, counter(`${n}`))], events: [told(n)] });
    const winning = commitOf({ swaps: [a, b], events: [told(3)] });
    const commits = [beside(1), losing, beside(2), winning].map((commit) => backEnd.commit(commit));
    assert.deepEqual(await Promise.all(commits), [true, false, true, true]);
    assert.deepEqual(await counts(backEnd), [9, 9, 0]);
    assert.equal(await countOf(backEnd, 'e'), undefined);
    assert.deepEqual(new Set(await eventSubjects(backEnd)), new Set([1, 2, 3]));
  });

  claim(
    'many changes of the same rows, in different orders, at two nodes: all happen, one by one',
    async (database) => {
      const stores = [storeOf(await database.open()), storeOf(await database.open())] as const;
      const random = new Seeded(1);
      const names = Array.from({ length: 12 }, (_, n) => `row ${n}`);
      await Promise.all(names.map((about) => put(stores[0], attempts, counter(about, 1000))));
      const moves = Array.from({ length: 20 }, (_, n) => {
        const [from = '', ...to] = names.toSorted(() => random.below(3) - 1).slice(0, 5);
        return give(stores[n % 2] as Store, from, to);
      });
      await Promise.all([...moves, ...names.map((about) => increment(stores[0], about))]);
      const left = await Promise.all(
        names.map(async (about) => (await stores[1].load(attempts, about)).found?.row.count),
      );
      assert.equal(
        left.reduce<number>((sum, count = 0) => sum + count, 0),
        names.length * 1001,
        `${left}`,
      );
    },
  );

  claim('five hundred rows are created, then changed; too many, or one twice, are a fault', async ({ store }) => {
    const rows = Array.from({ length: 500 }, (_, n) => rowOf(attempts, `row ${n}`));
    for (const count of [1, 2])
      await store.changeAll(rows, (found) => ({
        outcome: undefined,
        next: rows.map(({ key }, place) => counter(key, (found[place]?.row.count ?? 0) + 1)),
        events: rows.map((_, n) => told(n + count)),
      }));
    const written = await store.page(attempts, { limit: 1000 });
    assert.deepEqual([written.length, new Set(written.map(({ count }) => count))], [500, new Set([2])]);
    assert.equal((await store.events({ after: 0, limit: 2000 })).length, 1000);
    const tooMany = Array.from({ length: 5_001 }, (_, n) => rowOf(attempts, `${n}`));
    for (const wrong of [tooMany, [rowOf(attempts, 'a'), rowOf(attempts, 'a')]])
      await assert.rejects(
        store.changeAll(wrong, () => assert.fail()),
        /rows in one change|occurs twice/,
      );
  });

  claim('a process killed while it changes several rows leaves all of them changed or none', async (database) => {
    await killWhileWriting(database);
    const rows = await (await database.open()).page(attempts, { limit: 2000 });
    assert.equal(new Set(rows.map(({ count }) => count)).size, 1);
  });
}

/** Adds these to a, b and c; before the first commit, `meanwhile` happens. Returns what the last decision found. */
async function raced(
  real: BackEnd,
  meanwhile: () => Promise<unknown>,
  added: readonly (number | undefined)[],
): Promise<[found: (number | undefined)[], decisions: number]> {
  let commits = 0;
  const commit = async (wanted: Commit) => {
    if (++commits === 1) await meanwhile();
    return real.commit(wanted);
  };
  const rows = ABC.map((about) => rowOf(attempts, about));
  let decisions = 0;
  return storeOf({ ...real, commit }).changeAll(rows, (found) => {
    const before = found.map((each) => each?.row.count);
    decisions++;
    return {
      outcome: [before, decisions],
      next: ABC.map((about, place) => {
        const more = added[place];
        return more === undefined ? undefined : counter(about, (before[place] ?? 0) + more);
      }),
      events: [told(decisions)],
    };
  });
}

/** One of each of the others comes from `from`. */
function give(store: Store, from: string, to: readonly string[]): Promise<void> {
  const names = [...to, from];
  return store.changeAll(
    names.map((about) => rowOf(attempts, about)),
    (found) => ({
      outcome: undefined,
      next: names.map((about, place) =>
        counter(about, (found[place]?.row.count ?? 0) + (about === from ? -to.length : 1)),
      ),
    }),
  );
}

function counts(backEnd: BackEnd): Promise<(number | undefined)[]> {
  return Promise.all(ABC.map((about) => countOf(backEnd, about)));
}

function killWhileWriting({ elsewhere }: TestDatabase): Promise<void> {
  const child = spawn(process.execPath, [CHILD, elsewhere.module, elsewhere.argument, 'write'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), 8 * Math.random()));
  return new Promise((resolve, reject) => {
    child.on('close', (code, signal) =>
      signal === 'SIGKILL' ? resolve() : reject(new Error(`it ended with ${code}`)),
    );
  });
}
