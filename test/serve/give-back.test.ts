import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { cachedDataVersionTag } from 'node:v8';
import { type Collection, collectGarbage, GiveBack } from '../../src/serve/give-back.ts';

const MIB = 2 ** 20;

/** A process with 40 MiB in use. */
function aProcess() {
  const state = { live: 40 * MIB, garbage: 0, busy: 0, collected: [] as Collection[] };
  const giveBack = new GiveBack({
    size: () => state.live + state.garbage,
    busy: () => state.busy,
    collect: (how) => {
      state.garbage = 0;
      state.collected.push(how);
    },
  });
  const look = (times: number) => {
    for (let n = 0; n < times; n++) giveBack.look();
  };
  return { state, look };
}

test('a process that has been idle for a while returns much garbage, once', () => {
  const { state, look } = aProcess();
  state.garbage = 60 * MIB;
  look(2);
  assert.deepEqual(state.collected, []);
  look(1);
  assert.deepEqual(state.collected, ['return']);
  look(3);
  assert.deepEqual(state.collected, ['return']);
});

test('the garbage of a flood is collected as soon as the process is idle, and its memory is returned later', () => {
  const { state, look } = aProcess();
  state.garbage = 100 * MIB;
  state.busy = 0.5;
  look(2);
  assert.deepEqual(state.collected, []);
  state.busy = 0.1;
  look(1);
  assert.deepEqual(state.collected, ['collect']);
  look(5);
  assert.deepEqual(state.collected, ['collect', 'return']);
});

test('a busy process does not collect, and one busy look begins the wait anew', () => {
  const { state, look } = aProcess();
  state.garbage = 60 * MIB;
  state.busy = 0.5;
  look(5);
  state.busy = 0.1;
  look(2);
  state.busy = 0.5;
  look(1);
  state.busy = 0.1;
  look(2);
  assert.deepEqual(state.collected, []);
  look(1);
  assert.deepEqual(state.collected, ['return']);
});

test('a little garbage is left alone, and memory that is in use is collected once only', () => {
  const { state, look } = aProcess();
  state.garbage = 20 * MIB;
  look(3);
  assert.deepEqual(state.collected, []);
  state.live = 200 * MIB;
  look(2);
  assert.deepEqual(state.collected, ['return']);
});

test('garbage is collected without a flag of the process, and compiled code stays usable', async () => {
  const flags = cachedDataVersionTag();
  const lost = new WeakRef({});
  await nextTurn(); // a WeakRef holds its object until the end of the turn
  collectGarbage('return');
  assert.equal(lost.deref(), undefined);
  assert.equal(cachedDataVersionTag(), flags, 'else modules that are loaded later would be compiled again');
});
