// The place of a follower, and whether it is in the log of this store. The store is the test's own.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ResourceServer } from '../../../src/core/resource-server.ts';
import { epochSeconds } from '../../../src/core/time.ts';
import {
  cursorText,
  isInLog,
  newestPosition,
  type Position,
  parseCursor,
  positionOf,
  serverMark,
} from '../../../src/operations/feed/cursor.ts';
import { currentServer, isOutdated } from '../../../src/operations/feed/follower.ts';
import { accessChangeOf } from '../../../src/operations/feed/read-feed.ts';
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

suite('a follower', () => {
  const NEWS = { state: { about: 'resource-server', id: 'orders-api' } } as never;
  const SECRETS = ['aa', 'bb'].map((hash) => ({ hash, createdAt: NOW })) as never;
  const then = aResourceServer({ secrets: SECRETS, identity: 'local:api' as never });
  const storing = (row: ResourceServer | undefined) =>
    ({ load: async () => ({ found: row && { row } }) }) as unknown as Pick<Store, 'load'>;
  const outdated = (now: ResourceServer | undefined, news = NEWS) => isOutdated(then, [news], storing(now));

  test('may follow while it is registered and enabled', async () => {
    assert.equal(await currentServer(then, storing(then)), then);
    assert.equal(await currentServer(then, storing({ ...then, enabled: false })), undefined);
    assert.equal(await currentServer(then, storing(undefined)), undefined);
  });

  test('must start again if what it serves or what proves it was changed', async () => {
    const [first] = then.secrets;
    const { identity, ...withoutIdentity } = then;
    assert.ok(identity);
    for (const [now, expected] of [
      [then, false],
      [{ ...then, name: 'Other' }, false],
      [{ ...then, secrets: [...then.secrets, { hash: 'cc', createdAt: NOW }] as never }, false],
      [undefined, true],
      [{ ...then, enabled: false }, true],
      [{ ...then, resources: ['other'] }, true],
      [{ ...then, secrets: first ? [first] : [] }, true],
      [withoutIdentity, true],
    ] as const)
      assert.equal(await outdated(now), expected, JSON.stringify(now));
  });

  test('is not concerned by changes of other things', async () => {
    assert.equal(await outdated(undefined, { state: { about: 'resource-server', id: 'other' } } as never), false);
    assert.equal(await outdated(undefined, { state: { about: 'keys', changedAt: NOW } } as never), false);
    assert.equal(await outdated(undefined, { state: undefined } as never), false);
  });
});

suite('tokens issued before a change of an integration are introspected', () => {
  const changeOf = (changed: object, more: object = {}) =>
    accessChangeOf({
      ...{ type: 'administered', at: epochSeconds(NOW), sequence: 1 },
      detail: { kind: 'integration', did: 'changed', id: 'till', by: 'ada', changed, ...more },
    } as unknown as LoggedEvent);
  const scopes = (before: unknown, after: unknown) => {
    const { formerScope, isRecheck } = changeOf({ scope: { before, after } });
    return [typeof formerScope === 'object' ? formerScope.text : formerScope, isRecheck];
  };

  test('if others may use it', () => {
    assert.deepEqual(changeOf({ access: {} }, { accessChanged: true }), { isRecheck: true });
    assert.deepEqual(changeOf({ name: {} }), { isRecheck: false });
    assert.equal(changeOf({ scope: { before: 'a:x', after: 'a:x' } }, { accessChanged: true }).isRecheck, true);
  });

  test('if its scope grew, or may have grown', () => {
    assert.deepEqual(scopes('a:x,y', 'a:x'), ['a:x,y', false]);
    assert.deepEqual(scopes('a:x', 'a:x,y'), ['a:x', true]);
    assert.deepEqual(scopes('a:x', 'b:x'), ['a:x', true]);
    assert.deepEqual(scopes('a:x', `sha256:${'0'.repeat(16)}`), ['a:x', true]);
    assert.deepEqual(scopes(`sha256:${'0'.repeat(16)}`, 'a:x'), ['unknown', true]);
    assert.deepEqual(scopes(undefined, undefined), ['unknown', true]);
  });

  test('but not because of other acts', () => {
    assert.deepEqual(changeOf({ scope: { before: 'a', after: 'b' } }, { did: 'enabled' }), { isRecheck: false });
    assert.deepEqual(changeOf({ scope: { before: 'a', after: 'b' } }, { kind: 'identity' }), { isRecheck: false });
    assert.deepEqual(accessChangeOf(event(1)), { isRecheck: false });
  });
});
