import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lane } from '../../src/store/lane.ts';

/** A lane whose batches end on demand. */
function held(options: { most: number; parallel: number }) {
  const batches: { readonly inputs: readonly number[]; readonly end: () => void }[] = [];
  let running = 0;
  let mostAtOnce = 0;
  const lane = new Lane<number, number>((inputs) => {
    running += 1;
    mostAtOnce = Math.max(mostAtOnce, running);
    return new Promise((resolve) => {
      const end = () => {
        running -= 1;
        resolve(inputs.map((input) => input * 10));
      };
      batches.push({ inputs, end });
    });
  }, options);
  return { lane, batches, mostAtOnce: () => mostAtOnce };
}

const turn = () => new Promise(setImmediate);

test('no more batches run in parallel than allowed, and the others follow in order', async () => {
  const { lane, batches, mostAtOnce } = held({ most: 2, parallel: 2 });
  const answers = Promise.all([1, 2, 3, 4, 5, 6, 7].map((input) => lane.submit(input)));
  for (let ended = 0; ended < 4; ended++) {
    while (batches.length <= ended) await turn();
    await turn(); // any other batch would have started by then
    batches[ended]?.end();
  }
  assert.deepEqual(await answers, [10, 20, 30, 40, 50, 60, 70]);
  assert.deepEqual(
    batches.map(({ inputs }) => inputs),
    [[1, 2], [3, 4], [5, 6], [7]],
  );
  assert.equal(mostAtOnce(), 2);
});

test('changes that arrive while all batches run are sent together as the next batch', async () => {
  const { lane, batches } = held({ most: 10, parallel: 1 });
  const first = lane.submit(1);
  await turn();
  const rest = Promise.all([2, 3, 4].map((input) => lane.submit(input)));
  await turn();
  assert.equal(batches.length, 1);
  batches[0]?.end();
  assert.equal(await first, 10);
  while (batches.length < 2) await turn();
  assert.deepEqual(batches[1]?.inputs, [2, 3, 4]);
  batches[1]?.end();
  assert.deepEqual(await rest, [20, 30, 40]);
});
