// The place of a follower, and whether it is in the log of this store. The store is the test's own.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ResourceServer } from '../../../src/core/resource-server.ts';
import {
  cursorText,
  isInLog,
  newestPosition,
  type Position,
  parseCursor,
  positionOf,
  serverMark,
} from '../../../src/operations/feed/cursor.ts';
import type { LoggedEvent, Store } from '../../../src/store/store.ts';
import { aResourceServer, NOW } from '../../samples.ts';

const event = (sequence: number, subjectId = 'a'): LoggedEvent =>
  ({ type: 'refreshed', at: NOW, subjectId, sequence }) as LoggedEvent;

/** A store whose log has these events. */
function storeWith(log: readonly LoggedEvent[], epoch = 1) {
  const found = epoch === 1 ? undefined : { row: { epoch, rollback: undefined } };
  return {
    load: async () => ({ found, now: NOW }),
    events: async ({ after, limit }: { after: number; limit: number }) =>
      log.filter(({ sequence }) => sequence > after).slice(0, limit),
    newestEvents: async ({ count }: { count: number }) => log.slice(-count),
  } as unknown as Store;
}

suite('a cursor', () => {
  const server = aResourceServer();
  const position: Position = { epoch: 3, sequence: 12, mark: '0123456789abcdef' };
  const text = cursorText(position, serverMark(server));

  test('is read as it was written', () => {
    assert.deepEqual(parseCursor(text, server), position);
    const start = { epoch: 1, sequence: 0, mark: '0'.repeat(16) };
    assert.deepEqual(parseCursor(cursorText(start, serverMark(server)), server), start);
  });

  test('is of its resource server, as long as that serves the same', () => {
    for (const difference of [
      { id: 'other' },
      { audience: 'urn:other' },
      { resources: ['other'] },
      { enabled: false },
    ] as Partial<ResourceServer>[])
      assert.equal(parseCursor(text, aResourceServer(difference)), undefined);
    assert.deepEqual(parseCursor(text, aResourceServer({ name: 'Other', secrets: [] })), position);
  });

  test('is refused if it is malformed', () => {
    const [, , ofServer] = text.split('-');
    for (const [from, to] of [
      ['3.', '0.'],
      ['3.', '03.'],
      ['3.', ''],
      ['.12', '.012'],
      ['.12', `.${'1'.repeat(16)}`],
      ['0123456789abcdef', '0123456789ABCDEF'],
      ['0123456789abcdef', '0123'],
      [`-${ofServer}`, ''],
      [`-${ofServer}`, `-${ofServer} `],
    ] as const)
      assert.equal(parseCursor(text.replace(from, to), server), undefined, `${from} → ${to}`);
  });
});

suite('a position is in the log', () => {
  const log = [event(1), event(2), event(5)];
  const isIn = (position: Position, store = storeWith(log)) => isInLog(position, store);

  test('if the log has its event, and no other in its place', async () => {
    for (const each of log) assert.equal(await isIn(positionOf(each, 1)), true);
    assert.equal(await isIn(positionOf(event(2, 'b'), 1)), false);
    assert.equal(await isIn(positionOf(event(3), 1)), false);
    assert.equal(await isIn(positionOf(event(6), 1)), false);
    assert.equal(await isIn({ ...positionOf(event(5), 1), mark: '0'.repeat(16) }), false);
  });

  test('of the same epoch only', async () => {
    assert.equal(await isIn(positionOf(event(2), 1), storeWith(log, 2)), false);
    assert.equal(await isIn(positionOf(event(2), 2), storeWith(log, 2)), true);
  });

  test('before the first event, unless that was swept', async () => {
    const start = await newestPosition(storeWith([]));
    assert.deepEqual(start, { epoch: 1, sequence: 0, mark: '0'.repeat(16) });
    for (const first of [1, 2]) assert.equal(await isIn(start, storeWith([event(first)])), true);
    assert.equal(await isIn(start, storeWith([])), true);
    assert.equal(await isIn(start, storeWith([event(3)])), false);
    assert.equal(await isIn({ ...start, mark: '1'.repeat(16) }, storeWith([])), false);
  });

  test('at its end', async () => {
    assert.deepEqual(await newestPosition(storeWith(log, 4)), positionOf(event(5), 4));
  });
});
