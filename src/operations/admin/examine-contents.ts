// What `tessera doctor` wants to know about the contents of a store, beyond what is registered.

import { type Grant, grantState } from '../../core/grant.ts';
import type { ClaimedCaller } from '../../core/refusal.ts';
import { after, type EpochSeconds, type Seconds, seconds } from '../../core/time.ts';
import { rows } from '../../store/pages.ts';
import type { StorePort } from '../../store/store.ts';
import { refusalCounts } from '../../store/tables/figures.ts';
import { GRANTS_BY_HOLDER, grants, grantsOf } from '../../store/tables/grants.ts';
import { identities } from '../../store/tables/identities.ts';
import { keySets, revocationLists } from '../../store/tables/revocation-lists.ts';

const DAY = seconds(86_400);

/** How many live grants end within this time and are lost unless somebody authorizes again. Not those that last a day at most: their callers are used to it. */
export async function countGrantsToRenew(within: Seconds, now: EpochSeconds, { store }: StorePort): Promise<number> {
  let count = 0;
  for await (const grant of rows(store, grants, { endingBefore: after(now, within) }))
    if (
      grantState(grant, now) === 'live' &&
      !isRenewedByCaller(grant) &&
      grant.refreshUntil > after(grant.createdAt, DAY)
    )
      count++;
  return count;
}

/** The identity with the most grants, ended ones that are not swept yet included. */
export async function mostGrants({ store }: StorePort): Promise<{ identityId: string; count: number } | undefined> {
  const [most] = [...(await store.count(grants, GRANTS_BY_HOLDER))].sort(([, a], [, b]) => b - a);
  const [grant] = most ? await store.page(grants, { where: grantsOf.holderKey(most[0]), limit: 1 }) : [];
  return most && grant && { identityId: grant.identityId, count: most[1] };
}

/** Without a refresh token, a program gets its next grant by itself, with its certificate or its next assertion. */
function isRenewedByCaller({ origin, refreshable }: Grant): boolean {
  return origin.kind === 'assertion' || origin.kind === 'exchange' || (origin.kind !== 'device' && !refreshable);
}

/** By the label of a token issuer: why its keys could not be fetched at the last attempt of any node. */
export async function keyFailures({ store }: StorePort): Promise<ReadonlyMap<string, string | undefined>> {
  const sets = (await Array.fromAsync(rows(store, keySets))).sort((a, b) => a.checkedAt - b.checkedAt);
  return new Map(sets.map(({ name, failure }) => [name.slice(0, name.indexOf(' ')), failure]));
}

/** Why revocation lists could not be fetched or kept at the last attempt since then; limits that were reached come first. */
export async function listFailures(since: EpochSeconds, { store }: StorePort): Promise<readonly string[]> {
  const lists = (await Array.fromAsync(rows(store, revocationLists))).filter(({ checkedAt }) => checkedAt >= since);
  const failed = lists.flatMap(({ url, failure }) => (failure === undefined ? [] : [`${url}: ${failure}`]));
  return failed.sort((a, b) => Number(a.startsWith('http')) - Number(b.startsWith('http')));
}

/** The documents of clients that were refused since then, the last one first. */
export async function refusedDocuments(since: EpochSeconds, { store }: StorePort): Promise<readonly ClaimedCaller[]> {
  const refused = (await Array.fromAsync(rows(store, refusalCounts))).filter(({ last }) => last >= since);
  const claims = refused.sort((a, b) => b.last - a.last).flatMap(({ claimed }) => (claimed?.document ? [claimed] : []));
  return [...new Map(claims.toReversed().map((claim) => [claim.document, claim])).values()].toReversed();
}

/** How many principal names of the directory have capitals. */
export async function countCapitalUpns({ store }: StorePort): Promise<number> {
  let count = 0;
  for await (const { upn } of rows(store, identities)) if (upn && /[A-Z]/.test(upn)) count++;
  return count;
}
