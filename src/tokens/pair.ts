// Token pairs: the first of a grant, the next of a rotation, and the same one again for a retry, byte for byte, though
// neither a pair nor a secret is stored. What the grant's row keeps are hashes and the rotation's nonce.
import type { Grant, GrantId } from '../core/grant.ts';
import type { Hex } from '../core/hex.ts';
import type { Standing } from '../core/rules/refresh.ts';
import type { EpochSeconds } from '../core/time.ts';
import { type Key, KeyMissing, type Keyring } from './keyring.ts';
import { isSameHex } from './mac.ts';
import type { Secret } from './secret.ts';
import { sha256 } from './sha256.ts';
import {
  ACCESS_SECRET_LENGTH,
  type AccessToken,
  mintAccessToken,
  mintRefreshToken,
  REFRESH_SECRET_LENGTH,
  type RefreshToken,
} from './token-text.ts';

export const ROOT_LENGTH = 16;
export const NONCE_LENGTH = 16;
/** Of generation 0, which no rotation made. */
export const NO_NONCE = '00'.repeat(NONCE_LENGTH) as Hex;

export interface MintedPair {
  readonly accessToken: Secret;
  readonly refreshToken: Secret;
  readonly refreshHash: Hex;
}

/** Generation 0, from random bytes. */
export function firstPair(
  grantId: GrantId,
  random: { root: Buffer; secret: Buffer },
  key: Key,
  expiresAt: EpochSeconds,
): MintedPair & { readonly accessHash: Hex } {
  const pair = mint({ grantId, generation: 0, ...random }, key, expiresAt);
  return { ...pair, accessHash: sha256(accessSecret(random.root, grantId)) };
}

/** The pair that follows the presented token under this nonce. */
export function nextPair(presented: RefreshToken, nonce: Hex, key: Key, expiresAt: EpochSeconds): MintedPair {
  return mint(successor(presented, nonce, key), key, expiresAt);
}

/** The pair that the last rotation answered with: the row's key and nonce derive it again. */
export function samePair(presented: RefreshToken, { pair }: Grant, keyring: Keyring): MintedPair {
  return nextPair(presented, pair.nonce, keyOf(keyring, pair.keyId), pair.expiresAt);
}

/** How an authentic refresh token relates to the grant's current one. */
export function standingOf(presented: RefreshToken, { pair }: Grant, keyring: Keyring): Standing {
  if (presented.generation > pair.generation) return 'ahead';
  if (presented.generation === pair.generation)
    return hashesTo(presented.secret, pair.refreshHash) ? 'current' : 'foreign';
  if (presented.generation < pair.generation - 1) return 'spent';
  const { secret } = successor(presented, pair.nonce, keyOf(keyring, pair.keyId));
  return hashesTo(secret, pair.refreshHash) ? 'last-spent' : 'spent';
}

export function isAccessTokenOf({ secret }: AccessToken, { accessHash }: Grant): boolean {
  return hashesTo(secret, accessHash);
}

export function hashesTo(secret: Uint8Array, expected: Hex): boolean {
  return isSameHex(sha256(secret), expected);
}

function mint(token: RefreshToken, key: Key, expiresAt: EpochSeconds): MintedPair {
  const { grantId, generation, root, secret } = token;
  return {
    refreshToken: mintRefreshToken(token, key),
    accessToken: mintAccessToken({ grantId, generation, expiresAt, secret: accessSecret(root, grantId) }, key),
    refreshHash: sha256(secret),
  };
}

/** secret n+1 = MAC(K, root | secret n | nonce | grant | n+1) */
function successor({ grantId, generation, root, secret }: RefreshToken, nonce: Hex, key: Key): RefreshToken {
  const message = Buffer.allocUnsafe(ROOT_LENGTH + REFRESH_SECRET_LENGTH + NONCE_LENGTH + 16 + 4);
  message.set(root, 0);
  message.set(secret, 16);
  message.write(nonce, 32, NONCE_LENGTH, 'hex');
  message.write(grantId, 48, 'hex');
  message.writeUInt32BE(generation + 1, 64);
  const next = firstBytes(key.mac['next-secret'].sum(message), REFRESH_SECRET_LENGTH);
  return { grantId, generation: generation + 1, root, secret: next };
}

/** Constant per grant, so that one hash in the row serves the access tokens of every generation. */
function accessSecret(root: Buffer, grantId: GrantId): Buffer {
  const message = Buffer.allocUnsafe(6 + ROOT_LENGTH + 16);
  message.write('access', 0, 'latin1');
  message.set(root, 6);
  message.write(grantId, 6 + ROOT_LENGTH, 'hex');
  return firstBytes(sha256(message), ACCESS_SECRET_LENGTH);
}

function firstBytes(digits: Hex, length: number): Buffer {
  return Buffer.from(digits.slice(0, 2 * length), 'hex');
}

/** A node that lacks a key in use refuses to start; while it runs, others may begin to mint with one it does not have yet. */
function keyOf(keyring: Keyring, id: number): Key {
  const key = keyring.key(id);
  if (!key) throw new KeyMissing(id);
  return key;
}
