// The status and error code of refusals at the standard door (RFC 6749 5.2, 8628 3.5, 8707 2, 9449 5 and 8).
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { OauthReason } from '../../../src/core/refusal.ts';
import { type Credential, wordingOf } from '../../../src/doors/oauth/wording.ts';

const WORDED: Readonly<Record<string, readonly OauthReason[]>> = {
  '400 invalid_request': [
    'client-id-missing',
    'grant-type-missing',
    'token-missing',
    'exchange-unbound',
    'body-unreadable',
  ],
  '400 invalid_grant': ['grant-revoked', 'refresh-token-reused', 'device-code-redeemed', 'access-token-expired'],
  '400 invalid_scope': ['scope-missing', 'scope-exceeds-grant', 'scope-no-longer-allowed'],
  '400 invalid_target': ['resource-unknown', 'resource-outside-scope', 'resource-differs-from-grant'],
  '400 unauthorized_client': ['device-flow-disabled', 'exchange-not-allowed', 'issuer-not-for-integration'],
  '400 unsupported_grant_type': ['grant-type-unsupported'],
  '400 unsupported_response_type': ['response-type-unsupported'],
  '400 authorization_pending': ['authorization-pending'],
  '400 slow_down': ['polled-too-fast'],
  '400 access_denied': ['device-denied'],
  '400 expired_token': ['device-code-expired'],
  '400 invalid_dpop_proof': ['dpop-proof-missing', 'dpop-proof-invalid'],
  '400 use_dpop_nonce': ['dpop-nonce-needed'],
  '401 invalid_client': ['integration-unknown', 'client-unproven', 'certificate-missing', 'resource-server-unproven'],
  '404 invalid_request': ['not-found'],
  '405 invalid_request': ['method-not-allowed'],
  '410 invalid_request': ['cursor-gone'],
  '413 invalid_request': ['body-too-large'],
  '429 slow_down': ['rate-limited', 'cap-reached', 'dpop-proofs-too-many'],
  '431 invalid_request': ['headers-too-large'],
  '500 server_error': ['fault'],
  '503 temporarily_unavailable': ['store-unavailable', 'overloaded', 'outcome-unknown', 'assertion-keys-unavailable'],
};

const worded = (reason: OauthReason, credential?: Credential) => {
  const { status, error } = wordingOf(reason, credential);
  return `${status} ${error}`;
};

for (const [expected, reasons] of Object.entries(WORDED))
  test(`${expected}: ${reasons.join(', ')}`, () => {
    for (const reason of reasons) assert.equal(worded(reason), expected, reason);
  });

suite('the same objection has another code for each credential', () => {
  test('to an identity', () => {
    assert.equal(worded('identity-disabled', 'device-code'), '400 access_denied');
    for (const credential of ['code', 'refresh-token'] as const)
      assert.equal(worded('identity-disabled', credential), '400 invalid_grant');
    for (const credential of ['certificate', 'assertion', 'subject-token', undefined] as const)
      assert.equal(worded('identity-disabled', credential), '400 unauthorized_client');
    for (const credential of ['client', 'resource-server'] as const)
      assert.equal(worded('identity-disabled', credential), '401 invalid_client');
  });

  test('to an assertion [RFC 7521 4.2.1, RFC 8693 2.2.2]', () => {
    for (const credential of ['assertion', 'refresh-token', 'code', 'device-code', 'certificate'] as const)
      assert.equal(worded('assertion-used', credential), '400 invalid_grant');
    assert.equal(worded('assertion-used', 'subject-token'), '400 invalid_request');
    for (const credential of ['client', 'resource-server'] as const)
      assert.equal(worded('assertion-used', credential), '401 invalid_client');
  });
});
