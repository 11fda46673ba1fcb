// The life of a key: added as check-only, known to every node, then minting, then retired once nothing needs it. Each
// function returns the keys as they should be kept; writing them to their file is the caller's business.
import { accept } from '../../core/outcome.ts';
import { rows } from '../../store/pages.ts';
import { keyMarks } from '../../store/tables/registry.ts';
import { addKey, KEY_ID_MAX, Keyring, mintWith, nextKeyId, retire, type StoredKey } from '../../tokens/keyring.ts';
import { nodesWithout } from '../upkeep/report-node.ts';
import { type AdminOutcome, type AdminPorts, administered, decline } from './admin.ts';
import { keyUse } from './key-use.ts';
import { markMinting } from './mark-minting.ts';

type Keys = readonly StoredKey[];

export async function addToKeyring(keys: Keys, { store, by }: AdminPorts): Promise<AdminOutcome<Keys>> {
  const used = await Array.fromAsync(rows(store, keyMarks), ({ id }) => id);
  const id = nextKeyId(keys, used);
  if (id > KEY_ID_MAX) return decline('key-ids-exhausted', `${KEY_ID_MAX}`);
  await store.change(keyMarks, String(id), (_, at) => ({
    outcome: undefined,
    events: [administered('key added', { at, by, detail: { key: id } })],
  }));
  return accept(addKey(keys, id));
}

export interface MintRequest {
  readonly id: number;
  /** Mint although a node that seems to run has not reported the key. */
  readonly force?: boolean;
}

/** The mark comes first: were the file written and the mark lost, a node without the key would start unwarned. */
export async function mintWithKey(
  keys: Keys,
  { id, force }: MintRequest,
  ports: AdminPorts,
): Promise<AdminOutcome<Keys>> {
  const before = new Keyring(keys);
  const key = before.key(id);
  if (!key) return decline('key-unknown', `${id}`);
  if (before.minting.id === id) return decline('key-mints-already', `${id}`);
  const without = force ? [] : await nodesWithout(key.fingerprint, ports.store);
  if (without.length > 0) return decline('key-not-everywhere', without.join(', '));
  await markMinting(key, before.minting, ports);
  return accept(mintWith(keys, id));
}

export interface RetireRequest {
  readonly id: number;
  /** The longest that an access token may have been minted for. */
  readonly accessTokenLifetime: number;
  /** Access tokens minted with the key may stop working early: for a key that leaked. */
  readonly atOnce?: boolean;
}

/** Takes a key out, unless a live grant was last refreshed under it or an access token minted with it may still be in use. */
export async function retireKey(keys: Keys, request: RetireRequest, ports: AdminPorts): Promise<AdminOutcome<Keys>> {
  const { id, accessTokenLifetime, atOnce } = request;
  const key = keys.find((candidate) => candidate.id === id);
  if (!key) return decline('key-unknown', `${id}`);
  if (key.state === 'minting') return decline('key-mints', `${id}`);
  const { liveGrants, tokensUntil } = await keyUse(id, accessTokenLifetime, ports.store);
  if (liveGrants > 0) return decline('key-in-use', `${liveGrants}`);
  const now = await ports.store.now();
  if (tokensUntil > now && !atOnce) return decline('key-tokens-alive', new Date(tokensUntil * 1000).toISOString());
  await ports.store.change(keyMarks, String(id), (found, at) => ({
    outcome: undefined,
    ...(found && { next: { ...found.row, retired: true } }),
    events: [administered('key retired', { at, by: ports.by, detail: { key: id } })],
  }));
  return accept(retire(keys, id));
}
