import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { epochSeconds } from '../../../src/core/time.ts';
import { accessChangeOf, itemsAfter } from '../../../src/operations/feed/read-feed.ts';
import type { LoggedEvent } from '../../../src/store/store.ts';
import { ADA, NOW } from '../../samples.ts';
import { changed, integration, revoked, scopeChange, storeWith } from './feed-log.ts';

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
    assert.deepEqual(accessChangeOf({ type: 'refreshed', at: NOW, sequence: 1 } as LoggedEvent), { isRecheck: false });
  });
});

suite('an item of the feed', () => {
  const itemOf = async (event: object) =>
    (await itemsAfter({ epoch: 1, sequence: 0 }, 10, storeWith([event]).store))[0];

  test('of a grant says its scope and what it is limited to, if the event does', async () => {
    const detail = { reason: 'by-caller', scope: 'orders:read', resource: ['urn:a'] };
    const state = (await itemOf(revoked('a', { detail })))?.state;
    assert.partialDeepStrictEqual(state, { about: 'grant', grantId: 'a', scope: { text: 'orders:read' } });
    assert.partialDeepStrictEqual(state, { resource: ['urn:a'], keepUntil: NOW + 86_700 });
    const { resource, scope } = { resource: undefined, scope: 1, ...(await itemOf(revoked('a')))?.state };
    assert.deepEqual([resource, scope], [undefined, undefined]);
    assert.equal((await itemOf({ type: 'revoked', detail: {} }))?.state, undefined);
  });

  test('of an identity says whether it is allowed now', async () => {
    const detail = { kind: 'identity', did: 'enabled', id: ADA, by: 'ada' };
    const state = (await itemOf({ type: 'administered', identityId: ADA, detail }))?.state;
    assert.partialDeepStrictEqual(state, { about: 'identity', isAllowed: false, keepUntil: NOW + 86_700 });
  });

  test('of an integration says from when tokens must have been issued, five seconds after the change', async () => {
    const state = (await itemOf(changed({ accessChanged: true })))?.state;
    assert.deepEqual(state, { about: 'integration', integration, recheckBefore: NOW + 5 });
    assert.deepEqual((await itemOf(changed({})))?.state, { about: 'integration', integration });
    const narrowed = (await itemOf(scopeChange('orders:read,write')))?.state;
    assert.equal(narrowed && 'formerScope' in narrowed, true);
  });
});
