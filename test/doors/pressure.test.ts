import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type LoopClock, Pressure } from '../../src/doors/server/pressure.ts';

const TARGET_MS = 60;

/** An event loop driven by the test. */
class Loop implements LoopClock {
  time = 0;
  idleTime = 0;
  #ends: (() => void)[] = [];

  now = () => this.time;
  idle = () => this.idleTime;
  afterTurn = (end: () => void) => void this.#ends.push(end);

  endTurn({ busyMs = 0, idleMs = 0 }): void {
    this.time += busyMs + idleMs;
    this.idleTime += idleMs;
    for (const end of this.#ends.splice(0)) end();
  }
}

/** One turn with this many arrivals; returns how many were accepted. Serving takes 1 ms, refusing a quarter of that. */
function turn(pressure: Pressure, loop: Loop, arrivals: number, { isKnown = false, idleMs = 0 } = {}): number {
  let accepted = 0;
  for (let n = 0; n < arrivals; n++) {
    if (pressure.isTooLate(pressure.arrive(), isKnown)) pressure.refuse();
    else {
      pressure.accept();
      accepted += 1;
    }
  }
  loop.endTurn({ busyMs: accepted + (arrivals - accepted) / 4, idleMs });
  return accepted;
}

function turns(count: number, arrivals: number, options = {}): { accepted: number[]; pressure: Pressure; loop: Loop } {
  const loop = new Loop();
  const pressure = new Pressure(TARGET_MS, loop);
  const accepted = Array.from({ length: count }, () => turn(pressure, loop, arrivals, options));
  return { accepted, pressure, loop };
}

suite('pressure', () => {
  test('everything is accepted while event loop turns are short', () => {
    const { accepted, pressure } = turns(50, 40, { idleMs: 20 });
    assert.deepEqual(new Set(accepted), new Set([40]));
    assert.equal(pressure.isOverloaded, false);
  });

  test('a burst is accepted up to twice the target', () => {
    const { pressure, loop } = turns(50, 40, { idleMs: 20 });
    assert.equal(turn(pressure, loop, 100), 100);
  });

  test('a lasting queue is cut to the target by refusing the last arrivals of each turn', () => {
    const { accepted, pressure } = turns(60, 500);
    assert.equal(pressure.isOverloaded, true);
    const settled = accepted.slice(-10);
    for (const count of settled) assert.ok(count > TARGET_MS / 2 && count < TARGET_MS * 1.25, settled.join(' '));
  });

  test('callers with a valid credential are accepted when strangers are not', () => {
    const { pressure, loop } = turns(60, 500);
    const strangers = turn(pressure, loop, 500);
    const known = turn(pressure, loop, 500, { isKnown: true });
    assert.ok(known > strangers, `${known} known, ${strangers} strangers`);
  });

  test('pressure ends with the first short turn', () => {
    const { pressure, loop } = turns(60, 500);
    turn(pressure, loop, 10);
    pressure.arrive();
    assert.equal(pressure.isOverloaded, false);
  });
});
