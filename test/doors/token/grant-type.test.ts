import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grantTypeOf } from '../../../src/doors/token/grant-type.ts';

test('grant types are read as RFC 6749 and RFC 8628 spell them, in this letter case only', () => {
  assert.equal(grantTypeOf('urn:ietf:params:oauth:grant-type:device_code'), 'device-code');
  assert.equal(grantTypeOf('refresh_token'), 'refresh');
  assert.equal(grantTypeOf(undefined), undefined);
  for (const other of ['URN:IETF:PARAMS:OAUTH:GRANT-TYPE:DEVICE_CODE', 'Refresh_Token', 'password', ' refresh_token'])
    assert.equal(grantTypeOf(other), 'unknown', other);
});
