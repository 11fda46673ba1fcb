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
  return { state, giveBack };
}

test('an idle process with much garbage collects it once', () => {
  const { state, giveBack } = aProcess();
  state.garbage = 60 * MIB;
  giveBack.look();
  giveBack.look();
  assert.equal(state.collected, 1);
});

test('a busy process does not collect until it is idle', () => {
  const { state, giveBack } = aProcess();
  state.garbage = 60 * MIB;
  state.busy = 0.5;
  giveBack.look();
  assert.equal(state.collected, 0);
  state.busy = 0.1;
  giveBack.look();
  assert.equal(state.collected, 1);
});

test('a little garbage is left alone, and memory that is in use is collected once only', () => {
  const { state, giveBack } = aProcess();
  state.garbage = 20 * MIB;
  giveBack.look();
  assert.equal(state.collected, 0);
  state.live = 200 * MIB;
  giveBack.look();
  giveBack.look();
  assert.equal(state.collected, 1);
});

test('the launchers let the service collect', () => {
  assert.equal(typeof globalThis.gc, 'function');
});
