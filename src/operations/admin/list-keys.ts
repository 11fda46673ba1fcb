import { Keyring, type StoredKey } from '../../tokens/keyring.ts';
import type { AdminPorts } from './admin.ts';
import { liveGrantsByKey } from './key-use.ts';

export interface ListedKey {
  readonly id: number;
  readonly state: StoredKey['state'];
  readonly fingerprint: string;
  /** Live grants whose current token pair was minted with this key. */
  readonly grants: number;
}

/** The keys of the keyring, without their secrets. */
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
