// When streams of the revocation feed end by themselves. The clock and the timers are the test's own.
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { FeedStreams } from '../../../src/doors/oauth/feed-streams.ts';
import type { FeedTail } from '../../../src/operations/feed/feed-tail.ts';
import type { FeedStore } from '../../../src/operations/feed/read-feed.ts';
import { aResourceServer } from '../../samples.ts';

const START = { epoch: 1, sequence: 0, mark: '0'.repeat(16) };

class Response extends EventEmitter {
  readonly destroyed = false;
  isOpen = true;
  writeHead(): void {}

  write(_: Buffer, done: () => void): void {
    done();
  }

  end(): void {
    this.isOpen = false;
    this.emit('close');
  }
}

/** A store in which nothing happens. */
function scene(t: TestContext) {
  let now = 1_000_000;
  t.mock.timers.enable({ apis: ['setInterval'] });
  t.mock.method(performance, 'now', () => now);
  const state = { isCurrent: true, hijacked: 0, idle: 0 };
  const tail = {
    ...{ history: 1, version: 1, end: 0, currentAt: now },
    follow: async () => () => undefined,
    after: async () => [],
    catchUp: async () => undefined,
    change: (_version: number, _saidAt: number, signal: AbortSignal) => {
      state.idle += 1;
      return once(signal, 'abort');
    },
  };
  Object.defineProperty(tail, 'isCurrent', { get: () => state.isCurrent });
  const store = { events: async () => [], load: async () => ({ found: undefined }) };
  const streams = new FeedStreams(tail as unknown as FeedTail, store as unknown as FeedStore);
  /** Resolves when everything was sent. */
  const open = async (isProven = async () => true) => {
    const raw = new Response();
    const hijack = () => {
      state.hijacked += 1;
    };
    await streams.open({ raw, hijack } as unknown as FastifyReply, aResourceServer(), START, isProven);
    while (state.idle < state.hijacked) await nextTurn();
    return raw;
  };
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      now += 1000;
      t.mock.timers.tick(1000);
    }
    for (let turn = 0; turn < 3; turn++) await nextTurn();
  };
  return { state, open, pass };
}

test('streams that began together end one after the other, within ten to fifteen minutes', async (t) => {
  const { state, open, pass } = scene(t);
  const streams = await Promise.all(Array.from({ length: 301 }, () => open()));
  const left = () => streams.filter(({ isOpen }) => isOpen).length;
  assert.equal(state.hijacked, 301);
  await pass(600);
  assert.equal(left(), 301);
  for (const expected of [300, 299, 298]) {
    await pass(1);
    assert.equal(left(), expected);
  }
  await pass(900 - 603 - 1);
  assert.equal(left(), 2, 'the first, and the one after three hundred others');
  await pass(1);
  assert.equal(left(), 0);
});

test('what opened a stream is checked every four seconds, as long as it is open', async (t) => {
  const { open, pass } = scene(t);
  let [checks, isProven] = [0, true];
  const prove = async () => {
    checks += 1;
    return isProven;
  };
  const [stream, gone] = [await open(prove), await open(prove)];
  await pass(3);
  assert.equal(checks, 0);
  await pass(1);
  assert.equal(checks, 2);
  gone.end();
  await pass(0);
  await pass(4);
  assert.equal(checks, 3, 'that of the other one is not checked any more');
  assert.equal(stream.isOpen, true);
  isProven = false;
  await pass(4);
  assert.equal(stream.isOpen, false);
});

test('a store that cannot be read ends every stream at the second look', async (t) => {
  const { state, open, pass } = scene(t);
  const stream = await open();
  await pass(5);
  state.isCurrent = false;
  await pass(1);
  state.isCurrent = true;
  await pass(1);
  state.isCurrent = false;
  await pass(1);
  assert.equal(stream.isOpen, true);
  await pass(1);
  assert.equal(stream.isOpen, false);
});
