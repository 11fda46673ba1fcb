// The claims of JWT access tokens. That of a guest names its document as client_id, and the integration, of which the revocation feed speaks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimsOf as readByApi } from '../../../sdk/verify/src/claims.ts';
import { Revocations } from '../../../sdk/verify/src/revocations.ts';
import type { ClientUrl } from '../../../src/core/client-document.ts';
import { claimsOf } from '../../../src/tokens/jwt/claims.ts';
import { aGrant } from '../../samples.ts';

const GUEST = 'https://agent.example/client.json' as ClientUrl;

function claims(origin: Parameters<typeof aGrant>[0]) {
  const grant = aGrant({ format: 'jwt', ...origin });
  const jwt = { audience: ['https://orders.example'], signingKey: 'k' };
  return JSON.parse(claimsOf({ ...grant, pair: { ...grant.pair, jwt } }, 'https://tokens.example')) as Record<
    string,
    unknown
  >;
}

test('an API sees the guest and its integration, and refuses both once the integration is disabled', () => {
  const written = claims({ origin: { kind: 'code', guest: GUEST } });
  assert.deepEqual([written['client_id'], written['integration']], [GUEST, 'orders-sync']);
  const read = readByApi(written);
  assert.deepEqual([read?.guest, read?.integration], [GUEST, 'orders-sync']);
  const revocations = new Revocations(() => 0);
  revocations.add({ type: 'integration', client_id: 'orders-sync', enabled: false, scope: '' });
  assert.match(String(read && revocations.whyRevoked(read)), /disabled/);
});

test('a grant bound to a DPoP key has its thumbprint in cnf [RFC 9449 6.1]', () => {
  assert.deepEqual(claims({ terms: { jkt: 'a thumbprint' } })['cnf'], { jkt: 'a thumbprint' });
  assert.ok(!('cnf' in claims({})), 'others have none');
});

test('a row that does not say whom its JWT is for, or for what, is a fault', () => {
  const { pair } = aGrant();
  const jwt = { audience: ['https://orders.example'], signingKey: 'k' };
  for (const grant of [aGrant(), aGrant({ scope: '', pair: { ...pair, jwt } })])
    assert.throws(() => claimsOf(grant, 'https://tokens.example'), /the row of grant .* does not say what its JWT/);
});

test('a registered client is its integration, and nothing is added to its token', () => {
  const written = claims({ origin: { kind: 'code' } });
  assert.deepEqual([written['client_id'], 'integration' in written], ['orders-sync', false]);
  assert.equal(readByApi(written)?.guest, undefined);
});
