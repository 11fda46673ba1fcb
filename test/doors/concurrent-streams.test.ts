import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ConcurrentStreams } from '../../src/doors/server/concurrent-streams.ts';

function aSession() {
  const limits: (number | undefined)[] = [];
  const session = {
    closed: false,
    destroyed: false,
    pendingSettingsAck: false,
    settings: ({ maxConcurrentStreams }: { maxConcurrentStreams?: number }) => void limits.push(maxConcurrentStreams),
  };
  let now = 0;
  const streams = new ConcurrentStreams(session, () => now);
  /** As often as this, each time after the last change has had its effect. */
  const often = (times: number, change: () => void) => {
    for (let n = 0; n < times; n++) {
      change();
      now += 100;
    }
  };
  return { session, streams, limits, often };
}

suite('how many streams an HTTP/2 connection may have', () => {
  test('a trusted caller that uses all of them gets more, up to 100', () => {
    const { streams, limits, often } = aSession();
    streams.trust();
    often(5, () => streams.isShort(100) && streams.raise());
    assert.deepEqual(limits, [32, 64, 100]);
  });

  test('a caller that does not use all of them gets no more', () => {
    const { streams } = aSession();
    streams.trust();
    assert.deepEqual([streams.isShort(15), streams.isShort(16)], [false, true]);
  });

  test('a stranger gets no more', () => {
    const { streams } = aSession();
    assert.equal(streams.isShort(16), false);
  });

  test('refusals for overload halve them, down to 2', () => {
    const { streams, limits, often } = aSession();
    often(5, () => streams.lower());
    assert.deepEqual(limits, [8, 4, 2]);
  });

  test('a change has to have its effect before the next one', () => {
    const { streams, limits } = aSession();
    streams.lower();
    streams.lower();
    assert.deepEqual(limits, [8]);
  });

  test('a caller that confirms no change is sent none: Node closes a session with many unconfirmed ones', () => {
    const { session, streams, limits } = aSession();
    streams.trust();
    session.pendingSettingsAck = true;
    streams.lower();
    assert.equal(streams.raise(), false, 'later');
    session.pendingSettingsAck = false;
    assert.equal(streams.raise(), true);
    assert.deepEqual(limits, [32]);
  });

  test('after an overload there are as many as at first', () => {
    const { streams, limits, often } = aSession();
    often(3, () => streams.lower());
    assert.equal(streams.isShort(0), true);
    streams.raise();
    assert.deepEqual(limits, [8, 4, 2, 16]);
    assert.equal(streams.isShort(16), false);
  });

  for (const end of ['closed', 'destroyed'] as const) {
    test(`a ${end} session is left alone`, () => {
      const { session, streams, limits } = aSession();
      session[end] = true;
      streams.lower();
      assert.deepEqual(limits, []);
    });
  }
});
