// The signing keys of the store: how those of a keyring get there, begin to sign, and retire.
import { acted } from '../../core/event.ts';
import { accept } from '../../core/outcome.ts';
import { endedBy } from '../../core/rules/endings.ts';
import {
  dueSteps,
  livesOf,
  type RotationStep,
  type RotationTimes,
  signingKeyOf,
  startOf,
  startOfNewKey,
  TOKENS_ALIVE,
  whyNotRemove,
  whyNotSign,
} from '../../core/rules/signing-keys.ts';
import type { PublishedKey, SigningAlgorithm } from '../../core/signing-key.ts';
import { after, isoTime, type Seconds } from '../../core/time.ts';
import { rows } from '../../store/pages.ts';
import type { Store, StorePort } from '../../store/store.ts';
import { signingKeys } from '../../store/tables/signing-keys.ts';
import { addSigningKey, Keyring, retire, type StoredKey } from '../../tokens/keyring.ts';
import { publicMembers } from '../../tokens/signing-key.ts';
import { nodesWithout } from '../upkeep/report-node.ts';
import { type Acted, type AdminPorts, decline, type KeyringPorts } from './admin.ts';
import { checkClock } from './check-clock.ts';
import { endAgain, endingsFromKeyring, type LostEnding } from './lost-endings.ts';
import { markMinting, whyNotEverywhere } from './mac-keys.ts';

/** Removed ones included. */
export function allPublishedKeys(store: Store): Promise<PublishedKey[]> {
  return Array.fromAsync(rows(store, signingKeys));
}

/** Publishes keys that the store does not know yet, and returns them. The keyring must be stored by then. */
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

/** Makes the store, which may have been put back, agree with the keyring. Returns what had to be ended again. */
export async function alignWithKeyring(keys: readonly StoredKey[], ports: AdminPorts): Promise<readonly LostEnding[]> {
  const keyring = new Keyring(keys);
  await markMinting(keyring.minting, undefined, ports);
  const endings = await endingsFromKeyring(keyring, ports);
  await endAgain(endings, ports);
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

/** Stores the keyring with a new signing key, then publishes the key. */
export async function addSigningKeyTo(
  keys: readonly StoredKey[],
  algorithm: SigningAlgorithm,
  ports: KeyringPorts,
): Acted<PublishedKey> {
  const clock = await checkClock(ports.store, 'notes');
  if (!clock.ok) return clock;
  return accept((await publishNext(keys, algorithm, ports)).added);
}

/** The same, once the clock was checked. */
async function publishNext(
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

export interface SignRequest {
  readonly id: string;
  readonly publishedFor: Seconds;
  /** Sign even if a running node lacks the key, or resource servers may not have fetched it yet. */
  readonly force?: boolean;
}

/** Signs with this key from now on, on every node; the one before it retires. The keyring stays as it is. */
export async function signWithKey({ id, publishedFor, force }: SignRequest, ports: AdminPorts): Acted<undefined> {
  const life = livesOf(await allPublishedKeys(ports.store)).find((key) => key.id === id);
  if (!life) return decline('key-unknown', id);
  const clock = await checkClock(ports.store, force ? 'notes' : 'counts');
  if (!clock.ok) return clock;
  const objection = whyNotSign(life, publishedFor, await ports.store.now());
  if (objection === 'signs-already') return decline('signing-key-signs-already', id);
  if (objection === 'retiring') return decline('signing-key-retiring', id);
  if (objection && !force) return decline('signing-key-too-recent', isoTime(after(life.since, publishedFor)));
  const lacking = force ? undefined : await whyNotEverywhere(id, ports);
  if (lacking) return lacking;
  await startSigning(id, ports);
  return accept(undefined);
}

/** Returns the keys without this one. Refused while it signs or, unless `atOnce`, a token that it signed may live. The caller stores them. */
export async function retireSigningKey(
  keys: readonly StoredKey[],
  { id, atOnce }: { readonly id: string; readonly atOnce?: boolean },
  ports: AdminPorts,
): Acted<readonly StoredKey[]> {
  const life = livesOf(await allPublishedKeys(ports.store)).find((key) => key.id === id);
  // A key that another command has removed may still be in this keyring.
  if (!life) return new Keyring(keys).signingKey(id) ? accept(retire(keys, id)) : decline('key-unknown', id);
  const clock = await checkClock(ports.store, atOnce ? 'notes' : 'counts');
  if (!clock.ok) return clock;
  const objection = whyNotRemove(life, await ports.store.now());
  if (objection === 'signs') return decline('signing-key-signs', id);
  if (objection && !atOnce) return decline('key-tokens-alive', isoTime(after(life.since, TOKENS_ALIVE)));
  await unpublish(id, ports);
  return accept(retire(keys, id));
}

export type RotationResult =
  | { readonly did: 'added' | 'signs' | 'removed'; readonly id: string }
  /** Due, but these running nodes lack the key. */
  | { readonly did: 'waits'; readonly id: string; readonly nodes: readonly string[] };

/** Publishes the next key, lets it sign once it was published for long enough and every node has it, and removes old ones. */
export async function rotateSigningKeys(
  keys: readonly StoredKey[],
  times: RotationTimes,
  ports: KeyringPorts,
): Acted<readonly RotationResult[]> {
  const isWithoutJwts =
    new Keyring(keys).signingKeys.length === 0 && (await allPublishedKeys(ports.store)).length === 0;
  if (isWithoutJwts) return accept([]); // the daily timer has nothing to do
  const clock = await checkClock(ports.store, 'counts');
  if (!clock.ok) return clock;
  await publishKeys(keys, ports); // one may be left from a command that was interrupted
  const known = await allPublishedKeys(ports.store);
  const signing = signingKeyOf(known);
  if (!signing) return decline('signing-key-missing', '');
  const results: RotationResult[] = [];
  let [held, now] = [keys, await ports.store.now()];
  for (const step of dueSteps(livesOf(known), times, now)) {
    const { result, next } = await take(step, held, signing.algorithm, ports);
    results.push(result);
    held = next;
  }
  return accept(results);
}

async function take(
  step: RotationStep,
  keys: readonly StoredKey[],
  algorithm: SigningAlgorithm,
  ports: KeyringPorts,
): Promise<{ readonly result: RotationResult; readonly next: readonly StoredKey[] }> {
  switch (step.do) {
    case 'add': {
      const { next, added } = await publishNext(keys, algorithm, ports);
      return { result: { did: 'added', id: added.id }, next };
    }
    case 'sign': {
      const nodes = await nodesWithout(step.id, ports.store);
      if (nodes.length > 0)
        return { result: { did: 'waits', id: step.id, nodes: nodes.map(({ name }) => name) }, next: keys };
      await startSigning(step.id, ports);
      return { result: { did: 'signs', id: step.id }, next: keys };
    }
    case 'remove': {
      await unpublish(step.id, ports);
      const next = retire(keys, step.id);
      ports.storeKeys(next);
      return { result: { did: 'removed', id: step.id }, next };
    }
  }
}

/** The published signing keys. `since`: when it entered this state. `isHere`: whether this keyring has it. */
export async function listSigningKeys(keys: readonly StoredKey[], { store }: StorePort) {
  const published = await allPublishedKeys(store);
  const keyring = new Keyring(keys);
  const lives = new Map(livesOf(published).map((life) => [life.id, life]));
  return published.flatMap(({ id, algorithm }) => {
    const life = lives.get(id);
    const isHere = keyring.signingKey(id) !== undefined;
    return life ? [{ id, algorithm, state: life.state, since: isoTime(life.since), isHere }] : [];
  });
}
