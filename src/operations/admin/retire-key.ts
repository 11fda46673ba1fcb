import { acted } from '../../core/event.ts';
import { accept } from '../../core/outcome.ts';
import { endedBy } from '../../core/rules/endings.ts';
import { isoTime, type Seconds, seconds } from '../../core/time.ts';
import { rows } from '../../store/pages.ts';
import { integrations } from '../../store/tables/integrations.ts';
import { keyMarks } from '../../store/tables/key-marks.ts';
import { Keyring, retire, type StoredKey } from '../../tokens/keyring.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { checkClock } from './check-clock.ts';
import { keyUse } from './key-use.ts';

export interface RetireRequest {
  readonly id: number;
  /** The server's setting; integrations may have a longer one. */
  readonly accessTokenLifetime: Seconds;
  /** Do not wait for access tokens minted with the key, for example because it leaked. They stop working. */
  readonly atOnce?: boolean;
}

/** Returns the keys without this one. Refused while a live grant or an access token still needs it. The caller stores them. */
export async function retireKey(
  keys: readonly StoredKey[],
  { id, accessTokenLifetime, atOnce }: RetireRequest,
  ports: AdminPorts,
): Promise<AdminOutcome<readonly StoredKey[]>> {
  const key = new Keyring(keys).key(id);
  if (!key) return decline('key-unknown', `${id}`);
  if (key.state === 'minting') return decline('key-mints', `${id}`);
  const clock = await checkClock(ports.store, 'counts');
  if (!clock.ok) return clock;
  const { liveGrants, tokensUntil } = await keyUse(id, await longestLifetime(accessTokenLifetime, ports), ports.store);
  if (liveGrants > 0) return decline('key-in-use', `${liveGrants}`);
  const now = await ports.store.now();
  if (tokensUntil && tokensUntil > now && !atOnce) return decline('key-tokens-alive', isoTime(tokensUntil));
  await ports.store.change(keyMarks, String(id), (found, at) => ({
    outcome: undefined,
    ...(found && { next: endedBy('key', found.row, { did: 'retired' }, at) }),
    events: [acted({ kind: 'key', id: String(id), did: 'retired' }, { at, by: ports.by })],
  }));
  return accept(retire(keys, id));
}

async function longestLifetime(ofServer: Seconds, { store }: AdminPorts): Promise<Seconds> {
  const own = await Array.fromAsync(rows(store, integrations), ({ overrides }) => overrides.accessTokenLifetime ?? 0);
  return seconds(Math.max(ofServer, ...own));
}
