// The responses of the standard door (RFC 6749 5.1, RFC 7662 2.2).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientUrl } from '../../../src/core/client-document.ts';
import { epochSeconds, seconds } from '../../../src/core/time.ts';
import { introspectionAnswer, tokenAnswer } from '../../../src/doors/oauth/answers.ts';
import { Secret } from '../../../src/tokens/secret.ts';
import { ADA, aGrant, aResourceServer, CLIENT, NOW, scopeOf } from '../../samples.ts';

const PAIR = {
  grantId: 'g',
  identityId: ADA,
  accessToken: new Secret('an access token'),
  expiresIn: seconds(600),
  expiresAt: epochSeconds(NOW + 600),
  refreshUntil: epochSeconds(NOW + 5000),
  scope: 'orders:read,write',
};

test('a token response says how long each token works', () => {
  const usual = { access_token: 'an access token', token_type: 'Bearer', expires_in: 600 };
  const scope = 'orders:read orders:write';
  assert.deepEqual(tokenAnswer(PAIR), { ...usual, scope });
  assert.deepEqual(tokenAnswer({ ...PAIR, isKeyBound: true }), { ...usual, token_type: 'DPoP', scope });
  assert.deepEqual(tokenAnswer({ ...PAIR, refreshToken: new Secret('a refresh token') }), {
    ...{ ...usual, scope, refresh_token: 'a refresh token', refresh_token_expires_in: 5000 },
  });
  const retried = { ...PAIR, expiresIn: seconds(-300), refreshToken: new Secret('a refresh token') };
  const { expires_in, refresh_token_expires_in } = tokenAnswer(retried);
  assert.deepEqual([expires_in, refresh_token_expires_in], [1, 4100], 'after an outage');
});

test('a resource server reads what concerns it, and what the token is bound to', () => {
  const found = {
    grant: aGrant(),
    scope: scopeOf('orders:read'),
    userName: undefined,
    tokenId: 'id.3',
    boundTo: undefined,
    jkt: undefined,
    issuedAt: NOW,
    expiresAt: epochSeconds(NOW + 600),
  };
  const read = (difference: object = {}) =>
    introspectionAnswer({ ...found, ...difference }, aResourceServer(), 'https://tokens.example');
  const usual = {
    ...{ active: true, scope: 'orders:read', client_id: CLIENT, sub: ADA, token_type: 'Bearer' },
    ...{ exp: NOW + 600, iat: NOW, aud: 'https://orders.example', iss: 'https://tokens.example', jti: 'id.3' },
  };
  assert.deepEqual(read(), usual);
  assert.deepEqual(read({ userName: 'ada' }), { ...usual, username: 'ada' });
  assert.deepEqual(read({ boundTo: 'a' }), { ...usual, cnf: { 'x5t#S256': 'a' } });
  assert.deepEqual(read({ jkt: 'b' }), { ...usual, token_type: 'DPoP', cnf: { jkt: 'b' } });
  const guest = 'https://agent.example/client.json' as ClientUrl;
  const ofGuest = read({ grant: aGrant({ origin: { kind: 'code', guest } }) });
  assert.deepEqual(ofGuest, { ...usual, client_id: guest, integration: CLIENT });
  const actor = { identityId: ADA, clientId: CLIENT };
  const exchanged = read({ grant: aGrant({ terms: { actor } }) });
  assert.deepEqual(exchanged, { ...usual, act: { sub: ADA, client_id: CLIENT } });
});
