import { accept } from '../../core/outcome.ts';
import { livesOf, whyNotSign } from '../../core/rules/signing-keys.ts';
import { after, isoTime, type Seconds } from '../../core/time.ts';
import { nodesWithout } from '../upkeep/report-node.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { checkClock } from './check-clock.ts';
import { allPublishedKeys, startSigning } from './published-keys.ts';

export interface SignRequest {
  readonly id: string;
  readonly publishedFor: Seconds;
  /** Sign even if a running node lacks the key, or resource servers may not have fetched it yet. */
  readonly force?: boolean;
}

/** Signs with this key from now on, on every node; the one before it retires. The keyring stays as it is. */
export async function signWithKey(
  { id, publishedFor, force }: SignRequest,
  ports: AdminPorts,
): Promise<AdminOutcome<undefined>> {
  const life = livesOf(await allPublishedKeys(ports.store)).find((key) => key.id === id);
  if (!life) return decline('key-unknown', id);
  const clock = await checkClock(ports.store, force ? 'notes' : 'counts');
  if (!clock.ok) return clock;
  const objection = whyNotSign(life, publishedFor, await ports.store.now());
  if (objection === 'signs-already') return decline('signing-key-signs-already', id);
  if (objection === 'retiring') return decline('signing-key-retiring', id);
  if (objection && !force) return decline('signing-key-too-recent', isoTime(after(life.since, publishedFor)));
  const without = force ? [] : await nodesWithout(id, ports.store);
  if (without.length > 0) return decline('key-not-everywhere', without.join(', '));
  await startSigning(id, ports);
  return accept(undefined);
}
