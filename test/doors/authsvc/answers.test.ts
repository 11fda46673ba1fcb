import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IdentityId } from '../../../src/core/identity.ts';
import type { EpochSeconds, Seconds } from '../../../src/core/time.ts';
import { tokenGrantText, verifiedTokenText } from '../../../src/doors/authsvc/answers.ts';
import type { CheckedToken } from '../../../src/operations/grant/check-token.ts';
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

test('contract 2.1: a retry that comes after the access token has expired says 1: some libraries take 0 for no end', () => {
  const late = { ...PAIR, expiresIn: -15 as Seconds };
  assert.equal(tokenGrantText(late, { withIdentity: false }), JSON.stringify({ ...FIELDS, expires_in: 1 }));
});

test('Verify: an answer is worded as JSON.stringify would word it, with and without cnf and act', () => {
  const checked = {
    token: { expiresAt: 1_800_003_600 },
    grant: { clientId: 'a"b', createdAt: 1_700_000_000, refreshUntil: 1_800_100_000 },
    scope: { text: PAIR.scope },
    holder: { id: PAIR.identityId },
    issuedAt: 1_800_000_000,
    boundTo: undefined,
  } as unknown as CheckedToken;
  const fields = {
    identity: PAIR.identityId,
    application: 'a"b',
    scope: PAIR.scope,
    valid_for: 3600,
    access_issued_on: '/Date(1800000000000)/',
    access_issued_on_ISO8601: '2027-01-15T08:00:00.000Z',
    access_issued_on_unix_time: 1_800_000_000,
    access_expires_ISO8601: '2027-01-15T09:00:00.000Z',
    access_expires_unix_time: 1_800_003_600,
    grant_issued_on: '/Date(1700000000000)/',
    grant_issued_on_ISO8601: '2023-11-14T22:13:20.000Z',
    grant_issued_on_unix_time: 1_700_000_000,
    expires: '/Date(1800100000000)/',
    expires_ISO8601: '2027-01-16T11:46:40.000Z',
    expires_unix_time: 1_800_100_000,
  };
  assert.equal(verifiedTokenText(checked), JSON.stringify(fields));
  const cnf = { 'x5t#S256': 'A-_0' };
  assert.equal(verifiedTokenText({ ...checked, boundTo: 'A-_0' }), JSON.stringify({ ...fields, cnf }));
  const actor = { identityId: PAIR.identityId, clientId: 'a"b' };
  const exchanged = { ...checked, grant: { ...checked.grant, terms: { actor } } } as unknown as CheckedToken;
  const act = { sub: PAIR.identityId, client_id: 'a"b' };
  assert.equal(verifiedTokenText(exchanged), JSON.stringify({ ...fields, act }));
});
