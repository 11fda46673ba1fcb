// Which resource servers are sent a state of the revocation feed: those that tokens it changes may be for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FeedState, keepUntil } from '../../src/core/feed.ts';
import { isConcerned } from '../../src/core/rules/audience.ts';
import { anIntegration, aResourceServer, NOW, ORDERS_AUDIENCE, scopeOf } from '../samples.ts';

const concerned = (state: object, server = aResourceServer()) => isConcerned(server, state as FeedState);

test('an ended grant concerns those that its tokens were for, and all if that is not known', () => {
  const grant = (scope?: string, resource?: string[]) =>
    concerned({ about: 'grant', scope: scope && scopeOf(scope), ...(resource && { resource }) });
  assert.equal(grant(), true);
  assert.equal(grant('orders:read'), true);
  assert.equal(grant('stock:read'), false);
  assert.equal(grant('orders:read', [ORDERS_AUDIENCE]), true);
  assert.equal(grant('orders:read', ['urn:other']), false);
});

test('a change of an integration concerns those that its scope names, or named before', () => {
  const changed = (scope: string, formerScope?: string) =>
    concerned({
      ...{ about: 'integration', integration: anIntegration({ scope: scopeOf(scope) }) },
      ...(formerScope && { formerScope: formerScope === 'unknown' ? formerScope : scopeOf(formerScope) }),
    });
  assert.equal(changed('orders:read'), true);
  assert.equal(changed('stock:read'), false);
  assert.equal(changed('stock:read', 'orders:read'), true);
  assert.equal(changed('stock:read', 'stock:write'), false);
  assert.equal(changed('stock:read', 'unknown'), true);
});

test('identities and keys concern all; changes of resource servers are never sent', () => {
  assert.deepEqual(
    ['identity', 'keys', 'resource-server'].map((about) => concerned({ about })),
    [true, true, false],
  );
});

test('states are kept for a day and five minutes: as long as a JWT may live, and clocks may differ', () => {
  assert.equal(keepUntil(NOW), NOW + 86_700);
});
