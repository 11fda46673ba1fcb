// What a new follower gets, page by page. The log is the test's own.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { FEED_WINDOW, type FeedState } from '../../../src/core/feed.ts';
import { type FeedStore, itemsAfter } from '../../../src/operations/feed/read-feed.ts';
import { firstPage, nextPage } from '../../../src/operations/feed/snapshot.ts';
import type { LoggedEvent } from '../../../src/store/store.ts';
import { ADA, anIdentity, anIntegration, CLIENT, NOW } from '../../samples.ts';

const integration = anIntegration();

/** A store with this log, one integration and one identity. */
function storeWith(log: readonly object[]) {
  const events = log.map((event, at) => ({ sequence: at + 1, at: NOW, ...event }) as LoggedEvent);
  const state = { epochs: [] as number[], pages: 0 };
  const store = {
    now: async () => NOW,
    load: async (_: unknown, key: string) => {
      if (key !== 'history') return { found: key === ADA ? { row: anIdentity({ enabled: false }) } : undefined };
      const epoch = state.epochs.shift();
      return { found: epoch === undefined ? undefined : { row: { epoch, rollback: undefined } } };
    },
    page: async () => {
      state.pages += 1;
      return [integration];
    },
    events: async ({ after, limit }: { after: number; limit: number }) =>
      events.filter(({ sequence }) => sequence > after).slice(0, limit),
    newestEvents: async ({ count, before = Number.POSITIVE_INFINITY }: { count: number; before?: number }) =>
      events.filter(({ sequence }) => sequence < before).slice(-count),
  } as unknown as FeedStore;
  return { store, state };
}

const revoked = (subjectId: string, more: object = {}) => ({
  ...{ type: 'revoked', subjectId, detail: { reason: 'by-caller' } },
  ...more,
});
const changed = (facts: object, more: object = {}) => ({
  ...{ type: 'administered', clientId: CLIENT },
  detail: { kind: 'integration', did: 'changed', id: CLIENT, by: 'ada', changed: {}, ...facts },
  ...more,
});
const scopeChange = (before: string) => changed({ changed: { scope: { before, after: 'orders:read' } } });

async function allPages(store: FeedStore): Promise<(readonly FeedState[])[]> {
  const pages: (readonly FeedState[])[] = [];
  for (let page = await firstPage(store); ; ) {
    pages.push(page.states);
    if (page.next === undefined) return pages;
    const next = await nextPage(page.from, page.next, store);
    assert.ok(next);
    page = next;
  }
}

/** Without the integrations that the first page begins with. */
async function statesOf(log: readonly object[]): Promise<FeedState[]> {
  const states = (await allPages(storeWith(log).store)).flat();
  assert.deepEqual(states[0], { about: 'integration', integration });
  return states.slice(1);
}

suite('a snapshot', () => {
  test('has every ended grant once, newest pages first', async () => {
    const ids = Array.from({ length: 1_200 }, (_, at) => `grant-${at}`);
    const pages = await allPages(storeWith(ids.map((id) => revoked(id))).store);
    assert.deepEqual(
      pages.map(({ length }) => length),
      [501, 500, 200],
    );
    const found = pages.flat().map((state) => (state.about === 'grant' ? state.grantId : ''));
    assert.deepEqual(new Set(found), new Set(['', ...ids]));
  });

  test('ends where the log is too old to concern a living token', async () => {
    const at = NOW - FEED_WINDOW;
    const old = Array.from({ length: 600 }, (_, n) => revoked(`old-${n}`, { at: at - 1 }));
    const states = await statesOf([...old, revoked('edge', { at }), revoked('new')]);
    assert.deepEqual(
      states.map((state) => state.about === 'grant' && state.grantId),
      ['new', 'edge'],
    );
  });

  test('has the last state of each thing once, but every change that says more about issued tokens', async () => {
    const about = async (...log: object[]) => (await statesOf(log)).length;
    assert.equal(await about(revoked('a'), revoked('a'), revoked('b')), 2);
    assert.equal(await about(changed({}), changed({})), 1);
    assert.equal(await about(changed({}), changed({ accessChanged: true }), changed({ accessChanged: true })), 2);
    assert.equal(await about(scopeChange('orders:read,write'), scopeChange('orders:read,delete')), 2);
    assert.equal(await about(scopeChange('orders:read,write'), scopeChange('orders:read,write')), 1);
    assert.equal(await about(changed({}), changed({}, { clientId: 'unknown' })), 1, 'of an integration that is gone');
  });

  test('leaves out what says nothing to followers', async () => {
    const key = { did: 'key-added', key: 'k1' };
    assert.deepEqual(await statesOf([{ type: 'refreshed', subjectId: 'a' }, changed(key)]), []);
  });

  test('is begun again if the store is put back meanwhile, and a later page says so', async () => {
    const { store, state } = storeWith([revoked('a')]);
    state.epochs.push(1, 2, 2, 2); // read before the first page and after it, twice
    const { from } = await firstPage(store);
    assert.equal(from.epoch, 2);
    assert.equal(state.pages, 2, 'the integrations were read again, too');
    state.epochs.push(3);
    assert.equal(await nextPage(from, 2, store), undefined);
  });
});

suite('an item of the feed', () => {
  const itemOf = async (event: object) =>
    (await itemsAfter({ epoch: 1, sequence: 0 }, 10, storeWith([event]).store))[0];

  test('of a grant says its scope and what it is limited to, if the event does', async () => {
    const detail = { reason: 'by-caller', scope: 'orders:read', resource: ['urn:a'] };
    const state = (await itemOf(revoked('a', { detail })))?.state;
    assert.partialDeepStrictEqual(state, { about: 'grant', grantId: 'a', scope: { text: 'orders:read' } });
    assert.partialDeepStrictEqual(state, { resource: ['urn:a'], keepUntil: NOW + FEED_WINDOW });
    const { resource, scope } = { resource: undefined, scope: 1, ...(await itemOf(revoked('a')))?.state };
    assert.deepEqual([resource, scope], [undefined, undefined]);
    assert.equal((await itemOf({ type: 'revoked', detail: {} }))?.state, undefined);
  });

  test('of an identity says whether it is allowed now', async () => {
    const detail = { kind: 'identity', did: 'enabled', id: ADA, by: 'ada' };
    const state = (await itemOf({ type: 'administered', identityId: ADA, detail }))?.state;
    assert.partialDeepStrictEqual(state, { about: 'identity', isAllowed: false, keepUntil: NOW + FEED_WINDOW });
  });

  test('of an integration says from when tokens must have been issued, five seconds after the change', async () => {
    const state = (await itemOf(changed({ accessChanged: true })))?.state;
    assert.deepEqual(state, { about: 'integration', integration, recheckBefore: NOW + 5 });
    assert.deepEqual((await itemOf(changed({})))?.state, { about: 'integration', integration });
    const narrowed = (await itemOf(scopeChange('orders:read,write')))?.state;
    assert.equal(narrowed && 'formerScope' in narrowed, true);
  });
});
