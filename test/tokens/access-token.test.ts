import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { ACCESS_TOKEN_FORMATS } from '../../src/core/integration.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { canMint, mintAccessToken, readAccessToken } from '../../src/tokens/access-token.ts';
import { firstKey, Keyring } from '../../src/tokens/keyring.ts';
import { firstRefreshToken } from '../../src/tokens/opaque/pair.ts';
import { sourcesIn } from '../house/sources.ts';
import { aGrant } from '../samples.ts';

const keyring = new Keyring(firstKey());
const random = { root: randomBytes(16), secret: randomBytes(16) };

test('an opaque access token reads back as minted, and belongs to its grant alone', () => {
  const { accessHash } = firstRefreshToken(aGrant().id, random, keyring.minting);
  const grant = aGrant({ accessHash });
  const token = readAccessToken(mintAccessToken(grant, random.root, keyring).reveal(), keyring);
  assert.ok(token);
  const { grantId, generation, expiresAt } = token;
  assert.deepEqual([grantId, generation, expiresAt], [grant.id, grant.pair.generation, grant.pair.expiresAt]);
  assert.equal(token.isOf(grant), true);
  assert.equal(token.isOf(aGrant()), false, 'another secret');
  assert.equal(token.isOf({ ...grant, format: 'jwt' }), false, 'another format');
});

test('a JWT is not authentic while none is minted', () => {
  const jwt = ['{"alg":"none"}', '{"sub":"x"}', ''].map((part) => Buffer.from(part).toString('base64url')).join('.');
  assert.equal(readAccessToken(jwt, keyring), undefined);
});

test('every format that is not offered fails to mint and says so', () => {
  const unavailable = ACCESS_TOKEN_FORMATS.filter((format) => !canMint(format));
  assert.deepEqual(unavailable, ['jwt']);
  for (const format of unavailable) {
    assert.throws(() => mintAccessToken(aGrant({ format }), random.root, keyring), /format jwt.*does not mint/);
  }
});

test('a stored format keeps its number: opaque is 0', () => {
  const column = grants.columns.find(({ name }) => name === 'format');
  const numbers = ACCESS_TOKEN_FORMATS.map((format) => column?.of(aGrant({ format })));
  assert.deepEqual(numbers, [0, 1]);
});

test('only one file of src switches on the format', () => {
  const switching = sourcesIn('src', '.ts').filter(({ text }) => /case 'jwt'|[!=]== 'jwt'/.test(text));
  assert.deepEqual(
    switching.map(({ path }) => path),
    ['src/tokens/access-token.ts'],
  );
});
