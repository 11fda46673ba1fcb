import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ALONE, fetchUnlessShared, waitAtMost } from '../../src/outbound/shared-download.ts';

suite('of a download that nodes share', () => {
  /** What is due, by turns; the last one stays. */
  const due = (...answers: boolean[]) => {
    const queue = [...answers];
    return async () => (queue.length > 1 ? (queue.shift() as boolean) : (queue[0] as boolean));
  };
  const fetching = () => {
    const done = { fetched: 0 };
    const fetch = async () => {
      done.fetched += 1;
    };
    return { done, fetch };
  };

  test('nothing is fetched that others have fetched, also while this node took its turn', async () => {
    const { done, fetch } = fetching();
    await fetchUnlessShared('x', ALONE, due(false), fetch);
    await fetchUnlessShared('x', ALONE, due(true, false), fetch);
    assert.equal(done.fetched, 0);
  });

  test('what is due is fetched once, without a store by this node', async () => {
    const { done, fetch } = fetching();
    await fetchUnlessShared('x', ALONE, due(true), fetch);
    assert.equal(done.fetched, 1);
    assert.equal(await ALONE.find('x'), undefined);
    assert.equal(await ALONE.share(undefined as never), undefined);
  });

  test('while another node fetches, this one looks again, and fetches if that one could not', async () => {
    const { done, fetch } = fetching();
    const turns = [false, true];
    const exchange = {
      byOne: async (_: string, work: () => Promise<unknown>) => {
        const isOurs = turns.shift() ?? false;
        if (isOurs) await work();
        return isOurs;
      },
    };
    await fetchUnlessShared('x', exchange, due(true), fetch);
    assert.deepEqual([done.fetched, turns.length], [1, 0]);
    turns.push(false);
    await fetchUnlessShared('x', exchange, due(true, false), fetch);
    assert.equal(done.fetched, 1, 'the other one has fetched it');
  });
});

suite('waiting for work that others share', () => {
  test('ends with the work, or after a while', async () => {
    await waitAtMost(60_000, Promise.resolve());
    await waitAtMost(1, new Promise(() => undefined));
  });

  test('a fault is thrown while somebody waits, and later left to the others', async () => {
    await assert.rejects(waitAtMost(60_000, Promise.reject(new Error('away'))), /away/);
    const { promise, reject } = Promise.withResolvers<void>();
    await waitAtMost(1, promise);
    reject(new Error('too late'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
