// What a new follower gets, page by page. The log is the test's own.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { FeedState } from '../../../src/core/feed.ts';
import { type FeedStore, firstPage, nextPage } from '../../../src/operations/feed/read-feed.ts';
import { NOW } from '../../samples.ts';
import { changed, integration, revoked, scopeChange, storeWith } from './feed-log.ts';

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
    const at = NOW - 86_700;
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

  test('leaves what happens meanwhile to the stream', async () => {
    const { store, state } = storeWith([revoked('a')]);
    state.meanwhile.push({ ...revoked('b'), sequence: 2, at: NOW } as never);
    const { from, states } = await firstPage(store);
    assert.equal(from.sequence, 1);
    assert.deepEqual(
      states.map((state) => state.about === 'grant' && state.grantId),
      [false, 'a'],
    );
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
