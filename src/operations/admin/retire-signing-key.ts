import { accept } from '../../core/outcome.ts';
import { livesOf, TOKENS_ALIVE, whyNotRemove } from '../../core/rules/signing-keys.ts';
import { after, isoTime } from '../../core/time.ts';
import { Keyring, retire, type StoredKey } from '../../tokens/keyring.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { checkClock } from './check-clock.ts';
import { allPublishedKeys, unpublish } from './published-keys.ts';

export interface RetireSigningRequest {
  readonly id: string;
  /** Do not wait for the tokens that it signed, for example because it leaked. They stop working. */
  readonly atOnce?: boolean;
}

/** Returns the keys without this one. Refused while it signs or a token that it signed may live. The caller stores them. */
export async function retireSigningKey(
  keys: readonly StoredKey[],
  { id, atOnce }: RetireSigningRequest,
  ports: AdminPorts,
): Promise<AdminOutcome<readonly StoredKey[]>> {
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
