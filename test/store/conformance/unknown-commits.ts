import assert from 'node:assert/strict';
import type { BackEnd, Commit } from '../../../src/store/back-end.ts';
import { storeOf } from '../../../src/store/change.ts';
import { CommitUnknown, insert, rowOf, StoreUnavailable } from '../../../src/store/store.ts';
import { attempts } from '../../../src/store/tables/attempts.ts';
import type { Claim } from '../conformance.ts';
import { counter, countOf, eventSubjects, increment, put, told } from './rows.ts';

type CommitOf = (commit: Commit, real: BackEnd) => Promise<boolean>;

/** The same back end, with its first commit replaced by `first`. */
function firstCommit(real: BackEnd, first: CommitOf): BackEnd {
  let isFirst = true;
  const commit = (wanted: Commit): Promise<boolean> => {
    if (!isFirst) return real.commit(wanted);
    isFirst = false;
    return first(wanted, real);
  };
  return { ...real, commit };
}

const lostAfter: CommitOf = async (commit, real) => {
  await real.commit(commit);
  throw new CommitUnknown('the connection broke after the commit');
};

const lostBefore: CommitOf = async () => {
  throw new CommitUnknown('the connection broke before the commit');
};

export function unknownCommits(claim: Claim): void {
  claim('an unknown commit that happened is detected and not repeated', async ({ backEnd: real }) => {
    assert.equal(await countAndTell(firstCommit(real, lostAfter)), 1);
    assert.deepEqual([await countOf(real, 'a'), await eventSubjects(real)], [1, [1]]);
  });

  claim('an unknown commit that did not happen is retried', async ({ backEnd: real }) => {
    assert.equal(await countAndTell(firstCommit(real, lostBefore)), 1);
    assert.deepEqual([await countOf(real, 'a'), await eventSubjects(real)], [1, [1]]);
  });

  claim('an unknown creation is detected if it happened, and retried if not', async (database) => {
    for (const lost of [lostAfter, lostBefore]) {
      const real = await database.open();
      const made = await storeOf(firstCommit(real, lost)).create(attempts, lost.name, () => ({
        outcome: 'made',
        next: counter(lost.name, 1),
        events: [told(1)],
      }));
      assert.deepEqual([made, await countOf(real, lost.name)], ['made', 1]);
    }
    assert.deepEqual(await eventSubjects(await database.open()), [1, 1]);
  });

  claim('an unknown commit that lands during the check is detected', async ({ backEnd: real }) => {
    const store = storeOf(real);
    await put(store, attempts, counter('a'));
    assert.equal(await countAndTell(landsLate(real)), 1);
    assert.deepEqual([await countOf(real, 'a'), await eventSubjects(real)], [1, [1]]);
  });

  claim(
    'an unknown commit that happened, and that others built upon, is known by the row it inserted',
    async (database) => {
      const real = await database.open();
      await put(storeOf(real), attempts, counter('a'));
      const overtaken = firstCommit(real, async (commit) => {
        await real.commit(commit);
        await put(storeOf(real), attempts, counter('a', 100));
        throw new CommitUnknown('the connection broke, and somebody else was quick');
      });
      const inserts = [insert(attempts, counter('mine'))];
      const outcome = await storeOf(overtaken).change(attempts, 'a', (found) =>
        found?.row.count === 0 ? { outcome: 'done', next: counter('a', 1), inserts } : { outcome: 'too late' },
      );
      assert.equal(outcome, 'done');
    },
  );

  claim('several rows: an unknown commit is detected if it happened, and retried if not', async ({ backEnd: real }) => {
    for (const [lost, count] of [
      [lostAfter, 1],
      [lostBefore, 2],
    ] as const) {
      assert.deepEqual(await countPair(firstCommit(real, lost)), [count, count]);
      assert.deepEqual([await countOf(real, 'a'), await countOf(real, 'b')], [count, count]);
    }
    assert.deepEqual(await eventSubjects(real), [1, 2]);
  });

  for (const changed of ['a', 'b'])
    claim(
      `several rows: an unknown commit is known by one row after ${changed} has changed again`,
      async (database) => {
        const real = await database.open();
        const overtaken = firstCommit(real, async (commit) => {
          await real.commit(commit);
          await put(storeOf(real), attempts, counter(changed, 100));
          throw new CommitUnknown('the connection broke, and somebody else was quick');
        });
        assert.deepEqual(await countPair(overtaken), [1, 1]);
        assert.deepEqual(await eventSubjects(real), [1]);
      },
    );

  claim('several rows: an unknown commit still in flight cannot land after a decision without it', async (database) => {
    for (const next of [undefined, [undefined, counter('b', 5)]]) {
      const real = await database.open();
      for (const about of ['a', 'b']) await put(storeOf(real), attempts, counter(about));
      const underWay: Commit[] = [];
      const broken = firstCommit(real, async (commit) => {
        underWay.push(commit);
        throw new CommitUnknown('the connection broke while the commit was under way');
      });
      const outcome = await storeOf(broken).changeAll(PAIR, () =>
        underWay.length === 0
          ? { outcome: 'done', next: [counter('a', 1), undefined], events: [told(1)] }
          : { outcome: 'otherwise', ...(next && { next }) },
      );
      assert.equal(outcome, 'otherwise');
      assert.deepEqual(await Promise.all(underWay.map((commit) => real.commit(commit))), [false]);
      assert.deepEqual([await countOf(real, 'a'), await eventSubjects(real)], [0, []]);
    }
  });

  claim('an unknown commit still in flight cannot land after a refusal', async ({ backEnd: real }) => {
    await put(storeOf(real), attempts, counter('a'));
    const underWay: Commit[] = [];
    const broken = firstCommit(real, async (commit) => {
      underWay.push(commit);
      throw new CommitUnknown('the connection broke while the commit was under way');
    });
    let asked = 0;
    const outcome = await storeOf(broken).change(attempts, 'a', () =>
      ++asked === 1 ? { outcome: 'done', next: counter('a', 1), events: [told(1)] } : { outcome: 'refused' },
    );
    assert.equal(outcome, 'refused');
    assert.deepEqual(await Promise.all(underWay.map((commit) => real.commit(commit))), [false]);
    assert.deepEqual([await countOf(real, 'a'), await eventSubjects(real)], [0, []]);
  });

  claim('a failed commit is a fault and changes nothing', async ({ backEnd: real }) => {
    const away = firstCommit(real, async () => {
      throw new StoreUnavailable('away');
    });
    await assert.rejects(increment(storeOf(away), 'a'), StoreUnavailable);
    assert.equal(await countOf(real, 'a'), undefined);
    assert.equal(await increment(storeOf(away), 'a'), 1, 'and the next one goes through');
  });
}

function countAndTell(backEnd: BackEnd): Promise<number> {
  return storeOf(backEnd).change(attempts, 'a', (found) => {
    const count = (found?.row.count ?? 0) + 1;
    return { outcome: count, next: counter('a', count), events: [told(count)] };
  });
}

const PAIR = [rowOf(attempts, 'a'), rowOf(attempts, 'b')];

function countPair(backEnd: BackEnd): Promise<number[]> {
  return storeOf(backEnd).changeAll(PAIR, (found) => {
    const counts = found.map((each) => (each?.row.count ?? 0) + 1);
    const next = counts.map((count, place) => counter(PAIR[place]?.key ?? '', count));
    return { outcome: counts, next, events: [told(counts[0] ?? 0)] };
  });
}

/** The first commit is in flight when the connection breaks: it lands just before the second is tried. */
function landsLate(real: BackEnd): BackEnd {
  const tried: Commit[] = [];
  const commit = async (wanted: Commit): Promise<boolean> => {
    tried.push(wanted);
    const [late] = tried;
    if (tried.length === 1) throw new CommitUnknown('the connection broke while the commit was under way');
    if (tried.length === 2 && late) await real.commit(late);
    return real.commit(wanted);
  };
  return { ...real, commit };
}
