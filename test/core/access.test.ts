import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revoke } from '../../src/core/grant.ts';
import type { ClientId } from '../../src/core/integration.ts';
import {
  type AccessFacts,
  decideCheck,
  decideRevoke,
  decideRevokeByIntegration,
  type RevokeFacts,
} from '../../src/core/rules/access.ts';
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts';
import { epochSeconds, seconds } from '../../src/core/time.ts';
import { aGrant, anIdentity, anIntegration, NOW, scopeOf } from '../samples.ts';
import { assertOrder } from './ladder.ts';

const at = (moment: number) => epochSeconds(moment);
const token = { generation: 3, expiresAt: at(NOW + 100) };

function check(difference: Partial<AccessFacts> = {}): string {
  const outcome = decideCheck({
    token,
    grant: aGrant(),
    holder: anIdentity(),
    integration: anIntegration(),
    settings: DEFAULT_SETTINGS,
    now: NOW,
    ...difference,
  });
  return outcome.ok ? outcome.value.scope.text : outcome.refusal.reason;
}

test('an access token works until its own expires, even after refreshes [contract 1.2]', () => {
  assert.equal(check(), 'orders:read');
  assert.equal(check({ token: { ...token, generation: 0 }, now: at(NOW + 99) }), 'orders:read');
  assert.equal(check({ now: at(NOW + 100) }), 'access-token-expired');
});

test('the checks of an access token are in their order', () => {
  const elsewhere = anIntegration({ scope: scopeOf('stock:read') });
  assertOrder('verify', check, [
    ['scope-no-longer-allowed', { integration: elsewhere }],
    ['identity-disabled', { holder: anIdentity({ enabled: false }) }],
    ['integration-disabled', { integration: { ...elsewhere, enabled: false } }],
    [
      'access-token-superseded',
      { token: { ...token, generation: 0 }, settings: { ...DEFAULT_SETTINGS, accessTokenOverlap: seconds(10) } },
    ],
    ['access-token-expired', { now: at(NOW + 100) }],
    ['grant-revoked', { grant: revoke(aGrant(), NOW, 'by-caller') }],
    ['access-token-not-authentic', { token: undefined }],
  ]);
});

test('accessTokenOverlap ends older generations that many seconds after a refresh, and never the current one', () => {
  const settings = { ...DEFAULT_SETTINGS, accessTokenOverlap: seconds(10) };
  const older = { ...token, generation: 2 };
  assert.equal(check({ settings, token: older, now: at(NOW + 9) }), 'orders:read');
  assert.equal(check({ settings, token: older, now: at(NOW + 10) }), 'access-token-superseded');
  assert.equal(check({ settings, now: at(NOW + 50) }), 'orders:read');
  const eldest = { ...token, generation: 1 };
  assert.equal(
    check({ settings, token: eldest, now: at(NOW + 1) }),
    'access-token-superseded',
    'a later refresh revives none',
  );
});

test('no token works after revoke, past refresh_until, or from a generation unknown to the store', () => {
  assert.equal(check({ grant: revoke(aGrant(), NOW, 'by-caller') }), 'grant-revoked');
  assert.equal(check({ token: { ...token, expiresAt: at(NOW + 5000) }, now: at(NOW + 1000) }), 'access-token-expired');
  assert.equal(check({ token: { ...token, generation: 4 } }), 'access-token-not-authentic');
  assert.equal(check({ grant: undefined }), 'access-token-not-authentic');
  assert.equal(check({ token: undefined }), 'access-token-not-authentic');
});

test('a token whose binding was forgotten, after many renewals, is not taken for an unbound one', () => {
  const grant = aGrant({ bindings: [{ since: 3 }] });
  assert.equal(check({ grant }), 'orders:read');
  assert.equal(check({ grant, token: { ...token, generation: 2 } }), 'access-token-superseded');
});

test('a disabled identity or integration fails checks at once', () => {
  assert.equal(check({ holder: anIdentity({ enabled: false }) }), 'identity-disabled');
  assert.equal(check({ integration: anIntegration({ enabled: false }) }), 'integration-disabled');
});

test('a narrowed integration narrows what a check allows at once; widening changes nothing', () => {
  const grant = aGrant({ scope: 'orders:read,write' });
  assert.equal(check({ grant, integration: anIntegration({ scope: scopeOf('orders:read') }) }), 'orders:read');
  assert.equal(
    check({ grant, integration: anIntegration({ scope: scopeOf('stock:read') }) }),
    'scope-no-longer-allowed',
  );
  assert.equal(
    check({ grant, integration: anIntegration({ scope: scopeOf('orders:read,write,delete') }) }),
    'orders:read,write',
  );
});

test('an authentic access token revokes its grant even when expired, once', () => {
  assert.ok(decideRevoke({ token, grant: aGrant() }).ok);
  assert.ok(!decideRevoke({ token, grant: revoke(aGrant(), NOW, 'by-caller') }).ok);
  assert.ok(!decideRevoke({ token: undefined, grant: aGrant() }).ok);
});

test('an integration ends its own grants only, and a token without a living grant is a success [RFC 7009 2.1, 2.2]', () => {
  const facts = { integration: anIntegration(), token: 'refresh', grant: aGrant() } as const;
  const outcomeOf = (difference: Partial<RevokeFacts>) => decideRevokeByIntegration({ ...facts, ...difference });
  const reasonOf = (difference: Partial<RevokeFacts>) => {
    const outcome = outcomeOf(difference);
    return outcome.ok ? outcome.value : outcome.refusal.reason;
  };
  const refusalOf = (difference: Partial<RevokeFacts>) => {
    const outcome = outcomeOf(difference);
    return outcome.ok ? 'accepted' : outcome.refusal.reason;
  };
  assert.deepEqual(reasonOf({}), aGrant());
  assert.equal(reasonOf({ token: undefined }), undefined);
  assert.equal(reasonOf({ grant: undefined }), undefined);
  assert.equal(reasonOf({ grant: revoke(aGrant(), NOW, 'by-caller') }), undefined);
  const foreign = anIntegration({ clientId: 'other-sync' as ClientId });
  assertOrder<Partial<RevokeFacts>>('revoke', refusalOf, [
    ['refresh-token-of-another-integration', { integration: foreign }],
    ['client-authentication-required', { integration: { ...foreign, confidential: true }, isAuthenticated: false }],
    ['integration-disabled', { integration: { ...foreign, confidential: true, enabled: false } }],
  ]);
  assert.equal(reasonOf({ integration: foreign, token: 'access' }), 'access-token-of-another-integration');
  assert.equal(reasonOf({ integration: undefined }), 'integration-unknown');
});
