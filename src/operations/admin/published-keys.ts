// The signing keys of the store, and how those of a keyring get there.
import { acted } from '../../core/event.ts';
import { endedBy } from '../../core/rules/endings.ts';
import { livesOf, startOf, startOfNewKey } from '../../core/rules/signing-keys.ts';
import type { PublishedKey } from '../../core/signing-key.ts';
import { rows } from '../../store/pages.ts';
import type { Store } from '../../store/store.ts';
import { signingKeys } from '../../store/tables/signing-keys.ts';
import { Keyring, type StoredKey } from '../../tokens/keyring.ts';
import { publicMembers } from '../../tokens/signing-key.ts';
import type { AdminPorts } from './admin.ts';
import { endAgain, endingsFromKeyring, type LostEnding } from './lost-endings.ts';
import { markMinting } from './mark-minting.ts';

/** Removed ones included. */
export function allPublishedKeys(store: Store): Promise<PublishedKey[]> {
  return Array.fromAsync(rows(store, signingKeys));
}

/**
 * Publishes the signing keys of a keyring that the store does not know yet. The keyring must be stored by then: a public key
 * without its private key would be of no use. Returns the new ones.
 */
export async function publishKeys(keys: readonly StoredKey[], { store, by }: AdminPorts): Promise<PublishedKey[]> {
  const known = await allPublishedKeys(store);
  const published: PublishedKey[] = [];
  for (const { id, algorithm, publicKey } of new Keyring(keys).signingKeys) {
    if (known.some((key) => key.id === id)) continue;
    const members = publicMembers(publicKey);
    const row = await store.change(signingKeys, id, (found, at) => {
      if (found) return { outcome: found.row };
      const signsFrom = startOfNewKey([...known, ...published], at);
      const next = {
        id,
        algorithm,
        publicKey: members,
        publishedAt: at,
        ...(signsFrom !== undefined && { signsFrom }),
      };
      const state = signsFrom === undefined ? 'published' : 'signing';
      return { outcome: next, next, events: [acted({ kind: 'signing-key', id, did: 'added', state }, { at, by })] };
    });
    published.push(row);
  }
  return published;
}

/**
 * Makes the store agree with the keyring: the minting key is known, retired keys are retired, every signing key is published, and one
 * signs. They differ after the store was put back to an older state. Returns what had to be ended again.
 */
export async function alignWithKeyring(keys: readonly StoredKey[], ports: AdminPorts): Promise<readonly LostEnding[]> {
  const keyring = new Keyring(keys);
  await markMinting(keyring.minting, undefined, ports);
  const endings = await endingsFromKeyring(keyring, ports);
  for (const ending of endings) await endAgain(ending, ports);
  await publishKeys(keys, ports);
  const lives = livesOf(await allPublishedKeys(ports.store));
  const next = keyring.signingKeys.find(({ id }) => lives.some((life) => life.id === id));
  if (next && !lives.some(({ state }) => state === 'signing')) await startSigning(next.id, ports);
  return endings;
}

/** Makes a published key sign from now on. */
export async function startSigning(id: string, { store, by }: AdminPorts): Promise<void> {
  const known = await allPublishedKeys(store);
  await store.change(signingKeys, id, (found, at) => {
    if (!found || found.row.removedAt !== undefined) return { outcome: undefined };
    const next = { ...found.row, signsFrom: startOf(known, at) };
    return { outcome: undefined, next, events: [acted({ kind: 'signing-key', id, did: 'signs' }, { at, by })] };
  });
}

/** Publishes a key no longer. Its tokens are refused from now on, on every node. */
export async function unpublish(id: string, { store, by }: AdminPorts): Promise<void> {
  await store.change(signingKeys, id, (found, at) => {
    if (!found || found.row.removedAt !== undefined) return { outcome: undefined };
    const next = endedBy('signing-key', found.row, { did: 'removed' }, at);
    return { outcome: undefined, next, events: [acted({ kind: 'signing-key', id, did: 'removed' }, { at, by })] };
  });
}
