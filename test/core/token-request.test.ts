import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEVICE_GRANT_TYPE, readTokenRequest, type TokenRequest } from '../../src/core/rules/token-request.ts';

function read(request: TokenRequest): string {
  const outcome = readTokenRequest(request);
  return outcome.ok ? outcome.value.kind : outcome.refusal.reason;
}

test('invalid_request: client_id is missing, before anything else [contract 7.1]', () => {
  assert.equal(read({}), 'client-id-missing');
  assert.equal(read({ clientId: '', deviceCode: 'd', refreshToken: 'r' }), 'client-id-missing');
});

test('exactly one credential', () => {
  assert.equal(read({ clientId: 'c' }), 'credential-missing');
  assert.equal(read({ clientId: 'c', deviceCode: '', refreshToken: '' }), 'credential-missing');
  assert.equal(
    read({ clientId: 'c', grantType: DEVICE_GRANT_TYPE, deviceCode: 'd', refreshToken: 'r' }),
    'credential-ambiguous',
  );
});

test('a device_code needs exactly the device grant_type [contract 4.1]', () => {
  assert.equal(read({ clientId: 'c', grantType: DEVICE_GRANT_TYPE, deviceCode: 'd' }), 'redeem');
  assert.equal(read({ clientId: 'c', deviceCode: 'd' }), 'grant-type-unsupported');
  assert.equal(read({ clientId: 'c', grantType: 'refresh_token', deviceCode: 'd' }), 'grant-type-unsupported');
  assert.equal(
    read({ clientId: 'c', grantType: DEVICE_GRANT_TYPE.toUpperCase(), deviceCode: 'd' }),
    'grant-type-unsupported',
  );
});

test('a refresh needs no grant_type, tolerates refresh_token and no other', () => {
  assert.equal(read({ clientId: 'c', refreshToken: 'r' }), 'refresh');
  assert.equal(read({ clientId: 'c', grantType: 'refresh_token', refreshToken: 'r' }), 'refresh');
  assert.equal(read({ clientId: 'c', grantType: DEVICE_GRANT_TYPE, refreshToken: 'r' }), 'grant-type-unsupported');
});
