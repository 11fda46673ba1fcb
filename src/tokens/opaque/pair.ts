// The tokens of one generation: the first of a grant, the next after a rotation, and the same ones again for a retry, byte
// for byte, although no token and no secret is stored. The grant's row has hashes and the rotation's nonce. Refresh tokens
// are opaque whatever the format of the access tokens.
import type { Grant, GrantId, Pair } from '../../core/grant.ts';
import type { Hex } from '../../core/hex.ts';
import type { Standing } from '../../core/rules/refresh.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { type Key, KeyMissing, type Keyring } from '../keyring.ts';
import { isSameHash } from '../mac.ts';
import type { Secret } from '../secret.ts';
import { sha256, sha256Bytes } from '../sha256.ts';
import {
  ACCESS_SECRET_LENGTH,
  type AccessToken,
  type DeviceCode,
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

/** Generation 0 of the grant that a device code is redeemed for. Whoever sends the code again, authenticated as then, gets the same. */
export function firstTokenOf(
  { deviceId, keyId, secret: code }: DeviceCode,
  { at, isAuthenticated }: { readonly at: EpochSeconds; readonly isAuthenticated: boolean },
  keyring: Keyring,
): RefreshToken {
  // Ids begin with their time, so that grants are in the order of their creation.
  const grantId = ((at * 1000).toString(16).padStart(12, '0') + deviceId.slice(12)) as GrantId;
  const message = Buffer.concat([code, Buffer.from(grantId, 'hex'), Buffer.of(Number(isAuthenticated))]);
  const bytes = keyOf(keyring, keyId).mac['first-secrets'].firstBytes(message, ROOT_LENGTH + REFRESH_SECRET_LENGTH);
  const [root, secret] = [bytes.subarray(0, ROOT_LENGTH), bytes.subarray(ROOT_LENGTH)];
  return { grantId, generation: 0, root, secret };
}

/** Generation 0. */
export function firstRefreshToken(
  grantId: GrantId,
  { root, secret }: Pick<RefreshToken, 'root' | 'secret'>,
  key: Key,
): MintedRefreshToken & { readonly accessHash: Hex } {
  const minted = mint({ grantId, generation: 0, root, secret }, key);
  return { ...minted, accessHash: sha256(accessSecret(root, grantId)) };
}

/** What the secret of a generation is derived from. The row does not say it: one of them matches its hash. */
export type Derivation =
  | 'root'
  /** Also from the secret before it, as up to 0.3.4. Nodes of those releases know no other: rotations use it while one runs. */
  | 'secret';

export function nextRefreshToken(
  current: RefreshToken,
  nonce: Hex,
  key: Key,
  derivation: Derivation = 'root',
): MintedRefreshToken {
  return mint(DERIVE[derivation](current, current.generation + 1, nonce, key), key);
}

/** The row's refresh token again, for the holder of it or of an earlier one. Undefined if that cannot be derived. */
export function currentRefreshToken(
  presented: RefreshToken,
  { pair }: Grant,
  keyring: Keyring,
): RefreshToken | undefined {
  const { generation, nonce, refreshHash } = pair;
  if (presented.generation === generation) return presented;
  const key = keyOf(keyring, pair.keyId);
  const possible: Derivation[] = presented.generation === generation - 1 ? ['root', 'secret'] : ['root'];
  for (const derivation of possible) {
    const derived = DERIVE[derivation](presented, generation, nonce, key);
    if (hashesTo(derived.secret, refreshHash)) return derived;
  }
  return undefined;
}

/** What the last rotation replied with, byte for byte. */
export function sameRefreshToken(presented: RefreshToken, grant: Grant, keyring: Keyring): MintedRefreshToken {
  const current = currentRefreshToken(presented, grant, keyring);
  if (!current) throw new Error('the row has another refresh token');
  return mint(current, keyOf(keyring, grant.pair.keyId));
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
  if (!currentRefreshToken(presented, grant, keyring)) return 'spent';
  return presented.generation === pair.generation - 1 ? 'last-spent' : 'ancestor';
}

/** Of a device code, by the first refresh token that it gives. */
export function standingOfCode(first: RefreshToken, grant: Grant, keyring: Keyring): Standing {
  return standingOf(first, grant, keyring) === 'current' ? 'redeemed-code' : 'used-code';
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
const ROOT_MESSAGE = Buffer.alloc(ROOT_LENGTH + NONCE_LENGTH + 16 + 4);
const SECRET_MESSAGE = Buffer.alloc(ROOT_LENGTH + REFRESH_SECRET_LENGTH + NONCE_LENGTH + 16 + 4);
const ACCESS_MESSAGE = Buffer.alloc(6 + ROOT_LENGTH + 16);

type Derive = (from: RefreshToken, generation: number, nonce: Hex, key: Key) => RefreshToken;

/** The messages differ in length, so that neither is ever the other. */
const DERIVE: Readonly<Record<Derivation, Derive>> = {
  /** secret n = MAC(K, root | nonce | grant | n) */
  root: (from, generation, nonce, key) => {
    ROOT_MESSAGE.set(from.root, 0);
    return derived(ROOT_MESSAGE, ROOT_LENGTH, from, generation, nonce, key);
  },
  /** secret n = MAC(K, root | secret n-1 | nonce | grant | n) */
  secret: (from, generation, nonce, key) => {
    SECRET_MESSAGE.set(from.root, 0);
    SECRET_MESSAGE.set(from.secret, ROOT_LENGTH);
    return derived(SECRET_MESSAGE, ROOT_LENGTH + REFRESH_SECRET_LENGTH, from, generation, nonce, key);
  },
};

function derived(
  message: Buffer,
  at: number,
  { grantId, root }: RefreshToken,
  generation: number,
  nonce: Hex,
  key: Key,
): RefreshToken {
  message.write(nonce, at, NONCE_LENGTH, 'hex');
  message.write(grantId, at + NONCE_LENGTH, 'hex');
  message.writeUInt32BE(generation, at + NONCE_LENGTH + 16);
  const secret = key.mac['next-secret'].firstBytes(message, REFRESH_SECRET_LENGTH);
  return { grantId, generation, root, secret };
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
