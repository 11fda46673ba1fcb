import { livesOf, type SigningKeyState } from '../../core/rules/signing-keys.ts';
import type { SigningAlgorithm } from '../../core/signing-key.ts';
import { isoTime } from '../../core/time.ts';
import { type Key, Keyring, type StoredKey } from '../../tokens/keyring.ts';
import type { AdminPorts } from './admin.ts';
import { liveGrantsByKey } from './mac-keys.ts';
import { allPublishedKeys } from './signing-keys.ts';

export interface ListedKey extends Pick<Key, 'id' | 'state' | 'fingerprint'> {
  /** Live grants whose current token pair was minted with this key. */
  readonly grants: number;
}

/** The MAC keys of the keyring, without their secrets. */
export async function listKeys(
  keys: readonly StoredKey[],
  { store }: Pick<AdminPorts, 'store'>,
): Promise<readonly ListedKey[]> {
  const counts = await liveGrantsByKey(store);
  return new Keyring(keys).keys.map(({ id, state, fingerprint }) => ({
    ...{ id, state, fingerprint },
    grants: counts.get(id) ?? 0,
  }));
}

export interface ListedSigningKey {
  readonly id: string;
  readonly algorithm: SigningAlgorithm;
  readonly state: SigningKeyState;
  /** When it entered this state. */
  readonly since: string;
  /** Whether this keyring has it. */
  readonly isHere: boolean;
}

/** The published signing keys. */
export async function listSigningKeys(
  keys: readonly StoredKey[],
  { store }: Pick<AdminPorts, 'store'>,
): Promise<readonly ListedSigningKey[]> {
  const published = await allPublishedKeys(store);
  const keyring = new Keyring(keys);
  const lives = new Map(livesOf(published).map((life) => [life.id, life]));
  return published.flatMap(({ id, algorithm }) => {
    const life = lives.get(id);
    if (!life) return [];
    return [
      { id, algorithm, state: life.state, since: isoTime(life.since), isHere: keyring.signingKey(id) !== undefined },
    ];
  });
}
