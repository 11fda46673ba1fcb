import { livesOf } from '../../core/rules/signing-keys.ts';
import type { KeyMark } from '../../core/signing-key.ts';
import { isoTime } from '../../core/time.ts';
import { rows } from '../../store/pages.ts';
import type { Store, StorePort } from '../../store/store.ts';
import { keyMarks } from '../../store/tables/signing-keys.ts';
import { Keyring, KeyringFault, type StoredKey } from '../../tokens/keyring.ts';
import type {} from './admin.ts';
import { liveGrantsByKey } from './mac-keys.ts';
import { allPublishedKeys } from './signing-keys.ts';

/** Whether a key has ever minted for this store. If so, a new keyring would end every grant. */
export async function knowsKeys(store: Store): Promise<boolean> {
  return (await store.page(keyMarks, { limit: 1 })).length > 0;
}

/** Throws a KeyringFault unless it has every key that grants of this store may need. A missing keyring is never replaced. */
export async function checkKeyring(keyring: Keyring | undefined, store: Store): Promise<Keyring> {
  const marks = await Array.fromAsync(rows(store, keyMarks));
  if (!keyring) throw new KeyringFault(whyMissing(marks));
  for (const mark of marks) checkKey(keyring, mark);
  return keyring;
}

function whyMissing(marks: readonly KeyMark[]): string {
  if (marks.length === 0) return 'there is no keyring yet. Do: tessera init';
  const used = marks.filter(({ retired }) => !retired).map(({ id }) => id);
  return `the keyring is missing, but key ${used.join(', ')} is in use. Copy the keyring from another node or restore it from its backup; a new one would end every grant.`;
}

function checkKey(keyring: Keyring, { id, fingerprint, retired }: KeyMark): void {
  const key = keyring.key(id);
  if (!key && (retired || keyring.isRetired(id))) return;
  if (!key) {
    throw new KeyringFault(`the keyring lacks key ${id}, which is in use. Copy the keyring from a node that has it.`);
  }
  if (key.fingerprint !== fingerprint) {
    throw new KeyringFault(
      `the keyring has another key ${id} than the one in use (${key.fingerprint}, the store knows ${fingerprint}). Is this the keyring of another installation?`,
    );
  }
  if (retired && key.state === 'minting')
    throw new KeyringFault(`key ${id} is retired, yet the keyring mints with it.`);
}

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
