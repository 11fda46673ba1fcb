import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { cachedDataVersionTag } from 'node:v8';
import { GiveBack, returnMemory } from '../../src/serve/give-back.ts';

const MIB = 2 ** 20;

/** A process with 100 MiB in use. */
function aProcess() {
  const state = { live: 100 * MIB, garbage: 0, busy: 0, returned: 0 };
  const giveBack = new GiveBack({
    size: () => state.live + state.garbage,
    busy: () => state.busy,
    giveBack: () => {
      state.garbage = 0;
      state.returned++;
    },
  });
  const look = (times: number) => {
    for (let n = 0; n < times; n++) giveBack.look();
    return state.returned;
  };
  return { state, look };
}

test('a process that has been idle for a while returns the memory that it grew by, once for each flood', () => {
  const { state, look } = aProcess();
  for (let flood = 1; flood <= 2; flood++) {
    state.garbage = 60 * MIB;
    state.busy = 0.5;
    assert.equal(look(5), flood - 1);
    state.busy = 0.1;
    assert.equal(look(2), flood - 1);
    assert.equal(look(1), flood);
    assert.equal(look(5), flood);
  }
});

test('one busy look begins the wait anew', () => {
  const { state, look } = aProcess();
  state.garbage = 60 * MIB;
  assert.equal(look(2), 0);
  state.busy = 0.5;
  assert.equal(look(1), 0);
  state.busy = 0.1;
  assert.equal(look(2), 0);
  assert.equal(look(1), 1);
});

test('a process that grew a little is left alone; for memory that is in use it is tried more and more rarely', () => {
  const { state, look } = aProcess();
  state.garbage = 45 * MIB;
  assert.equal(look(5), 0);
  state.live = 300 * MIB;
  assert.deepEqual([look(1), look(2), look(1), look(5), look(1)], [1, 1, 2, 2, 3]);
  const before = look(10_000);
  assert.equal(look(7200), before + 10);
});

test('memory that is in use until after the flood is returned, too', () => {
  const { state, look } = aProcess();
  state.live = 500 * MIB;
  assert.equal(look(3), 1);
  Object.assign(state, { live: 100 * MIB, garbage: 400 * MIB });
  assert.equal(look(3), 2);
  assert.equal(state.garbage, 0);
  assert.equal(look(100), 2);
});

test('a process that became smaller by itself is measured by that', () => {
  const { state, look } = aProcess();
  state.live = 60 * MIB;
  assert.equal(look(3), 0);
  state.garbage = 40 * MIB;
  assert.equal(look(1), 1);
});

test('garbage is collected without a flag of the process, and compiled code stays usable', async () => {
  const flags = cachedDataVersionTag();
  const lost = new WeakRef({});
  await nextTurn(); // a WeakRef holds its object until the end of the turn
  returnMemory();
  assert.equal(lost.deref(), undefined);
  assert.equal(cachedDataVersionTag(), flags, 'else modules that are loaded later would be compiled again');
});
