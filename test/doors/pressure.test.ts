import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type LoopClock, Pressure } from '../../src/doors/server/pressure.ts';

const TARGET_MS = 120;

/** An event loop driven by the test. */
class Loop implements LoopClock {
  time = 0;
  idleTime = 0;
  #ends: (() => void)[] = [];

  now = () => this.time;
  idle = () => this.idleTime;
  afterTurn = (end: () => void) => void this.#ends.push(end);

  endTurn({ busyMs = 0, idleMs = 0 }): void {
    this.time += busyMs;
    for (const end of this.#ends.splice(0)) end();
    this.time += idleMs;
    this.idleTime += idleMs;
  }
}

interface Turn {
  readonly isKnown?: boolean;
  /** Every request is the first on its connection. */
  readonly isFirst?: boolean;
  readonly idleMs?: number;
  /** Of serving one request; refusing costs half. */
  readonly costMs?: number;
}

/** One turn with this many arrivals; returns how many were accepted. All of them are answered at its end. */
function turn(pressure: Pressure, loop: Loop, arrivals: number, options: Turn = {}): number {
  const { isKnown = false, isFirst = false, idleMs = 0, costMs = 1 } = options;
  let accepted = 0;
  for (let n = 0; n < arrivals; n++) {
    pressure.arrive();
    if (pressure.isTooLate(accepted, isKnown)) pressure.refuse();
    else {
      pressure.accept(isFirst);
      accepted += 1;
    }
  }
  loop.endTurn({ busyMs: (accepted + (arrivals - accepted) / 2) * costMs, idleMs });
  return accepted;
}

/** In a process that has been running for a while. */
function turns(count: number, arrivals: number, options: Turn = {}) {
  const loop = new Loop();
  const pressure = new Pressure(TARGET_MS, loop);
  for (let n = 0; n < 200; n++) turn(pressure, loop, 30, { idleMs: 30 });
  const accepted = Array.from({ length: count }, () => turn(pressure, loop, arrivals, options));
  return { accepted, pressure, loop };
}

suite('pressure', () => {
  test('everything is accepted while the event loop has idle time', () => {
    const { accepted, pressure } = turns(50, 40, { idleMs: 20 });
    assert.deepEqual(new Set(accepted), new Set([40]));
    assert.equal(pressure.isSaturated, false);
  });

  test('a burst is accepted', () => {
    const { pressure, loop } = turns(50, 40, { idleMs: 20 });
    assert.equal(turn(pressure, loop, 150), 150);
  });

  test('a burst is not accepted beyond two and a half times the target', () => {
    const { pressure, loop } = turns(50, 40, { idleMs: 20 });
    const accepted = turn(pressure, loop, 2000);
    assert.ok(accepted >= 2.5 * TARGET_MS && accepted < 3.5 * TARGET_MS, `${accepted} accepted`);
  });

  test('64 connections to a process that has just started and is slow at first are all served', () => {
    const loop = new Loop();
    const pressure = new Pressure(TARGET_MS, loop);
    turn(pressure, loop, 1, { costMs: 40, idleMs: 5 });
    const costs = [3, 2, 1.5, 1.2, 1.2, 1, 0.8, 0.5, 0.3, ...Array.from({ length: 100 }, () => 0.2)];
    const accepted = costs.map((costMs) => turn(pressure, loop, 64, { costMs }));
    assert.deepEqual(new Set(accepted), new Set([64]));
  });

  test('one long turn of other work does not count as overload', () => {
    const { pressure, loop } = turns(50, 40, { idleMs: 60 });
    loop.endTurn({ busyMs: 150 });
    assert.equal(turn(pressure, loop, 100), 100);
  });

  test('work that other parts do between requests does not make requests look expensive', () => {
    const { pressure, loop } = turns(0, 0);
    for (let n = 0; n < 50; n++) {
      turn(pressure, loop, 1, { idleMs: 20 });
      loop.endTurn({ busyMs: 90, idleMs: 20 });
    }
    assert.equal(turn(pressure, loop, 150), 150);
  });

  test('a saturated loop with few requests in flight refuses no request', () => {
    const { accepted, pressure } = turns(200, 40);
    assert.equal(pressure.isSaturated, true);
    assert.deepEqual(new Set(accepted), new Set([40]));
  });

  test('a slow machine with fewer than a hundred requests in flight refuses no request', () => {
    const { accepted, pressure } = turns(60, 90, { costMs: 10 });
    assert.equal(pressure.isSaturated, true);
    assert.deepEqual(new Set(accepted), new Set([90]));
  });

  test('a lasting queue is cut to the target by refusing the last arrivals of each turn', () => {
    const { accepted, pressure } = turns(60, 500);
    assert.equal(pressure.isSaturated, true);
    const settled = accepted.slice(-10);
    for (const count of settled) assert.ok(count > TARGET_MS / 2 && count < TARGET_MS * 1.25, settled.join(' '));
  });

  test('callers with a valid credential are accepted when strangers are not', () => {
    const { pressure, loop } = turns(60, 500);
    const strangers = turn(pressure, loop, 500);
    const known = turn(pressure, loop, 500, { isKnown: true });
    assert.ok(known > strangers, `${known} known, ${strangers} strangers`);
  });

  test('requests are accepted again as soon as few are in flight', () => {
    const { pressure, loop } = turns(60, 500);
    assert.equal(turn(pressure, loop, 10), 10);
  });

  test('requests on kept connections count as such; first ones do not', () => {
    assert.ok(turns(60, 40, { idleMs: 20 }).pressure.keptShare > 0.6);
    assert.ok(turns(60, 40, { idleMs: 20, isFirst: true }).pressure.keptShare < 0.01);
  });

  test('the loop is no longer saturated after a quarter of a second of rest', () => {
    const { pressure, loop } = turns(60, 500);
    loop.endTurn({ idleMs: 250 });
    pressure.arrive();
    assert.equal(pressure.isSaturated, false);
  });
});
