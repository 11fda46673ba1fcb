// What the entries of the revocation feed say about a token. The clock is the test's own.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { beforeEach, suite, test } from 'node:test';
import type { Claims } from '../../../sdk/verify/src/claims.ts';
import { Revocations } from '../../../sdk/verify/src/revocations.ts';

const START = 1_800_000_000;
let now = START;
let known: Revocations;
beforeEach(() => {
  now = START;
  known = new Revocations(() => now * 1000);
});

const TOKEN: Claims = {
  ...{ identity: 'local:ada', integration: 'sync', scope: ['orders:read'], grant: '018f' },
  ...{ issuedAt: START - 100, expiresAt: START + 600 },
};
const identity = createHash('sha256').update(TOKEN.identity).digest('hex');
const ofIdentity = (allowed: boolean, except: string[] = [], keep_until = START + 600) =>
  known.add({ type: 'identity', identity, allowed, except, keep_until });
const ofIntegration = (difference: object = {}) =>
  known.add({ type: 'integration', client_id: 'sync', enabled: true, scope: 'orders:read', ...difference });
const ofGrant = (grant = '018f', keep_until = START + 600) => known.add({ type: 'grant', grant, keep_until });

suite('a token is revoked', () => {
  test('if its grant has ended, and no other', () => {
    ofGrant('0190');
    assert.equal(known.whyRevoked(TOKEN), undefined);
    ofGrant();
    assert.match(known.whyRevoked(TOKEN) ?? '', /grant/);
  });

  test('while its identity is not allowed', () => {
    ofIdentity(false);
    assert.match(known.whyRevoked(TOKEN) ?? '', /identity/);
    assert.equal(known.whyRevoked({ ...TOKEN, identity: 'local:bob' }), undefined);
    ofIdentity(true);
    assert.equal(known.whyRevoked(TOKEN), undefined);
    assert.equal(known.size, 0, 'an identity without limits need not be remembered');
  });

  test('while its identity may not use its integration', () => {
    ofIdentity(true, ['sync']);
    assert.match(known.whyRevoked(TOKEN) ?? '', /identity/);
    assert.equal(known.whyRevoked({ ...TOKEN, integration: 'till' }), undefined);
    ofIdentity(true, ['till']);
    assert.equal(known.whyRevoked(TOKEN), undefined);
  });

  test('while its integration is disabled', () => {
    ofIntegration({ enabled: false });
    assert.match(known.whyRevoked(TOKEN) ?? '', /integration/);
    ofIntegration();
    assert.equal(known.whyRevoked(TOKEN), undefined);
  });
});

test('a snapshot replaces all states but ended grants', () => {
  ofGrant();
  ofIdentity(false);
  ofIntegration({ enabled: false });
  assert.equal(known.size, 3);
  known.replace([{ type: 'integration', client_id: 'till', enabled: true, scope: 'sales' }]);
  assert.equal(known.size, 2);
  assert.match(known.whyRevoked(TOKEN) ?? '', /grant/);
  assert.equal(known.whyRevoked({ ...TOKEN, grant: '0190' }), undefined);
});

test('states are dropped within a minute after no token can be valid that they concern', () => {
  ofGrant('018f', START + 100);
  ofIdentity(false, [], START + 100);
  for (const [seconds, size] of [
    [59, 3], // a minute has not passed
    [100, 3], // until this moment, a token may be valid
    [160, 1],
  ] as const) {
    now = START + seconds;
    ofIntegration();
    assert.equal(known.size, size, `${seconds} s later`);
  }
});

suite('a narrower integration narrows its tokens', () => {
  const allows = (...scope: string[]) => known.narrow(scope, 'sync');

  test('unless it is not known here', () => {
    assert.deepEqual(allows('orders:read'), ['orders:read']);
  });

  test('to what it still has', () => {
    ofIntegration({ scope: 'orders:read sales api://x/.default' });
    assert.deepEqual(allows('orders:read', 'orders:write', 'sales', 'sales:read', 'orders', 'order'), [
      'orders:read',
      'sales',
      'orders',
    ]);
    assert.deepEqual(allows('api', 'api://x/.default'), ['api://x/.default']);
  });
});

suite('the service must be asked about a token', () => {
  test('of an integration that the feed does not name', () => {
    assert.equal(known.needsIntrospection(TOKEN), true);
    ofIntegration();
    assert.equal(known.needsIntrospection(TOKEN), false);
  });

  test('whose integration has nothing left for this API', () => {
    ofIntegration({ scope: 'sales:read' });
    assert.equal(known.needsIntrospection(TOKEN), true);
  });

  test('that was issued before others could use its integration', () => {
    ofIntegration({ recheck_before: START });
    assert.equal(known.needsIntrospection({ ...TOKEN, issuedAt: START - 1 }), true);
    assert.equal(known.needsIntrospection({ ...TOKEN, issuedAt: START }), false);
    for (const recheck_before of [undefined, START - 50]) {
      ofIntegration({ recheck_before });
      assert.equal(
        known.needsIntrospection({ ...TOKEN, issuedAt: START - 1 }),
        true,
        'an older one takes nothing back',
      );
    }
  });
});

suite('an earlier answer of the service counts', () => {
  const covers = (askedAt: number) => known.covers(TOKEN, askedAt * 1000);

  test('if nothing says otherwise', () => {
    assert.equal(covers(START - 1000), true);
    ofIntegration();
    assert.equal(covers(START - 1000), true);
  });

  test('only if it was requested two seconds after a change, and later still if nodes may be slow', () => {
    ofIntegration({ recheck_before: START + 5 });
    for (const [seconds, from] of [
      [1, 2],
      [4, 2],
      [6, 3],
      [100, 50],
      [120, 60],
      [10_000, 60],
    ] as const) {
      now = START + seconds;
      assert.deepEqual([covers(START + from), covers(START + from + 0.001)], [false, true], `${seconds} s later`);
    }
  });

  test('as before if the same change is heard again', () => {
    ofIntegration({ recheck_before: START + 5 });
    now += 1000;
    ofIntegration({ recheck_before: START + 5 });
    ofIntegration();
    assert.equal(covers(START + 61), true);
    ofIntegration({ recheck_before: START + 6 });
    assert.equal(covers(START + 61), false);
  });
});

test('published keys must have been requested two seconds after one was removed, at the earliest', () => {
  assert.equal(known.keysGoodFrom, Number.NEGATIVE_INFINITY);
  ofGrant();
  assert.equal(known.keysGoodFrom, Number.NEGATIVE_INFINITY);
  known.add({ type: 'keys' });
  assert.equal(known.keysGoodFrom, (START + 2) * 1000);
  now += 30;
  assert.equal(known.keysGoodFrom, (START + 15) * 1000);
});
