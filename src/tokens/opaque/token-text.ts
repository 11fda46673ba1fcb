// The token texts: prefix + base64url (with padding) of 70 bytes, so each ends in "==".
//
//   refresh  kind 1 | key id 1 | grant id 16 | generation 4 | root 16 | secret 16 | tag 16
//   access   kind 1 | key id 1 | grant id 16 | generation 4 | expires 4 | secret 28 | tag 16
//   device   kind 1 | key id 1 | device id 16 | expires 4 | secret 32 | tag 16
//   code     the same
//
// The tag is a MAC under a server key over everything before it: forgeries are refused without a look at the store.
import type { DeviceId } from '../../core/device.ts';
import type { GrantId } from '../../core/grant.ts';
import { type EpochSeconds, epochSeconds } from '../../core/time.ts';
import type { Key, KeyPurpose, Keyring } from '../keyring.ts';
import { Secret } from '../secret.ts';

const LENGTH = 70;
const TAG_AT = 54;
const PADDING = '==';
const ID_AT = 2;
const ID_END = 18;

interface Kind {
  readonly prefix: string;
  readonly byte: number;
  readonly purpose: KeyPurpose;
}

const REFRESH: Kind = { prefix: 'tsr_', byte: 1, purpose: 'refresh-tag' };
const ACCESS: Kind = { prefix: 'tsa_', byte: 2, purpose: 'access-tag' };
/** `authorization`: the code of RFC 6749 4.1.2. */
const CODES = {
  device: { prefix: 'tsd_', byte: 3, purpose: 'device-tag' },
  authorization: { prefix: 'tso_', byte: 4, purpose: 'device-tag' },
} as const satisfies Record<string, Kind>;

export interface RefreshToken {
  readonly grantId: GrantId;
  readonly generation: number;
  readonly root: Buffer;
  readonly secret: Buffer;
}

export interface AccessToken {
  readonly grantId: GrantId;
  readonly generation: number;
  readonly expiresAt: EpochSeconds;
  readonly secret: Buffer;
}

export interface DeviceCode {
  readonly deviceId: DeviceId;
  readonly keyId: number;
  readonly expiresAt: EpochSeconds;
  readonly secret: Buffer;
}

export const REFRESH_SECRET_LENGTH = 16;
export const ACCESS_SECRET_LENGTH = 28;
export const DEVICE_SECRET_LENGTH = 32;

export function mintRefreshToken(token: RefreshToken, key: Key): Secret {
  const bytes = begin(REFRESH, key, token.grantId);
  bytes.writeUInt32BE(token.generation, 18);
  bytes.set(token.root, 22);
  bytes.set(token.secret, 38);
  return finish(bytes, REFRESH, key);
}

export function parseRefreshToken(text: string, keyring: Keyring): RefreshToken | undefined {
  const bytes = open(text, REFRESH, keyring);
  if (!bytes) return undefined;
  const grantId = bytes.toString('hex', ID_AT, ID_END) as GrantId;
  return {
    grantId,
    generation: bytes.readUInt32BE(18),
    root: bytes.subarray(22, 38),
    secret: bytes.subarray(38, TAG_AT),
  };
}

export function mintAccessToken(token: AccessToken, key: Key): Secret {
  const bytes = begin(ACCESS, key, token.grantId);
  bytes.writeUInt32BE(token.generation, 18);
  bytes.writeUInt32BE(token.expiresAt, 22);
  bytes.set(token.secret, 26);
  return finish(bytes, ACCESS, key);
}

export function parseAccessToken(text: string, keyring: Keyring): AccessToken | undefined {
  const bytes = open(text, ACCESS, keyring);
  if (!bytes) return undefined;
  const grantId = bytes.toString('hex', ID_AT, ID_END) as GrantId;
  const expiresAt = epochSeconds(bytes.readUInt32BE(22));
  return { grantId, generation: bytes.readUInt32BE(18), expiresAt, secret: bytes.subarray(26, TAG_AT) };
}

export function mintCode(kind: keyof typeof CODES, code: Omit<DeviceCode, 'keyId'>, key: Key): Secret {
  const bytes = begin(CODES[kind], key, code.deviceId);
  bytes.writeUInt32BE(code.expiresAt, 18);
  bytes.set(code.secret, 22);
  return finish(bytes, CODES[kind], key);
}

export function parseCode(kind: keyof typeof CODES, text: string, keyring: Keyring): DeviceCode | undefined {
  const bytes = open(text, CODES[kind], keyring);
  if (!bytes) return undefined;
  const deviceId = bytes.toString('hex', ID_AT, ID_END) as DeviceId;
  const expiresAt = epochSeconds(bytes.readUInt32BE(18));
  return { deviceId, keyId: bytes[1] ?? 0, expiresAt, secret: bytes.subarray(22, TAG_AT) };
}

/** The key id in a well-formed text of any kind. The key itself may not exist. */
export function keyIdOf(text: string): number | undefined {
  for (const kind of [REFRESH, ACCESS, ...Object.values(CODES)]) {
    const bytes = decode(text, kind);
    if (bytes) return bytes[1];
  }
  return undefined;
}

/** Of the token that is being minted: a buffer of its own would take a fifth of the time of its tag. */
const MINTED = Buffer.alloc(LENGTH);

function begin(kind: Kind, key: Key, id: string): Buffer {
  const bytes = MINTED;
  bytes[0] = kind.byte;
  bytes[1] = key.id;
  bytes.write(id, ID_AT, 'hex');
  return bytes;
}

function finish(bytes: Buffer, kind: Kind, key: Key): Secret {
  key.mac[kind.purpose].sign(bytes, TAG_AT, LENGTH - TAG_AT);
  return new Secret(encode(bytes, kind));
}

function encode(bytes: Buffer, kind: Kind): string {
  return kind.prefix + bytes.toString('base64url') + PADDING;
}

/** Undefined unless minting would write exactly this text. Node decodes leniently, so re-encode and compare. */
function decode(text: string, kind: Kind): Buffer | undefined {
  if (!text.startsWith(kind.prefix)) return undefined;
  const bytes = Buffer.from(text.slice(kind.prefix.length), 'base64url');
  return bytes.length === LENGTH && bytes[0] === kind.byte && encode(bytes, kind) === text ? bytes : undefined;
}

function open(text: string, kind: Kind, keyring: Keyring): Buffer | undefined {
  const bytes = decode(text, kind);
  return bytes && keyring.key(bytes[1] as number)?.mac[kind.purpose].isSigned(bytes, TAG_AT) ? bytes : undefined;
}
