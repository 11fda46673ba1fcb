import { grantState } from '../../core/grant.ts';
import { eventPages, rows } from '../../store/pages.ts';
import type { Store } from '../../store/store.ts';
import { GRANTS_BY_KEY, grants } from '../../store/tables/grants.ts';

const STEP = 1000;

/** What still needs a key: live grants whose pair it minted, and access tokens minted before another key took over. */
export async function keyUse(
  id: number,
  accessTokenLifetime: number,
  store: Store,
): Promise<{ liveGrants: number; tokensUntil: number }> {
  const stopped = await stoppedMinting(id, store);
  return {
    liveGrants: await liveGrants(id, store),
    tokensUntil: stopped === undefined ? 0 : stopped + accessTokenLifetime,
  };
}

async function liveGrants(id: number, store: Store): Promise<number> {
  if (!(await store.count(grants, GRANTS_BY_KEY)).has(id)) return 0;
  const now = await store.now();
  let count = 0;
  for await (const grant of rows(store, grants)) {
    if (grant.pair.keyId === id && grantState(grant, now) === 'live') count++;
  }
  return count;
}

// A grant records only the key of its latest pair, but older access tokens work until they expire (contract 1.2). So the time
// at which the key stopped minting is read from the event log.
async function stoppedMinting(id: number, store: Store): Promise<number | undefined> {
  let stopped: number | undefined;
  for await (const page of eventPages(store, STEP)) {
    for (const { type, detail, at } of page) if (type === 'administered' && detail?.['before'] === id) stopped = at;
  }
  return stopped;
}
