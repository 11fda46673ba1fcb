import type { Author } from '../../core/act.ts';
import { type DeviceAuthorization, deviceState } from '../../core/device.ts';
import { acted } from '../../core/event.ts';
import type { GrantId } from '../../core/grant.ts';
import { isCovered, NEW_HISTORY, withoutRollback } from '../../core/rules/rollback.ts';
import type { LostAct, Rollback, StoreHistory } from '../../core/store-history.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { pages } from '../../store/pages.ts';
import { type Decision, rowOf, type Store } from '../../store/store.ts';
import type { Table } from '../../store/table.ts';
import { attempts } from '../../store/tables/attempts.ts';
import { devices } from '../../store/tables/devices.ts';
import { ACCEPTED, acceptance, HISTORY, storeHistory } from '../../store/tables/store-history.ts';
import { revokeById } from '../grant/revoke-grant.ts';

const STEP = 200;

/** Begins the next epoch. Undefined if there is no such rollback. */
export function beginEpoch(
  { store, by }: { readonly store: Store; readonly by: Author },
  isAccepted: (rollback: Rollback) => boolean = () => true,
): Promise<StoreHistory | undefined> {
  const both = [rowOf(storeHistory, HISTORY), rowOf(attempts, ACCEPTED)] as const;
  return store.changeAll(both, ([found], at) => {
    const history = found?.row ?? NEW_HISTORY;
    if (!history.rollback || !isAccepted(history.rollback)) return { outcome: undefined };
    const next = withoutRollback(history);
    const { seen, found: end } = history.rollback;
    const act = { kind: 'store', id: '', did: 'rollback-accepted', epoch: next.epoch, seen, found: end } as const;
    return { outcome: next, next: [next, acceptance(at, next.epoch)], events: [acted(act, { at, by })] };
  });
}

/** Nodes accept a rollback themselves: the lost revocations are made again first. */
export async function resumeAfter({ lost }: Rollback, store: Store): Promise<void> {
  await revokeAgain(lost, store);
  await spendDeviceCodes({ store });
  await beginEpoch({ store, by: { as: 'service', why: 'rollback' } }, isCovered);
}

/** Makes lost revocations again. */
export async function revokeAgain(lost: readonly LostAct[], store: Store): Promise<void> {
  const ended = lost.flatMap(({ type, subjectId, detail }) =>
    type === 'revoked' && subjectId !== undefined ? [{ id: subjectId as GrantId, reason: detail.reason }] : [],
  );
  for (let done = 0; done < ended.length; done += STEP)
    await Promise.all(ended.slice(done, done + STEP).map(({ id, reason }) => revokeById(id, reason, { store })));
}

/** Ends the device codes that could still be redeemed: some may have been before the store was put back. Returns how many. */
export function spendDeviceCodes({ store }: { readonly store: Store }): Promise<number> {
  return changeEvery(store, devices, spendDevice);
}

function spendDevice(device: DeviceAuthorization, now: EpochSeconds): DeviceAuthorization | undefined {
  const state = deviceState(device, now);
  if (state !== 'pending' && state !== 'confirmed') return undefined;
  return { ...device, decision: { is: 'spent', at: now } };
}

/** `next` returns undefined to leave a row unchanged. Returns how many rows changed. */
export async function changeEvery<Row, Companion>(
  store: Store,
  table: Table<Row, Companion>,
  next: (row: Row, now: EpochSeconds) => Row | undefined,
): Promise<number> {
  let changed = 0;
  const changeOne = (row: Row) =>
    store.change(table, table.keyOf(row), (found, now): Decision<Row, boolean> => {
      const changedRow = found && next(found.row, now);
      return changedRow === undefined ? { outcome: false } : { outcome: true, next: changedRow };
    });
  for await (const page of pages(store, table, { limit: STEP }))
    changed += (await Promise.all(page.map(changeOne))).filter(Boolean).length;
  return changed;
}
