import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { grants } from '../../src/store/tables/grants.ts';
import { isSigned, mintAccessToken, readAccessToken } from '../../src/tokens/access-token.ts';
import { firstKey, Keyring } from '../../src/tokens/keyring.ts';
import { firstRefreshToken } from '../../src/tokens/opaque/pair.ts';
import { aGrant } from '../samples.ts';
import { keyringWith, portsWith } from './jwt-ports.ts';

const FORMATS = ['opaque', 'jwt'] as const;
const random = { root: randomBytes(16), secret: randomBytes(16) };

test('an opaque access token reads back as minted, and belongs to its grant alone', async () => {
  const keyring = new Keyring(firstKey());
  const ports = portsWith(keyring);
  const { accessHash } = firstRefreshToken(aGrant().id, random, keyring.minting);
  const grant = aGrant({ accessHash });
  const token = readAccessToken((await mintAccessToken(grant, random.root, ports)).reveal(), ports);
  assert.ok(token);
  const { grantId, generation, expiresAt } = token;
  assert.deepEqual([grantId, generation, expiresAt], [grant.id, grant.pair.generation, grant.pair.expiresAt]);
  assert.equal(token.isOf(grant), true);
  assert.equal(token.isOf(aGrant()), false, 'another secret');
  assert.equal(token.isOf({ ...grant, format: 'jwt' }), false, 'another format');
});

test('a JWT reads back as minted, and belongs to its grant alone', async () => {
  const ports = portsWith(keyringWith('ES256'));
  const jwt = { audience: ['https://orders.example'], signingKey: ports.registry.signingKey?.id ?? '' };
  const grant = aGrant({ format: 'jwt', pair: { ...aGrant().pair, jwt } });
  const token = readAccessToken((await mintAccessToken(grant, random.root, ports)).reveal(), ports);
  assert.ok(token);
  const { grantId, generation, issuedAt, expiresAt, audience } = token;
  assert.deepEqual([grantId, generation], [grant.id, grant.pair.generation]);
  assert.deepEqual([issuedAt, expiresAt, audience], [grant.pair.issuedAt, grant.pair.expiresAt, jwt.audience]);
  assert.equal(token.isOf(grant), true);
  assert.equal(token.isOf({ ...grant, format: 'opaque' }), false, 'another format');
  assert.equal(token.isOf({ ...grant, identityId: 'local:bob' as never }), false, 'another identity');
  assert.equal(token.isOf({ ...grant, clientId: 'other' as never }), false, 'another integration');
});

test('what was not minted here is no access token, in either format', () => {
  const ports = portsWith(keyringWith('ES256'));
  for (const text of ['', 'tsa_AAAA', 'eyJ', 'eyJhbGciOiJub25lIn0.e30.'])
    assert.equal(readAccessToken(text, ports), undefined);
});

test('a stored format keeps its number: opaque is 0', () => {
  const column = grants.columns.find(({ name }) => name === 'format');
  const numbers = FORMATS.map((format) => column?.of(aGrant({ format })));
  assert.deepEqual(numbers, [0, 1]);
});

test('a JWT needs a signing key, an opaque access token does not', () => {
  assert.deepEqual(FORMATS.map(isSigned), [false, true]);
});
