import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimsOf } from '../../../sdk/verify/src/claims.ts';

const GIVEN = {
  sub: 'local:ada',
  client_id: 'sync',
  scope: 'orders:read  orders:write',
  iat: 1,
  exp: 2,
  jti: '018f.3',
};
const CLAIMS = {
  ...{ identity: 'local:ada', integration: 'sync', scope: ['orders:read', 'orders:write'] },
  ...{ issuedAt: 1, expiresAt: 2, grant: '018f' },
};

test('what a token says is the same from a JWT and from an introspection', () => {
  assert.deepEqual(claimsOf(GIVEN), CLAIMS);
  assert.deepEqual(claimsOf({ ...GIVEN, scope: undefined }), { ...CLAIMS, scope: [] });
  assert.deepEqual(claimsOf({ ...GIVEN, integration: 'sync' }), CLAIMS, 'no guest');
  assert.deepEqual(claimsOf({ ...GIVEN, client_id: 'https://client.example/x', integration: 'sync' }), {
    ...CLAIMS,
    guest: 'https://client.example/x',
  });
  assert.deepEqual(claimsOf({ ...GIVEN, act: { sub: 'x' } }), { ...CLAIMS, isExchanged: true });
  assert.deepEqual(claimsOf({ ...GIVEN, cnf: { 'x5t#S256': 'a' } }), { ...CLAIMS, boundTo: 'a' });
  assert.deepEqual(claimsOf({ ...GIVEN, cnf: { jkt: 'b' } }), { ...CLAIMS, boundToKey: 'b' });
});

const UNREADABLE: readonly object[] = [
  ...['sub', 'client_id', 'iat', 'exp', 'jti'].map((name) => ({ [name]: undefined })),
  ...['sub', 'client_id', 'integration', 'scope', 'jti'].map((name) => ({ [name]: 1 })),
  ...['iat', 'exp'].map((name) => ({ [name]: '1' })),
  // A binding that is not known here must not be taken for none.
  ...[{}, null, { kid: 'x' }, { jkt: 1 }, { 'x5t#S256': 1 }].map((cnf) => ({ cnf })),
];
for (const difference of UNREADABLE)
  test(`a token without what every token has is refused: ${JSON.stringify(difference)}`, () => {
    assert.equal(claimsOf({ ...GIVEN, ...difference }), undefined);
  });
