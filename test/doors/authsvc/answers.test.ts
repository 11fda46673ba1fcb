import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IdentityId } from '../../../src/core/identity.ts';
import type { EpochSeconds, Seconds } from '../../../src/core/time.ts';
import { tokenGrantText } from '../../../src/doors/authsvc/answers.ts';
import type { TokenPair } from '../../../src/operations/grant/token-pair.ts';
import { Secret } from '../../../src/tokens/secret.ts';

const PAIR: TokenPair = {
  grantId: '0a'.repeat(16),
  identityId: 'local:{"Zoë\\\n"}' as IdentityId,
  accessToken: new Secret('tsa_A-_=='),
  refreshToken: new Secret('tsr_B-_=='),
  expiresIn: 3600 as Seconds,
  expiresAt: 1_800_003_600 as EpochSeconds,
  refreshUntil: 1_800_100_000 as EpochSeconds,
  scope: 'orders:read;"stock":läsa',
};
const FIELDS = {
  access_token: 'tsa_A-_==',
  refresh_token: 'tsr_B-_==',
  expires_in: 3600,
  expires: 1_800_003_600,
  token_type: 'Bearer',
  scope: 'orders:read;"stock":läsa',
  refresh_until: 1_800_100_000,
};

test('contract 2.1: a pair is worded as JSON.stringify would word it, whatever scope and identity contain', () => {
  assert.equal(tokenGrantText(PAIR, { withIdentity: false }), JSON.stringify(FIELDS));
  const identity = PAIR.identityId;
  assert.equal(tokenGrantText(PAIR, { withIdentity: true }), JSON.stringify({ ...FIELDS, identity }));
});

test('contract 2.1: without a refresh token, its field is absent', () => {
  const { refreshToken: _, ...pair } = PAIR;
  const { refresh_token: __, ...fields } = FIELDS;
  assert.equal(tokenGrantText(pair, { withIdentity: false }), JSON.stringify(fields));
});
