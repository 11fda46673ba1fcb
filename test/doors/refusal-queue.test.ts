import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { RefusalQueue } from '../../src/doors/server/refusal-queue.ts';

const REFUSAL_MS = 0.2;

/** `stepMs`: how long the event loop takes for what a timer does every 20 ms. */
function aQueue(t: TestContext, { isSaturated = true, stepMs = 20 } = {}) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let now = 0;
  const sent: string[] = [];
  const pressure = { isSaturated, refusalMs: REFUSAL_MS, arrive: () => undefined };
  const queue = new RefusalQueue(pressure, () => now);
  return {
    sent,
    pressure,
    queue,
    refuse: (count: number, isEarly = false) => {
      for (let n = 0; n < count; n++) queue.refuse(() => void sent.push(isEarly ? 'early' : 'first'), isEarly);
    },
    pass: (milliseconds: number) => {
      for (const end = now + milliseconds; now < end; ) {
        now += stepMs;
        t.mock.timers.tick(20);
      }
    },
  };
}

suite('refusals', () => {
  test('a few are sent at once', (t) => {
    const { sent, refuse } = aQueue(t);
    refuse(4);
    assert.equal(sent.length, 4);
  });

  test('many take 4 percent of the time while requests need all of it', (t) => {
    const { sent, refuse, pass } = aQueue(t);
    refuse(500);
    pass(1000);
    const most = (1000 * 0.04) / REFUSAL_MS;
    assert.ok(sent.length >= most && sent.length < most * 1.1, `${sent.length} in a second`);
  });

  test('they take the same share if the event loop is slow', (t) => {
    const { sent, refuse, pass } = aQueue(t, { stepMs: 100 });
    refuse(500);
    pass(1000);
    const most = (1000 * 0.04) / REFUSAL_MS;
    assert.ok(sent.length >= most && sent.length < most * 1.1, `${sent.length} in a second`);
  });

  test('they are sent faster if there is time', (t) => {
    const { sent, refuse, pass } = aQueue(t, { isSaturated: false });
    refuse(2000);
    pass(1000);
    const most = (1000 * 0.25) / REFUSAL_MS;
    assert.ok(sent.length >= most && sent.length < most * 1.1, `${sent.length} in a second`);
  });

  for (const [isEarly, seconds] of [
    [false, 4],
    [true, 9],
  ] as const) {
    const whose = isEarly ? 'of callers that returned earlier than they were told ' : '';
    test(`however many there are, those ${whose}are sent within ${seconds} seconds`, (t) => {
      const { sent, refuse, pass } = aQueue(t);
      refuse(20_000, isEarly);
      pass(seconds * 500);
      assert.ok(sent.length > 9900 && sent.length < 10_500, `${sent.length} after half of the time`);
      for (let n = 0; n < 10; n++) {
        refuse(100, isEarly);
        pass(seconds * 50);
      }
      assert.ok(sent.length >= 20_000, `${sent.length} with others behind them`);
    });
  }

  test('a caller that returned earlier than it was told waits for longer', (t) => {
    const { sent, refuse, pass } = aQueue(t);
    refuse(10_000, true);
    refuse(10_000);
    pass(4000);
    const early = sent.filter((kind) => kind === 'early').length;
    assert.equal(sent.length - early, 10_000);
    assert.ok(early < 5000, `${early} early ones`);
  });

  test('the share of the time follows the load, also if no further request comes', (t) => {
    const { sent, pressure, refuse, pass } = aQueue(t);
    refuse(1000);
    pass(20);
    pressure.arrive = () => {
      pressure.isSaturated = false;
    };
    pass(900);
    assert.equal(sent.length, 1000);
  });

  test('a caller that has gone costs no time', (t) => {
    const { sent, queue, refuse, pass } = aQueue(t);
    const gone = Array.from({ length: 20_000 }, () => () => void sent.push('gone'));
    for (const send of gone) queue.refuse(send, false);
    const before = sent.length;
    for (const send of gone) queue.forget(send);
    refuse(10);
    pass(60);
    assert.deepEqual(sent.slice(before), Array(10).fill('first'));
  });

  test('after a pause they are sent at once again', (t) => {
    const { sent, refuse, pass } = aQueue(t);
    refuse(500);
    pass(10_000);
    assert.equal(sent.length, 500);
    refuse(4);
    assert.equal(sent.length, 504);
  });
});
