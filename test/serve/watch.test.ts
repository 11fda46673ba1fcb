import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endsWithin, every, startChores } from '../../src/serve/watch.ts';
import { eventually } from '../eventually.ts';

/** Work that ends or fails on demand. */
function held() {
  let begun = 0;
  let settle: { resolve: () => void; reject: (fault: Error) => void } | undefined;
  const work = () => {
    begun += 1;
    return new Promise<void>((resolve, reject) => {
      settle = { resolve, reject };
    });
  };
  return { work, begun: () => begun, end: () => settle?.resolve(), fail: () => settle?.reject(new Error('closed')) };
}

const turn = () => new Promise(setImmediate);
const unexpected = (fault: unknown) => assert.fail(String(fault));

test('stop waits for the running call', async () => {
  const { work, end } = held();
  const stop = every(1_000_000, work, unexpected, { atOnce: true });
  let isStopped = false;
  const stopping = stop().then(() => {
    isStopped = true;
  });
  await turn();
  assert.equal(isStopped, false);
  end();
  await stopping;
});

test('a fault is logged and the next call still runs; a fault after stop is ignored', async () => {
  const told: unknown[] = [];
  const { work, begun, fail } = held();
  const stop = every(1, work, (fault) => told.push(fault), { atOnce: true });
  fail();
  await eventually('the work runs again', () => begun() >= 2);
  assert.equal(told.length, 1);
  const stopping = stop();
  fail();
  await stopping;
  assert.equal(told.length, 1);
});

test('stop gives up waiting after its time limit', async () => {
  const { work } = held();
  await every(1_000_000, work, unexpected, { atOnce: true })();
});

test('start awaits what the first request needs, and starts everything else once', async () => {
  const [first, second] = [held(), held()];
  const starting = startChores(
    [
      { name: 'first', everyMs: 1_000_000, work: first.work, atStart: 'awaited' },
      { name: 'second', everyMs: 1_000_000, work: second.work, atStart: 'begun' },
    ],
    unexpected,
  );
  await turn();
  assert.deepEqual([first.begun(), second.begun()], [1, 0]);
  first.end();
  const stop = await starting;
  assert.deepEqual([first.begun(), second.begun()], [1, 1]);
  second.end();
  await stop();
});

test('endsWithin reports whether work ends in time', async () => {
  assert.equal(await endsWithin(10_000, Promise.resolve()), true);
  assert.equal(await endsWithin(1, new Promise(() => undefined)), false);
  await assert.rejects(endsWithin(10_000, Promise.reject(new Error('broke'))), /broke/);
});
