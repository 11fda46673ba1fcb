// The server's keys. Tokens are tagged and derived under them, so losing one ends every grant that uses it, and leaking
// one together with the database is the worst that can happen short of seeing tokens: hence 0600, and no copy elsewhere.
import { hkdfSync, randomBytes } from 'node:crypto';
import { Mac } from './mac.ts';

/** check-only: known, not yet used. minting: new pairs use it; exactly one. retiring: only grants that used it do. */
export const KEY_STATES = ['check-only', 'minting', 'retiring'] as const;
export type KeyState = (typeof KEY_STATES)[number];

const PURPOSES = [
  'refresh-tag',
  'access-tag',
  'device-tag',
  'next-secret',
  'user-code',
  'cursor',
  'csrf',
  'known-browser',
  'fingerprint',
] as const;
export type KeyPurpose = (typeof PURPOSES)[number];

export interface StoredKey {
  readonly id: number;
  readonly state: KeyState;
  readonly secret: Buffer;
}

export interface Key {
  readonly id: number;
  readonly state: KeyState;
  /** Tells two keys apart without telling anything about them. */
  readonly fingerprint: string;
  readonly mac: Readonly<Record<KeyPurpose, Mac>>;
}

export const KEY_LENGTH = 32;
export const KEY_ID_MAX = 255;

/** A broken keyring is a fault with words for the operator, never a reason to make a new one. */
export class KeyringFault extends Error {
  override readonly name = 'KeyringFault';
}

/** This node lacks a key that is in use: another node can answer, and this one once its keyring has been copied. */
export class KeyMissing extends Error {
  override readonly name = 'KeyMissing';
  readonly id: number;

  constructor(id: number) {
    super(`key ${id} is in use and this node lacks it: copy the keyring from a node that has it`);
    this.id = id;
  }
}

export class Keyring {
  #held: HeldKeys;

  constructor(stored: readonly StoredKey[]) {
    this.#held = expandAll(stored);
  }

  /** Takes the place of what it held, all at once: keys are rotated while the service runs. */
  exchange(stored: readonly StoredKey[]): void {
    this.#held = expandAll(stored);
  }

  get minting(): Key {
    return this.#held.minting;
  }

  get keys(): readonly Key[] {
    return [...this.#held.keys.values()];
  }

  key(id: number): Key | undefined {
    return this.#held.keys.get(id);
  }
}

interface HeldKeys {
  readonly keys: ReadonlyMap<number, Key>;
  readonly minting: Key;
}

function expandAll(stored: readonly StoredKey[]): HeldKeys {
  const expanded = stored.map(expand);
  const keys = new Map(expanded.map((key) => [key.id, key]));
  if (keys.size !== expanded.length) throw new KeyringFault('two keys of the keyring have the same id');
  const [minting, ...others] = expanded.filter((key) => key.state === 'minting');
  if (!minting || others.length > 0) throw new KeyringFault('exactly one key of the keyring must be minting');
  return { keys, minting };
}

function expand({ id, state, secret }: StoredKey): Key {
  const subkey = (purpose: KeyPurpose) =>
    new Mac(Buffer.from(hkdfSync('sha256', secret, '', `tessera ${purpose}`, 32)));
  const mac = Object.fromEntries(PURPOSES.map((purpose) => [purpose, subkey(purpose)])) as Record<KeyPurpose, Mac>;
  const fingerprint = mac.fingerprint.sum(Buffer.of(id)).slice(0, 16);
  return { id, state, fingerprint, mac };
}

// Changes to a keyring, as pure functions of the stored keys. When they are allowed is decided by
// operations/admin/change-keyring.ts.

export function firstKey(): StoredKey[] {
  return [{ id: 1, state: 'minting', secret: randomBytes(KEY_LENGTH) }];
}

/** Ids are never reused: `used` names those that any store has seen, whether or not their key is still here. */
export function nextKeyId(keys: readonly StoredKey[], used: readonly number[]): number {
  return Math.max(0, ...keys.map(({ id }) => id), ...used) + 1;
}

export function addKey(keys: readonly StoredKey[], id: number): StoredKey[] {
  return [...keys, { id, state: 'check-only', secret: randomBytes(KEY_LENGTH) }];
}

/** Makes a key the minting one; the one before it retires. Every node must know the key by now. */
export function mintWith(keys: readonly StoredKey[], id: number): StoredKey[] {
  return keys.map((key) => {
    if (key.id === id) return { ...key, state: 'minting' };
    return key.state === 'minting' ? { ...key, state: 'retiring' } : key;
  });
}

export function retire(keys: readonly StoredKey[], id: number): StoredKey[] {
  return keys.filter((key) => key.id !== id);
}
