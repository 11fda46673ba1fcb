import { GRANTS_BY_KEY, grants } from '../../store/tables/grants.ts';
import { Keyring, type StoredKey } from '../../tokens/keyring.ts';
import type { AdminPorts } from './admin.ts';

export interface ListedKey {
  readonly id: number;
  readonly state: StoredKey['state'];
  readonly fingerprint: string;
  /** Grants whose current token pair was minted with this key. */
  readonly grants: number;
}

/** The keys of the keyring, without their secrets. */
export async function listKeys(
  keys: readonly StoredKey[],
  { store }: Pick<AdminPorts, 'store'>,
): Promise<readonly ListedKey[]> {
  const counts = await store.count(grants, GRANTS_BY_KEY);
  return new Keyring(keys).keys.map(({ id, state, fingerprint }) => ({
    ...{ id, state, fingerprint },
    grants: counts.get(id) ?? 0,
  }));
}
