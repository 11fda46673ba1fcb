// After a copy of the store is restored: what ended since the copy was taken must not work again.
import { type Grant, grantState } from '../../core/grant.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { pages, rows } from '../../store/pages.ts';
import type { Store } from '../../store/store.ts';
import { assertions } from '../../store/tables/assertions.ts';
import { grants } from '../../store/tables/grants.ts';
import { sessions } from '../../store/tables/sessions.ts';
import { revokeAll, revokeById } from '../grant/revoke-grant.ts';
import { changeEvery, endSession, spendDeviceCodes } from '../upkeep/resume.ts';
import type { AdminPorts, StorePort } from './admin.ts';

export { spendDeviceCodes };

const STEP = 200;

/** Revokes the grants that the replaced store knew as revoked, with the same reasons. Returns how many. */
export async function carryRevocations(before: Pick<Store, 'page'>, ports: AdminPorts): Promise<number> {
  let carried = 0;
  for await (const page of pages(before, grants, { limit: STEP })) {
    const ended = await Promise.all(
      page.flatMap(({ id, revoked }) => (revoked ? [revokeById(id, revoked.reason, ports)] : [])),
    );
    carried += ended.filter(Boolean).length;
  }
  return carried;
}

/** Ends the browser sessions that had ended in the replaced store, and takes over which assertions were used there. */
export async function carryUses(before: Pick<Store, 'page'>, { store }: StorePort): Promise<void> {
  const ends = new Map<string, EpochSeconds>();
  for await (const { id, endsAt } of rows(before, sessions)) ends.set(id, endsAt);
  await changeEvery(store, sessions, (session, now) =>
    (ends.get(session.id) ?? now) < session.endsAt ? endSession(session, now) : undefined,
  );
  for await (const used of rows(before, assertions))
    await store.change(assertions, used.mark, (found) => ({ outcome: undefined, ...(!found && { next: used }) }));
}

export async function countLiveGrants({ store }: StorePort): Promise<number> {
  const now = await store.now();
  let live = 0;
  for await (const grant of rows(store, grants)) live += Number(isLive(grant, now));
  return live;
}

function isLive(grant: Grant, now: EpochSeconds): boolean {
  return grantState(grant, now) === 'live';
}

export interface Ended {
  readonly grants: number;
  readonly deviceCodes: number;
  readonly sessions: number;
}

/** Ends all grants, all device codes that could still be redeemed, and all browser sessions. */
export async function endEverything(ports: AdminPorts): Promise<Ended> {
  const { store } = ports;
  return {
    deviceCodes: await spendDeviceCodes(ports),
    sessions: await changeEvery(store, sessions, endSession),
    grants: await revokeAll(undefined, 'restored', ports), // last, to include the grant of a device code redeemed meanwhile
  };
}
