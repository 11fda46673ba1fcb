import { accept } from '../../core/outcome.ts';
import {
  dueSteps,
  livesOf,
  type RotationStep,
  type RotationTimes,
  signingKeyOf,
} from '../../core/rules/signing-keys.ts';
import type { SigningAlgorithm } from '../../core/signing-key.ts';
import { Keyring, retire, type StoredKey } from '../../tokens/keyring.ts';
import { nodesWithout } from '../upkeep/report-node.ts';
import { type AdminOutcome, decline, type KeyringPorts } from './admin.ts';
import { checkClock } from './check-clock.ts';
import { allPublishedKeys, publishKeys, publishNext, startSigning, unpublish } from './signing-keys.ts';

export type RotationResult =
  | { readonly did: 'added' | 'signs' | 'removed'; readonly id: string }
  /** Due, but these running nodes lack the key. */
  | { readonly did: 'waits'; readonly id: string; readonly nodes: readonly string[] };

/** Publishes the next key, lets it sign once it was published for long enough and every node has it, and removes old ones. */
export async function rotateSigningKeys(
  keys: readonly StoredKey[],
  times: RotationTimes,
  ports: KeyringPorts,
): Promise<AdminOutcome<readonly RotationResult[]>> {
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
      if (nodes.length > 0) return { result: { did: 'waits', id: step.id, nodes }, next: keys };
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
