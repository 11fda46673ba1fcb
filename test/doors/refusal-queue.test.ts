import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { RefusalQueue } from '../../src/doors/server/refusal-queue.ts';

const REFUSAL_MS = 0.2;

/** `stepMs`: how long the event loop takes for what a timer does every 20 ms. */
function aQueue(t: TestContext, { isSaturated = true, stepMs = 20 } = {}) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let now = 0;
  const sent: string[] = [];
  const queue = new RefusalQueue({ isSaturated, refusalMs: REFUSAL_MS }, () => now);
  return {
    sent,
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

  test('however many there are, all are sent within seconds', (t) => {
    const { sent, refuse, pass } = aQueue(t);
    refuse(20_000);
    pass(4000);
    assert.ok(sent.length > 10_000, `${sent.length} after 4 s`);
    pass(20_000);
    assert.equal(sent.length, 20_000);
  });

  test('a caller that returned earlier than it was told waits for longer', (t) => {
    const { sent, refuse, pass } = aQueue(t);
    refuse(10_000, true);
    refuse(10_000);
    pass(4000);
    const early = sent.filter((kind) => kind === 'early').length;
    assert.ok(early < 4000 && sent.length - early > 6000, `${early} early ones of ${sent.length}`);
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
