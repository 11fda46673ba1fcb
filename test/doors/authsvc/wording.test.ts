// The status and error code of refusals at the contract's door (contract 7).
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type AuthsvcReason, bearerWording, WORDING } from '../../../src/doors/authsvc/wording.ts';

const WORDED: Readonly<Record<string, readonly AuthsvcReason[]>> = {
  '400 authorization_pending': ['authorization-pending', 'polled-too-fast'],
  '400 invalid_client': ['device-flow-disabled'],
  '400 invalid_request': [
    'client-id-missing',
    'credential-missing',
    'credential-ambiguous',
    'refresh-by-form',
    'fault',
  ],
  '400 invalid_scope': ['scope-missing', 'scope-malformed', 'scope-exceeds-integration', 'scope-no-longer-allowed'],
  '400 invalid_grant': ['integration-unknown', 'device-code-expired', 'device-code-redeemed', 'refresh-token-reused'],
  '400 unauthorized_client': ['identity-disabled', 'device-denied', 'certificate-flow-disabled'],
  '401 invalid_client': ['certificate-missing'],
  '401 invalid_token': ['access-token-missing', 'access-token-expired'],
  '404 invalid_request': ['not-found'],
  '405 invalid_request': ['method-not-allowed'],
  '413 invalid_request': ['body-too-large'],
  '429 invalid_request': ['rate-limited', 'cap-reached'],
  '431 invalid_request': ['headers-too-large'],
  '503 invalid_request': ['store-unavailable', 'overloaded', 'revocation-unavailable', 'assertion-keys-unavailable'],
};

for (const [expected, reasons] of Object.entries(WORDED))
  test(`[contract 7] ${expected}: ${reasons.join(', ')}`, () => {
    for (const reason of reasons) assert.equal(`${WORDING[reason].status} ${WORDING[reason].error}`, expected, reason);
  });

suite('Verify and Revoke', () => {
  const worded = (reason: AuthsvcReason) => `${bearerWording(reason).status} ${bearerWording(reason).error}`;

  test('whatever is wrong with the token, its grant or its holder: it is not valid', () => {
    for (const reason of ['access-token-expired', 'grant-revoked', 'identity-disabled', 'certificate-missing'] as const)
      assert.equal(worded(reason), '401 invalid_token');
  });

  test('what is wrong with the service is not the fault of the token', () => {
    assert.equal(worded('fault'), '400 invalid_request');
    assert.equal(worded('store-unavailable'), '503 invalid_request');
    assert.equal(worded('rate-limited'), '429 invalid_request');
  });
});
