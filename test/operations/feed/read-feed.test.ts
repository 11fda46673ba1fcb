import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { epochSeconds } from '../../../src/core/time.ts';
import { accessChangeOf } from '../../../src/operations/feed/read-feed.ts';
import type { LoggedEvent } from '../../../src/store/store.ts';
import { NOW } from '../../samples.ts';

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
