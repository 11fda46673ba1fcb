import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { Grant } from '../../../src/core/grant.ts';
import type { Hex } from '../../../src/core/hex.ts';
import { epochSeconds } from '../../../src/core/time.ts';
import { readAccessToken } from '../../../src/tokens/access-token.ts';
import { addKey, firstKey, KeyMissing, Keyring, mintWith, nextKeyId, retire } from '../../../src/tokens/keyring.ts';
import {
  type Derivation,
  firstRefreshToken,
  type MintedRefreshToken,
  nextRefreshToken,
  opaqueAccessToken,
  sameRefreshToken,
  standingOf,
} from '../../../src/tokens/opaque/pair.ts';
import { parseRefreshToken, type RefreshToken } from '../../../src/tokens/opaque/token-text.ts';
import type { Secret } from '../../../src/tokens/secret.ts';
import { aGrant, NOW } from '../../samples.ts';
import { portsWith } from '../jwt-ports.ts';

const expiresAt = epochSeconds(NOW + 100);

/** A grant as the store would hold it, and the pairs its caller received. */
function issue(keyring: Keyring): { grant: Grant; pair: MintedPair } {
  const { id } = aGrant();
  const minted = firstRefreshToken(id, { root: randomBytes(16), secret: randomBytes(16) }, keyring.minting);
  const { accessHash, refreshHash } = minted;
  const { pair, ...rest } = aGrant({ accessHash });
  const grant = { ...rest, pair: { ...pair, generation: 0, keyId: keyring.minting.id, refreshHash, expiresAt } };
  return { grant, pair: pairOf(grant, minted, keyring) };
}

function rotate(
  grant: Grant,
  presented: RefreshToken,
  keyring: Keyring,
  derivation?: Derivation,
): { grant: Grant; pair: MintedPair } {
  const nonce = randomBytes(16).toString('hex') as Hex;
  const minted = nextRefreshToken(presented, nonce, keyring.minting, derivation);
  const generation = grant.pair.generation + 1;
  const { refreshHash } = minted;
  const next = { ...grant, pair: { ...grant.pair, generation, nonce, refreshHash, keyId: keyring.minting.id } };
  return { grant: next, pair: pairOf(next, minted, keyring) };
}

interface MintedPair {
  readonly accessToken: Secret;
  readonly refreshToken: Secret;
}

function pairOf(grant: Grant, { refreshToken, root }: MintedRefreshToken, keyring: Keyring): MintedPair {
  return { refreshToken, accessToken: opaqueAccessToken(grant, root, keyring) };
}

function samePair(presented: RefreshToken, grant: Grant, keyring: Keyring): MintedPair {
  return pairOf(grant, sameRefreshToken(presented, grant, keyring), keyring);
}

function read(pair: MintedPair, keyring: Keyring): RefreshToken {
  const token = parseRefreshToken(pair.refreshToken.reveal(), keyring);
  assert.ok(token);
  return token;
}

const texts = ({ accessToken, refreshToken }: MintedPair) => [accessToken.reveal(), refreshToken.reveal()];

test('a retry yields the same pair byte for byte without a stored pair or secret', () => {
  const keyring = new Keyring(firstKey());
  const first = issue(keyring);
  const presented = read(first.pair, keyring);
  const second = rotate(first.grant, presented, keyring);
  assert.equal(standingOf(presented, second.grant, keyring), 'last-spent');
  assert.deepEqual(texts(samePair(presented, second.grant, keyring)), texts(second.pair));
});

test('the standing of every generation: spent, last-spent, current, ahead, foreign', () => {
  const keyring = new Keyring(firstKey());
  const first = issue(keyring);
  const second = rotate(first.grant, read(first.pair, keyring), keyring);
  const third = rotate(second.grant, read(second.pair, keyring), keyring);
  const standings = [first, second, third].map(({ pair }) => standingOf(read(pair, keyring), third.grant, keyring));
  assert.deepEqual(standings, ['ancestor', 'last-spent', 'current']);
  assert.equal(standingOf(read(third.pair, keyring), second.grant, keyring), 'ahead');
  const lost = rotate(second.grant, read(second.pair, keyring), keyring);
  assert.equal(
    standingOf(read(lost.pair, keyring), third.grant, keyring),
    'ahead',
    'of a history that the store has lost',
  );
  const other = rotate(first.grant, read(first.pair, keyring), keyring);
  assert.equal(standingOf(read(other.pair, keyring), third.grant, keyring), 'last-spent', 'its number and root count');
  assert.equal(standingOf(read(issue(keyring).pair, keyring), first.grant, keyring), 'foreign');
});

test('a token with another root than the grant is foreign to it at every generation, also where the key of the newest pair is missing', () => {
  const keys = firstKey();
  const [before, after] = [new Keyring(keys), new Keyring(mintWith(addKey(keys, 2), 2))];
  const held = [issue(before)];
  for (let n = 0; n < 4; n++) {
    const { grant, pair } = held.at(-1) as (typeof held)[0];
    held.push(rotate(grant, read(pair, after), after));
  }
  for (const { grant } of held)
    for (const { pair } of held) {
      const forged = { ...read(pair, after), root: randomBytes(16) };
      const distance = `${forged.generation - grant.pair.generation} from the row`;
      assert.equal(standingOf(forged, grant, after), 'foreign', distance);
      assert.equal(standingOf(forged, grant, before), 'foreign', distance);
    }
});

test('any earlier token of a grant gives its newest pair, over any number of keys, and none of another grant', () => {
  const keys = firstKey();
  const [before, after] = [new Keyring(keys), new Keyring(mintWith(addKey(keys, 2), 2))];
  const held = [issue(before)];
  for (let n = 1; n <= 300; n++) {
    const { grant, pair } = held.at(-1) as (typeof held)[0];
    const keyring = n < 200 ? before : after;
    held.push(rotate(grant, read(pair, keyring), keyring));
  }
  const newest = held.pop() as (typeof held)[0];
  for (const { pair } of held) {
    const presented = read(pair, after);
    assert.ok(['ancestor', 'last-spent'].includes(standingOf(presented, newest.grant, after)));
    assert.deepEqual(texts(samePair(presented, newest.grant, after)), texts(newest.pair));
  }
  const stranger = read(issue(after).pair, after);
  assert.throws(() => samePair({ ...stranger, generation: 7 }, newest.grant, after), /another refresh token/);
});

test('a pair that 0.3.4 made: its last spent token gives it again, older ones are spent; the next rotation ends that', () => {
  const keyring = new Keyring(firstKey());
  const first = issue(keyring);
  const second = rotate(first.grant, read(first.pair, keyring), keyring, 'secret');
  const third = rotate(second.grant, read(second.pair, keyring), keyring, 'secret');
  const standings = (grant: Grant) =>
    [first, second].map(({ pair }) => standingOf(read(pair, keyring), grant, keyring));
  assert.deepEqual(standings(third.grant), ['spent', 'last-spent']);
  assert.deepEqual(texts(samePair(read(second.pair, keyring), third.grant, keyring)), texts(third.pair));
  const fourth = rotate(third.grant, read(third.pair, keyring), keyring);
  assert.deepEqual(standings(fourth.grant), ['ancestor', 'ancestor']);
});

test('whether an older token gives the newest pair is not decided where the key of that pair is missing', () => {
  const keys = firstKey();
  const [before, after] = [new Keyring(keys), new Keyring(mintWith(addKey(keys, 2), 2))];
  const first = issue(before);
  const second = rotate(first.grant, read(first.pair, before), before);
  const third = rotate(second.grant, read(second.pair, after), after);
  assert.throws(() => standingOf(read(first.pair, before), third.grant, before), KeyMissing);
  assert.throws(() => standingOf(read(second.pair, before), third.grant, before), KeyMissing);
});

test('two rotations of one token under different nonces share nothing', () => {
  const keyring = new Keyring(firstKey());
  const first = issue(keyring);
  const presented = read(first.pair, keyring);
  const [one, other] = [rotate(first.grant, presented, keyring), rotate(first.grant, presented, keyring)];
  assert.notEqual(one.pair.refreshToken.reveal(), other.pair.refreshToken.reveal());
});

test('the access tokens of every generation belong to the grant, those of another grant do not', () => {
  const keyring = new Keyring(firstKey());
  const first = issue(keyring);
  const second = rotate(first.grant, read(first.pair, keyring), keyring);
  for (const { pair } of [first, second]) {
    const token = readAccessToken(pair.accessToken.reveal(), portsWith(keyring));
    assert.ok(token);
    assert.ok(token.isOf(second.grant));
    assert.ok(!token.isOf(issue(keyring).grant));
  }
});

test('key rotation: first answer under one key, retry under the next, the same bytes', () => {
  const one = firstKey();
  const before = new Keyring(one);
  const first = issue(before);
  const presented = read(first.pair, before);
  const second = rotate(first.grant, presented, before);
  const after = new Keyring(mintWith(addKey(one, 2), 2));
  assert.equal(after.minting.id, 2);
  assert.equal(standingOf(presented, second.grant, after), 'last-spent');
  assert.deepEqual(texts(samePair(presented, second.grant, after)), texts(second.pair));
});

test('key rotation: a pair minted under the old key is refreshed under the new one, and its access token stays', () => {
  const one = firstKey();
  const before = new Keyring(one);
  const first = issue(before);
  const after = new Keyring(mintWith(addKey(one, 2), 2));
  const second = rotate(first.grant, read(first.pair, after), after);
  assert.equal(second.grant.pair.keyId, 2);
  assert.equal(standingOf(read(second.pair, after), second.grant, after), 'current');
  const old = readAccessToken(first.pair.accessToken.reveal(), portsWith(after));
  assert.ok(old?.isOf(second.grant));
});

test('a new key only checks; a retired key is gone, and its id is never reused', () => {
  const keys = addKey(firstKey(), nextKeyId(firstKey(), []));
  assert.deepEqual(
    new Keyring(keys).keys.map(({ id, state }) => [id, state]),
    [
      [1, 'minting'],
      [2, 'check-only'],
    ],
  );
  assert.deepEqual(
    new Keyring(mintWith(addKey(keys, 3), 2)).keys.map(({ state }) => state),
    ['retiring', 'minting', 'check-only'],
  );
  const left = retire(mintWith(keys, 2), 1);
  assert.deepEqual(
    new Keyring(left).keys.map(({ id }) => id),
    [2],
  );
  assert.equal(nextKeyId(left, [1, 2, 7]), 8);
});
