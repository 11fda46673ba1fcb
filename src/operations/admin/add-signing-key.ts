import { accept } from '../../core/outcome.ts';
import type { PublishedKey, SigningAlgorithm } from '../../core/signing-key.ts';
import { addSigningKey, type StoredKey } from '../../tokens/keyring.ts';
import type { AdminOutcome, KeyringPorts } from './admin.ts';
import { checkClock } from './check-clock.ts';
import { publishKeys } from './published-keys.ts';

/** Stores the keyring with a new signing key, then publishes the key. */
export async function addSigningKeyTo(
  keys: readonly StoredKey[],
  algorithm: SigningAlgorithm,
  ports: KeyringPorts,
): Promise<AdminOutcome<PublishedKey>> {
  const clock = await checkClock(ports.store, 'notes');
  if (!clock.ok) return clock;
  return accept((await publishNext(keys, algorithm, ports)).added);
}

/** The same, once the clock was checked. */
export async function publishNext(
  keys: readonly StoredKey[],
  algorithm: SigningAlgorithm,
  ports: KeyringPorts,
): Promise<{ readonly next: readonly StoredKey[]; readonly added: PublishedKey }> {
  const { keys: next, id } = addSigningKey(keys, algorithm);
  ports.storeKeys(next);
  // An interrupted command may have left another key to publish.
  const added = (await publishKeys(next, ports)).find((key) => key.id === id);
  if (!added) throw new Error('the new key was not published');
  return { next, added };
}
