// What must end when an older copy of a store is put back: otherwise it would come back to life.
import { type DeviceAuthorization, deviceState } from '../../core/device.ts';
import { type Grant, grantState } from '../../core/grant.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { pages, rows } from '../../store/pages.ts';
import type { Store } from '../../store/store.ts';
import type { Table } from '../../store/table.ts';
import { devices } from '../../store/tables/devices.ts';
import { grants } from '../../store/tables/grants.ts';
import { type BrowserSession, sessions } from '../../store/tables/sign-in.ts';
import { revokeById, revokeEvery } from '../grant/revoke-grant.ts';

const STEP = 200;

/** Ends the grants of the restored store that the one before it knew as revoked, for the same reason. Returns how many. */
export async function carryRevocations(before: Pick<Store, 'page'>, store: Store): Promise<number> {
  let carried = 0;
  for await (const page of pages(before, grants, { limit: STEP })) {
    const ended = await Promise.all(
      page.flatMap(({ id, revoked }) => (revoked ? [revokeById(id, revoked.reason, { store })] : [])),
    );
    carried += ended.filter(Boolean).length;
  }
  return carried;
}

export async function countLiveGrants(store: Store): Promise<number> {
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

/** Ends all that anybody holds of a restored store: grants, device codes that could still become one, browser sessions. */
export async function endEverything(store: Store): Promise<Ended> {
  return {
    deviceCodes: await changeEvery(store, devices, spendDevice),
    sessions: await changeEvery(store, sessions, endSession),
    grants: await revokeEvery('restored', { store }), // the last: a device code that is redeemed meanwhile is among them
  };
}

function spendDevice(device: DeviceAuthorization, now: EpochSeconds): DeviceAuthorization | undefined {
  const state = deviceState(device, now);
  if (state !== 'pending' && state !== 'confirmed') return undefined;
  return { ...device, decision: { is: 'spent', at: now } };
}

function endSession(session: BrowserSession, now: EpochSeconds): BrowserSession | undefined {
  return now < session.endsAt ? { ...session, endsAt: now } : undefined;
}

/** `next`: undefined where a row stays as it is. Returns how many changed. */
async function changeEvery<Row, Companion>(
  store: Store,
  table: Table<Row, Companion>,
  next: (row: Row, now: EpochSeconds) => Row | undefined,
): Promise<number> {
  let changed = 0;
  const changeOne = (row: Row) =>
    store.change(table, table.keyOf(row), (found, now) => {
      const changedRow = found && next(found.row, now);
      return changedRow === undefined ? { outcome: false } : { outcome: true, next: changedRow };
    });
  for await (const page of pages(store, table, { limit: STEP }))
    changed += (await Promise.all(page.map(changeOne))).filter(Boolean).length;
  return changed;
}
