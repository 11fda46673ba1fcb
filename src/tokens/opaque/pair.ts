// The tokens of one generation: the first of a grant, the next after a rotation, and the same ones again for a retry, byte
// for byte, although no token and no secret is stored. The grant's row has hashes and the rotation's nonce. Refresh tokens
// are opaque whatever the format of the access tokens.
import type { Grant, GrantId, Pair } from '../../core/grant.ts';
import type { Hex } from '../../core/hex.ts';
import type { Standing } from '../../core/rules/refresh.ts';
import { type Key, KeyMissing, type Keyring } from '../keyring.ts';
import { isSameHash } from '../mac.ts';
import type { Secret } from '../secret.ts';
import { sha256, sha256Bytes } from '../sha256.ts';
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
/** The nonce of generation 0, which no rotation made. */
export const NO_NONCE = '00'.repeat(NONCE_LENGTH) as Hex;

export interface MintedRefreshToken {
  readonly refreshToken: Secret;
  readonly refreshHash: Hex;
  /** Constant per grant. It is in every refresh token and never in the store. */
  readonly root: Buffer;
}

/** Generation 0, from random bytes. */
export function firstRefreshToken(
  grantId: GrantId,
  { root, secret }: { root: Buffer; secret: Buffer },
  key: Key,
): MintedRefreshToken & { readonly accessHash: Hex } {
  const minted = mint({ grantId, generation: 0, root, secret }, key);
  return { ...minted, accessHash: sha256(accessSecret(root, grantId)) };
}

export function nextRefreshToken(presented: RefreshToken, nonce: Hex, key: Key): MintedRefreshToken {
  return mint(successor(presented, nonce, key), key);
}

/** The refresh token that the last rotation replied with: the row's key and nonce derive it again. */
export function sameRefreshToken(presented: RefreshToken, { pair }: Grant, keyring: Keyring): MintedRefreshToken {
  return nextRefreshToken(presented, pair.nonce, keyOf(keyring, pair.keyId));
}

interface AccessTokenRow extends Pick<Grant, 'id'> {
  readonly pair: Pick<Pair, 'generation' | 'expiresAt' | 'keyId'>;
}

export function opaqueAccessToken({ id: grantId, pair }: AccessTokenRow, root: Buffer, keyring: Keyring): Secret {
  const { generation, expiresAt, keyId } = pair;
  const secret = accessSecret(root, grantId);
  return mintAccessToken({ grantId, generation, expiresAt, secret }, keyOf(keyring, keyId));
}

/** The root first: a server key alone must not look like reuse, which ends the grant. */
export function standingOf(presented: RefreshToken, grant: Grant, keyring: Keyring): Standing {
  const { pair } = grant;
  if (!isRefreshTokenOf(presented, grant)) return 'foreign';
  if (presented.generation > pair.generation) return 'ahead';
  if (presented.generation === pair.generation)
    return hashesTo(presented.secret, pair.refreshHash) ? 'current' : 'ahead';
  if (presented.generation < pair.generation - 1) return 'spent';
  const { secret } = successor(presented, pair.nonce, keyOf(keyring, pair.keyId));
  return hashesTo(secret, pair.refreshHash) ? 'last-spent' : 'spent';
}

export function isAccessTokenOf({ secret }: AccessToken, { format, accessHash }: Grant): boolean {
  return format === 'opaque' && hashesTo(secret, accessHash);
}

/** Whether a refresh token of any generation is the grant's: all of them have its root, from which the access secret comes. */
export function isRefreshTokenOf({ root, grantId }: RefreshToken, { accessHash }: Grant): boolean {
  return hashesTo(accessSecret(root, grantId), accessHash);
}

export function hashesTo(secret: Uint8Array, expected: Hex): boolean {
  return isSameHash(sha256(secret), expected);
}

function mint(token: RefreshToken, key: Key): MintedRefreshToken {
  const { root, secret } = token;
  return { refreshToken: mintRefreshToken(token, key), refreshHash: sha256(secret), root };
}

/** What is hashed at the moment, and nothing later: making buffers takes as long as filling them. */
const NEXT_MESSAGE = Buffer.alloc(ROOT_LENGTH + REFRESH_SECRET_LENGTH + NONCE_LENGTH + 16 + 4);
const ACCESS_MESSAGE = Buffer.alloc(6 + ROOT_LENGTH + 16);

/** secret n+1 = MAC(K, root | secret n | nonce | grant | n+1) */
function successor({ grantId, generation, root, secret }: RefreshToken, nonce: Hex, key: Key): RefreshToken {
  const message = NEXT_MESSAGE;
  message.set(root, 0);
  message.set(secret, 16);
  message.write(nonce, 32, NONCE_LENGTH, 'hex');
  message.write(grantId, 48, 'hex');
  message.writeUInt32BE(generation + 1, 64);
  const next = key.mac['next-secret'].firstBytes(message, REFRESH_SECRET_LENGTH);
  return { grantId, generation: generation + 1, root, secret: next };
}

/** Constant per grant: one hash in the row serves the access tokens of every generation. */
function accessSecret(root: Buffer, grantId: GrantId): Buffer {
  const message = ACCESS_MESSAGE;
  message.write('access', 0, 'latin1');
  message.set(root, 6);
  message.write(grantId, 6 + ROOT_LENGTH, 'hex');
  return sha256Bytes(message, ACCESS_SECRET_LENGTH);
}

/** A node that lacks a key in use refuses to start. While it runs, other nodes may begin to mint with a newer key. */
function keyOf(keyring: Keyring, id: number): Key {
  const key = keyring.key(id);
  if (!key) throw new KeyMissing(id);
  return key;
}
