// The server's keys. MAC keys tag and derive tokens: losing one ends every grant that uses it, and leaking one together
// with the database is the worst that can happen short of leaking tokens. Hence mode 0600 and no copy elsewhere.
// Signing keys sign access tokens in the format jwt.
import { hkdfSync, randomBytes } from 'node:crypto';
import type { SigningAlgorithm } from '../core/signing-key.ts';
import { Mac } from './mac.ts';
import { makeSigningKey, openSigningKey, type SigningKey, type StoredSigningKey } from './signing-key.ts';

/** The states of MAC keys. check-only: not used yet. minting: makes new pairs; exactly one. retiring: only for pairs it made. */
export const KEY_STATES = ['check-only', 'minting', 'retiring'] as const;
export type KeyState = (typeof KEY_STATES)[number];

const PURPOSES = [
  'refresh-tag',
  'access-tag',
  'device-tag',
  'next-secret',
  'first-secrets',
  'user-code',
  'csrf',
  'known-browser',
  'cursor',
  'provider-sign-in',
  'dpop-nonce',
  'fingerprint',
] as const;
export type KeyPurpose = (typeof PURPOSES)[number];

export type StoredKey = StoredMacKey | StoredSigningKey | RetiredKey;

/** Its id stays in the keyring, so that a store that is put back does not bring the key back. */
export interface RetiredKey {
  readonly kind: 'retired';
  readonly id: number | string;
}

export interface StoredMacKey {
  readonly kind: 'mac';
  readonly id: number;
  readonly state: KeyState;
  readonly secret: Buffer;
}

export interface Key {
  readonly id: number;
  readonly state: KeyState;
  /** Identifies the key and reveals nothing of it. */
  readonly fingerprint: string;
  readonly mac: Readonly<Record<KeyPurpose, Mac>>;
}

export const KEY_LENGTH = 32;
export const KEY_ID_MAX = 255;

/** The keyring cannot be used. The message is for the operator; a new keyring is never made in its place. */
export class KeyringFault extends Error {
  override readonly name = 'KeyringFault';
}

/** This node lacks a key that is in use. Another node can reply, and this one can once it has a copy of the keyring. */
export class KeyMissing extends Error {
  override readonly name = 'KeyMissing';
  /** Undefined if there is no signing key at all. */
  readonly id: number | string | undefined;

  constructor(id: number | string | undefined) {
    super(
      id === undefined
        ? 'there is no signing key: add one to the keyring'
        : `key ${id} is in use and this node lacks it: copy the keyring from a node that has it`,
    );
    this.id = id;
  }
}

export class Keyring {
  #held: ReturnType<typeof expandAll>;

  constructor(stored: readonly StoredKey[]) {
    this.#held = expandAll(stored);
  }

  /** Replaces all keys at once: keys are rotated while the service runs. */
  exchange(stored: readonly StoredKey[]): void {
    this.#held = expandAll(stored);
  }

  get minting(): Key {
    return this.#held.minting;
  }

  get keys(): readonly Key[] {
    return [...this.#held.keys.values()];
  }

  get signingKeys(): readonly SigningKey[] {
    return this.#held.signingKeys;
  }

  key(id: number): Key | undefined {
    return this.#held.keys.get(id);
  }

  /** Of retired keys, only the ids are kept. */
  isRetired(id: number | string): boolean {
    return this.#held.retired.has(id);
  }

  get retired(): readonly (number | string)[] {
    return [...this.#held.retired];
  }

  signingKey(id: string): SigningKey | undefined {
    return this.#held.signingKeys.find((key) => key.id === id);
  }
}

function expandAll(stored: readonly StoredKey[]) {
  const expanded = stored.filter((key) => key.kind === 'mac').map(expand);
  const keys = new Map(expanded.map((key) => [key.id, key]));
  if (keys.size !== expanded.length) throw new KeyringFault('two keys of the keyring have the same id');
  const [minting, ...others] = expanded.filter((key) => key.state === 'minting');
  if (!minting || others.length > 0) throw new KeyringFault('exactly one key of the keyring must be minting');
  const signingKeys = openAll(stored.filter((key) => key.kind === 'signing'));
  const retired = new Set(stored.filter((key) => key.kind === 'retired').map(({ id }) => id));
  return { keys, minting, signingKeys, retired };
}

function openAll(stored: readonly StoredSigningKey[]): readonly SigningKey[] {
  const ids = new Set(stored.map(({ id }) => id));
  if (ids.size !== stored.length) throw new KeyringFault('two signing keys of the keyring have the same id');
  return stored.map((key) => {
    const opened = openSigningKey(key);
    if (!opened)
      throw new KeyringFault(`signing key ${key.id} of the keyring is not a private key for ${key.algorithm}`);
    return opened;
  });
}

function expand({ id, state, secret }: StoredMacKey): Key {
  const subkey = (purpose: KeyPurpose) =>
    new Mac(Buffer.from(hkdfSync('sha256', secret, '', `tessera ${purpose}`, 32)));
  const mac = Object.fromEntries(PURPOSES.map((purpose) => [purpose, subkey(purpose)])) as Record<KeyPurpose, Mac>;
  const fingerprint = mac.fingerprint.sum(Buffer.of(id)).slice(0, 16);
  return { id, state, fingerprint, mac };
}

// Changes to the keys, as pure functions of the stored keys. Changes to MAC keys leave signing keys as they are. The operations of
// src/operations/admin decide when a change is allowed.

export function firstKey(): StoredMacKey[] {
  return [{ kind: 'mac', id: 1, state: 'minting', secret: randomBytes(KEY_LENGTH) }];
}

/** Ids are never reused. `used`: those that the store has seen, even if their key is gone. */
export function nextKeyId(keys: readonly StoredKey[], used: readonly number[]): number {
  return Math.max(...keys.flatMap(({ id }) => (typeof id === 'number' ? [id] : [])), ...used) + 1;
}

/** The new key is last. */
export function addSigningKey(
  keys: readonly StoredKey[],
  algorithm: SigningAlgorithm,
): { readonly keys: StoredKey[]; readonly id: string } {
  const key = makeSigningKey(algorithm);
  return { keys: [...keys, key], id: key.id };
}

export function addKey(keys: readonly StoredKey[], id: number): StoredKey[] {
  return [...keys, { kind: 'mac', id, state: 'check-only', secret: randomBytes(KEY_LENGTH) }];
}

/** Makes a key the minting one; the one before it retires. Every node must know the key by now. */
export function mintWith(keys: readonly StoredKey[], id: number): StoredKey[] {
  return keys.map((key): StoredKey => {
    if (key.kind !== 'mac') return key;
    if (key.id === id) return { ...key, state: 'minting' };
    return key.state === 'minting' ? { ...key, state: 'retiring' } : key;
  });
}

export function retire(keys: readonly StoredKey[], id: StoredKey['id']): StoredKey[] {
  return [...keys.filter((key) => key.id !== id), { kind: 'retired', id }];
}
