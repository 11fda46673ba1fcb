// After a copy of the store is restored: what ended since the copy was taken must not work again.
import { setTimeout as sleep } from 'node:timers/promises';
import { acted } from '../../core/event.ts';
import { grantState } from '../../core/grant.ts';
import { accept } from '../../core/outcome.ts';
import { NEW_HISTORY, withRollback } from '../../core/rules/rollback.ts';
import type { Rollback, StoreHistory } from '../../core/store-history.ts';
import { type EpochSeconds, endedNow } from '../../core/time.ts';
import { takeBack } from '../../store/move.ts';
import { changeEvery, pages, rows } from '../../store/pages.ts';
import type { Store, StorePort } from '../../store/store.ts';
import { assertions, attempts } from '../../store/tables/attempts.ts';
import { grants } from '../../store/tables/grants.ts';
import { sessions } from '../../store/tables/sessions.ts';
import { ACCEPTED, acceptance, HISTORY, readHistory, storeHistory } from '../../store/tables/store-history.ts';
import { endAll, endCodes } from '../grant/end-all.ts';
import { revokeById } from '../grant/revoke-grant.ts';
import { beginEpoch, endOpenSteps } from '../upkeep/resume.ts';
import { type Acted, type AdminPorts, decline } from './admin.ts';

const STEP = 200;

/** Revokes the grants that the replaced store knew as revoked, with the same reasons. Returns how many. */
export async function carryRevocations(before: Pick<Store, 'page'>, ports: AdminPorts): Promise<number> {
  let carried = 0;
  for await (const page of pages(before, grants, { limit: STEP })) {
    const endings = page.flatMap(({ id, revoked }) => (revoked ? [revokeById(id, revoked.reason, ports)] : []));
    carried += (await Promise.all(endings)).filter(Boolean).length;
  }
  return carried;
}

/** Ends the browser sessions that had ended in the replaced store, and takes over which assertions were used there. */
export async function carryUses(before: Pick<Store, 'page'>, { store }: StorePort): Promise<void> {
  const ends = new Map<string, EpochSeconds>();
  for await (const { id, endsAt } of rows(before, sessions)) ends.set(id, endsAt);
  await changeEvery(store, sessions, (session, now) =>
    (ends.get(session.id) ?? now) < session.endsAt ? endedNow(session, now) : undefined,
  );
  for await (const used of rows(before, assertions))
    await store.change(assertions, used.mark, (found) => ({ outcome: undefined, ...(!found && { next: used }) }));
}

export async function countLiveGrants({ store }: StorePort): Promise<number> {
  const now = await store.now();
  let live = 0;
  for await (const grant of rows(store, grants)) live += Number(grantState(grant, now) === 'live');
  return live;
}

/** Tokens that are newer than the restored store are explained from now on. */
export function acceptLoss({ store }: StorePort): Promise<void> {
  return store.change(attempts, ACCEPTED, (found, at) => ({
    outcome: undefined,
    next: acceptance(at, found?.row.count ?? NEW_HISTORY.epoch),
  }));
}

/** Some may have been redeemed before the store was put back. Returns how many ended. */
export function endDeviceCodes({ store }: StorePort): Promise<number> {
  return endCodes({}, { store });
}

export interface Ended {
  readonly grants: number;
  readonly deviceCodes: number;
  readonly sessions: number;
}

/** Ends all grants, all device codes that could still be redeemed, and all browser sessions. */
export async function endEverything(ports: AdminPorts): Promise<Ended> {
  const { store } = ports;
  const sessionsEnded = await changeEvery(store, sessions, endedNow);
  const { codes, grants } = await endAll('everybody', 'restored', ports);
  return { deviceCodes: codes, sessions: sessionsEnded, grants };
}

/** Nodes are ready again within seconds, without a restart. Refused if a node has added acts to those that were handled. */
export async function acceptRollback(ports: AdminPorts, handled?: Pick<Rollback, 'lost'>): Acted<StoreHistory> {
  const { epoch, rollback } = await readHistory(ports.store);
  if (!rollback) return decline('rollback-none', String(epoch));
  await endOpenSteps(ports);
  const { length } = (handled ?? rollback).lost;
  const begun = await beginEpoch(ports, ({ lost }) => lost.length === length);
  return begun ? accept(begun) : decline('rollback-grew', String(length));
}

/** A kept copy that is later than the store shows that it was put back, also if all nodes were stopped and none noticed. */
export async function noticeByCopy(copy: Store, { store }: StorePort): Promise<void> {
  const [{ drawn: seen }, { drawn: found }] = [await copy.eventProgress(), await store.eventProgress()];
  const { epoch } = await readHistory(copy);
  if (seen <= found || epoch < (await readHistory(store)).epoch) return;
  const by = { node: '', epoch, remembersAll: true };
  await store.change(storeHistory, HISTORY, (row, noticedAt) => ({
    outcome: undefined,
    next: withRollback(row?.row ?? NEW_HISTORY, { noticedAt, seen, found, lost: [], unlisted: 0, awaited: [] }, by),
  }));
}

const HEARD_MS = 5_000;

/** The history, once every node that ran has written what it remembers, or has had time to. */
export async function heardHistory({ store }: StorePort): Promise<StoreHistory> {
  const latest = performance.now() + HEARD_MS;
  for (;;) {
    const history = await readHistory(store);
    if (!history.rollback?.awaited?.length || performance.now() > latest) return history;
    await sleep(100);
  }
}

/** The operator gives up the store that this one was moved to: services may start here again. */
export function takeStoreBack({ store, by }: AdminPorts): Promise<void> {
  return takeBack(store, (at) => acted({ kind: 'store', id: '', did: 'taken-back' }, { at, by }));
}
