import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GiveBack } from '../../src/serve/give-back.ts';

const MIB = 2 ** 20;

/** A process with 40 MiB in use. */
function aProcess() {
  const state = { live: 40 * MIB, garbage: 0, busy: 0, collected: 0 };
  const giveBack = new GiveBack({
    size: () => state.live + state.garbage,
    busy: () => state.busy,
    collect: () => {
      state.garbage = 0;
      state.collected += 1;
    },
  });
  const look = (times: number) => {
    for (let n = 0; n < times; n++) giveBack.look();
  };
  return { state, look };
}

test('a process that has been idle for a while collects much garbage, once', () => {
  const { state, look } = aProcess();
  state.garbage = 60 * MIB;
  look(2);
  assert.equal(state.collected, 0);
  look(1);
  assert.equal(state.collected, 1);
  look(3);
  assert.equal(state.collected, 1);
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
  assert.equal(state.collected, 0);
  look(1);
  assert.equal(state.collected, 1);
});

test('a little garbage is left alone, and memory that is in use is collected once only', () => {
  const { state, look } = aProcess();
  state.garbage = 20 * MIB;
  look(3);
  assert.equal(state.collected, 0);
  state.live = 200 * MIB;
  look(2);
  assert.equal(state.collected, 1);
});

test('the launchers let the service collect', () => {
  assert.equal(typeof globalThis.gc, 'function');
});
