import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTokenRequest, type TokenRequestFields } from '../../src/core/rules/token-request.ts';

function read(request: TokenRequestFields): string {
  const outcome = readTokenRequest(request);
  return outcome.ok ? outcome.value.kind : outcome.refusal.reason;
}

test('a missing client id is refused before anything else [contract 7.1]', () => {
  assert.equal(read({}), 'client-id-missing');
  assert.equal(read({ clientId: '', deviceCode: 'd', refreshToken: 'r' }), 'client-id-missing');
});

test('exactly one credential', () => {
  assert.equal(read({ clientId: 'c' }), 'credential-missing');
  assert.equal(read({ clientId: 'c', deviceCode: '', refreshToken: '' }), 'credential-missing');
  assert.equal(
    read({ clientId: 'c', grantType: 'device-code', deviceCode: 'd', refreshToken: 'r' }),
    'credential-ambiguous',
  );
});

test('a device code needs exactly its own grant type [contract 4.1]', () => {
  assert.equal(read({ clientId: 'c', grantType: 'device-code', deviceCode: 'd' }), 'redeem');
  assert.equal(read({ clientId: 'c', deviceCode: 'd' }), 'grant-type-unsupported');
  assert.equal(read({ clientId: 'c', grantType: 'refresh', deviceCode: 'd' }), 'grant-type-unsupported');
  assert.equal(read({ clientId: 'c', grantType: 'unknown', deviceCode: 'd' }), 'grant-type-unsupported');
});

test('a refresh needs no grant type, and takes its own and no other', () => {
  assert.equal(read({ clientId: 'c', refreshToken: 'r' }), 'refresh');
  assert.equal(read({ clientId: 'c', grantType: 'refresh', refreshToken: 'r' }), 'refresh');
  assert.equal(read({ clientId: 'c', grantType: 'device-code', refreshToken: 'r' }), 'grant-type-unsupported');
});
