import { grantState } from '../../core/grant.ts';
import { eventPages, rows } from '../../store/pages.ts';
import type { Store } from '../../store/store.ts';
import { GRANTS_BY_KEY, grants } from '../../store/tables/grants.ts';

const STEP = 1000;

/** Who would miss a key: live grants whose pair it made, and access tokens that it minted before another took over. */
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

// A grant that has been refreshed since no longer tells which key made its older access tokens, and they work until their
// own expiry (contract 1.2). So the event log is asked when the key minted last.
async function stoppedMinting(id: number, store: Store): Promise<number | undefined> {
  let stopped: number | undefined;
  for await (const page of eventPages(store, STEP)) {
    for (const { type, detail, at } of page) if (type === 'administered' && detail?.['before'] === id) stopped = at;
  }
  return stopped;
}
