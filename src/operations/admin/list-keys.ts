import { livesOf } from '../../core/rules/signing-keys.ts';
import { isoTime } from '../../core/time.ts';
import { Keyring, type StoredKey } from '../../tokens/keyring.ts';
import type { StorePort } from './admin.ts';
import { liveGrantsByKey } from './mac-keys.ts';
import { allPublishedKeys } from './signing-keys.ts';

/** The MAC keys of the keyring, without their secrets. `grants`: live ones whose current token pair was minted with it. */
export async function listKeys(keys: readonly StoredKey[], { store }: StorePort) {
  const counts = await liveGrantsByKey(store);
  return new Keyring(keys).keys.map(({ id, state, fingerprint }) => ({
    ...{ id, state, fingerprint },
    grants: counts.get(id) ?? 0,
  }));
}

/** The published signing keys. `since`: when it entered this state. `isHere`: whether this keyring has it. */
export async function listSigningKeys(keys: readonly StoredKey[], { store }: StorePort) {
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
