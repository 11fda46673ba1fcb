// The status and error code of refusals at Verify and Revoke (contract 7). docs/errors.md has those of the other operations.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { AuthsvcReason } from '../../../src/core/refusal.ts';
import { bearerWording } from '../../../src/doors/authsvc/wording.ts';

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
