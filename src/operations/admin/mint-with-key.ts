import { accept } from '../../core/outcome.ts';
import { Keyring, mintWith, type StoredKey } from '../../tokens/keyring.ts';
import { nodesWithout } from '../upkeep/report-node.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { checkClock } from './check-clock.ts';
import { markMinting } from './mark-minting.ts';

export interface MintRequest {
  readonly id: number;
  /** Mint even if a running node has not reported the key. */
  readonly force?: boolean;
}

/**
 * Returns the keys with this one minting. The caller stores them, after the mark: a stored keyring without a mark would let
 * a node without the key start.
 */
export async function mintWithKey(
  keys: readonly StoredKey[],
  { id, force }: MintRequest,
  ports: AdminPorts,
): Promise<AdminOutcome<readonly StoredKey[]>> {
  const before = new Keyring(keys);
  const key = before.key(id);
  if (!key) return decline('key-unknown', `${id}`);
  if (before.minting.id === id) return decline('key-mints-already', `${id}`);
  const without = force ? [] : await nodesWithout(key.fingerprint, ports.store);
  if (without.length > 0) return decline('key-not-everywhere', without.join(', '));
  const clock = await checkClock(ports.store, 'notes');
  if (!clock.ok) return clock;
  await markMinting(key, before.minting, ports);
  return accept(mintWith(keys, id));
}
