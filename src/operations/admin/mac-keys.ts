// The keys that MAC tokens: add one, mint with it, retire it.
import { acted, type Event } from '../../core/event.ts';
import { grantState } from '../../core/grant.ts';
import { accept } from '../../core/outcome.ts';
import { endedBy } from '../../core/rules/endings.ts';
import type { KeyMark } from '../../core/signing-key.ts';
import { after, type EpochSeconds, isoTime, type Seconds, seconds } from '../../core/time.ts';
import { eventPages, rows } from '../../store/pages.ts';
import type { Store, StorePort } from '../../store/store.ts';
import { GRANTS_BY_KEY, grants } from '../../store/tables/grants.ts';
import { integrations } from '../../store/tables/integrations.ts';
import { keyMarks } from '../../store/tables/signing-keys.ts';
import {
  addKey,
  KEY_ID_MAX,
  type Key,
  Keyring,
  KeyringFault,
  mintWith,
  nextKeyId,
  retire,
  type StoredKey,
} from '../../tokens/keyring.ts';
import { nodesWithout } from '../upkeep/report-node.ts';
import { type Acted, type AdminPorts, decline } from './admin.ts';
import { checkClock } from './check-clock.ts';

/** Returns the keys with a new check-only key. The caller stores them. */
export async function addToKeyring(keys: readonly StoredKey[], { store, by }: AdminPorts): Acted<readonly StoredKey[]> {
  const used = await Array.fromAsync(rows(store, keyMarks), ({ id }) => id);
  const id = nextKeyId(keys, used);
  if (id > KEY_ID_MAX) return decline('key-ids-exhausted', `${KEY_ID_MAX}`);
  await store.change(keyMarks, String(id), (_, at) => ({
    outcome: undefined,
    events: [acted({ kind: 'key', id: String(id), did: 'added' }, { at, by })],
  }));
  return accept(addKey(keys, id));
}

/** The caller stores the keys after the mark: without it, a node without the key could start. `force`: even if a node lacks it. */
export async function mintWithKey(
  keys: readonly StoredKey[],
  { id, force }: { readonly id: number; readonly force?: boolean },
  ports: AdminPorts,
): Acted<readonly StoredKey[]> {
  const before = new Keyring(keys);
  const key = before.key(id);
  if (!key) return decline('key-unknown', `${id}`);
  if (before.minting.id === id) return decline('key-mints-already', `${id}`);
  const lacking = force ? undefined : await whyNotEverywhere(key.fingerprint, ports);
  if (lacking) return lacking;
  const clock = await checkClock(ports.store, 'notes');
  if (!clock.ok) return clock;
  await markMinting(key, before.minting, ports);
  return accept(mintWith(keys, id));
}

/** The refusal to use a key that a running node lacks: it could not check the tokens. */
export async function whyNotEverywhere(key: string, { store }: StorePort) {
  const without = (await nodesWithout(key, store)).map(
    ({ name, reportedAgo, countsFor }) =>
      `${name} (last reported ${reportedAgo} s ago, counts for ${countsFor} s more)`,
  );
  return without.length > 0 ? decline('key-not-everywhere', without.join(', ')) : undefined;
}

/** Records, before a key's first token, that it mints. From then on every node needs it. True if this was new. */
export function markMinting(key: Key, before: Key | undefined, { store, by }: AdminPorts): Promise<boolean> {
  const { id, fingerprint } = key;
  return store.change(keyMarks, String(id), (found, at) => {
    if (found && found.row.fingerprint !== fingerprint) throw new KeyringFault(`the store knows another key ${id}`);
    const isSame = found && before === undefined;
    if (isSame) return { outcome: false };
    const act = { kind: 'key', id: String(id), did: 'minting', ...(before && { before: before.id }) } as const;
    const events = [acted(act, { at, by })];
    return { outcome: true, next: { id, fingerprint, retired: false }, events };
  });
}

export interface RetireRequest {
  readonly id: number;
  /** The server's setting; integrations may have a longer one. */
  readonly accessTokenLifetime: Seconds;
  /** For how long a program may come with a refresh token that was minted with the key. Likewise. */
  readonly siblingWindow: Seconds;
  /** Do not wait for tokens minted with the key, for example because it leaked. They stop working. */
  readonly atOnce?: boolean;
}

/** Returns the keys without this one. Refused while a live grant or an access token still needs it. The caller stores them. */
export async function retireKey(
  keys: readonly StoredKey[],
  { id, accessTokenLifetime, siblingWindow, atOnce }: RetireRequest,
  ports: AdminPorts,
): Acted<readonly StoredKey[]> {
  const key = new Keyring(keys).key(id);
  if (!key) return decline('key-unknown', `${id}`);
  if (key.state === 'minting') return decline('key-mints', `${id}`);
  const clock = await checkClock(ports.store, 'counts');
  if (!clock.ok) return clock;
  const longest = await longestUse([accessTokenLifetime, siblingWindow], ports);
  const { liveGrants, tokensUntil } = await keyUse(id, longest, ports.store);
  if (liveGrants > 0) return decline('key-in-use', `${liveGrants}`);
  const now = await ports.store.now();
  const hasMinted = key.state === 'retiring';
  if (hasMinted && tokensUntil && tokensUntil > now && !atOnce)
    return decline('key-tokens-alive', isoTime(tokensUntil));
  await ports.store.change(keyMarks, String(id), (found, at) => ({
    outcome: undefined,
    ...(found && { next: endedBy('key', found.row, { did: 'retired' }, at) }),
    events: [acted({ kind: 'key', id: String(id), did: 'retired' }, { at, by: ports.by })],
  }));
  return accept(retire(keys, id));
}

async function longestUse(ofServer: readonly Seconds[], { store }: AdminPorts): Promise<Seconds> {
  const own = await Array.fromAsync(rows(store, integrations), ({ overrides }) => {
    const { accessTokenLifetime = 0, refreshSiblingWindow = 0 } = overrides;
    return Math.max(accessTokenLifetime, refreshSiblingWindow);
  });
  return seconds(Math.max(...ofServer, ...own));
}

const STEP = 1000;

/** What still needs a key: live grants whose pair it minted, and tokens minted before another key took over. `longest`: their use. */
export async function keyUse(id: number, longest: Seconds, store: Store) {
  const stopped = await stoppedMinting(id, store);
  return { liveGrants: await liveGrants(id, store), tokensUntil: stopped && after(stopped, longest) };
}

/** How many live grants have a pair that each key minted. Reads all grants: for operators. */
async function liveGrantsByKey(store: Store): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  const now = await store.now();
  for await (const grant of rows(store, grants)) {
    const { keyId } = grant.pair;
    if (grantState(grant, now) === 'live') counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
  }
  return counts;
}

async function liveGrants(id: number, store: Store): Promise<number> {
  if (!(await store.count(grants, GRANTS_BY_KEY)).has(id)) return 0;
  return (await liveGrantsByKey(store)).get(id) ?? 0;
}

// A grant records only the key of its latest pair, but older access tokens work until they expire (contract 1.2). So the time
// at which the key stopped minting is read from the event log.
async function stoppedMinting(id: number, store: Store): Promise<EpochSeconds | undefined> {
  let stopped: EpochSeconds | undefined;
  for await (const page of eventPages(store, STEP, { acts: true })) {
    for (const event of page) if (stopsMinting(event, id)) stopped = event.at;
  }
  return stopped;
}

function stopsMinting({ type, detail }: Event, id: number): boolean {
  if (type !== 'administered' || detail.kind !== 'key' || detail.did !== 'minting') return false;
  // None before it: the store was put back to a time at which it did not know the key, and any other may have minted until then.
  return detail.before === undefined ? detail.id !== String(id) : detail.before === id;
}

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
  const grantsOf = (id: number) => counts.get(id) ?? 0;
  return new Keyring(keys).keys.map(({ id, state, fingerprint }) => ({ id, state, fingerprint, grants: grantsOf(id) }));
}
