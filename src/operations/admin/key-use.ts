import type { Event } from '../../core/event.ts';
import { grantState } from '../../core/grant.ts';
import { after, type EpochSeconds, type Seconds } from '../../core/time.ts';
import { eventPages, rows } from '../../store/pages.ts';
import type { Store } from '../../store/store.ts';
import { GRANTS_BY_KEY, grants } from '../../store/tables/grants.ts';

const STEP = 1000;

/** What still needs a key: live grants whose pair it minted, and access tokens minted before another key took over. */
export async function keyUse(
  id: number,
  accessTokenLifetime: Seconds,
  store: Store,
): Promise<{ liveGrants: number; tokensUntil: EpochSeconds | undefined }> {
  const stopped = await stoppedMinting(id, store);
  return {
    liveGrants: await liveGrants(id, store),
    tokensUntil: stopped && after(stopped, accessTokenLifetime),
  };
}

/** How many live grants have a pair that each key minted. Reads all grants: for operators. */
export async function liveGrantsByKey(store: Store): Promise<ReadonlyMap<number, number>> {
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
  return type === 'administered' && detail.kind === 'key' && detail.did === 'minting' && detail.before === id;
}
