import type { Author } from '../../core/act.ts';
import { type DeviceAuthorization, deviceState } from '../../core/device.ts';
import { acted } from '../../core/event.ts';
import type { GrantId } from '../../core/grant.ts';
import { withOutage } from '../../core/rules/outage.ts';
import { isCovered, NEW_HISTORY, withoutRollback } from '../../core/rules/rollback.ts';
import type { LostAct, Rollback, StoreHistory } from '../../core/store-history.ts';
import { type EpochSeconds, endedNow } from '../../core/time.ts';
import { pages } from '../../store/pages.ts';
import { rowOf, type Store, type StorePort, writeRow } from '../../store/store.ts';
import type { Table } from '../../store/table.ts';
import { attempts } from '../../store/tables/attempts.ts';
import { devices } from '../../store/tables/devices.ts';
import { SERVICE, serviceTimes } from '../../store/tables/service-times.ts';
import { sessions } from '../../store/tables/sessions.ts';
import { ACCEPTED, acceptance, HISTORY, storeHistory } from '../../store/tables/store-history.ts';
import { revokeById } from '../grant/revoke-grant.ts';

const STEP = 200;

/** Begins the next epoch. Undefined if there is no such rollback. */
export function beginEpoch(
  { store, by }: { readonly store: Store; readonly by: Author },
  isAccepted: (rollback: Rollback) => boolean = () => true,
): Promise<StoreHistory | undefined> {
  const all = [rowOf(storeHistory, HISTORY), rowOf(attempts, ACCEPTED), rowOf(serviceTimes, SERVICE)] as const;
  return store.changeAll(all, ([found, , times], at) => {
    const history = found?.row ?? NEW_HISTORY;
    if (!history.rollback || !isAccepted(history.rollback)) return { outcome: undefined };
    const next = withoutRollback(history);
    const { seen, found: end, noticedAt } = history.rollback;
    const act = { kind: 'store', id: '', did: 'rollback-accepted', epoch: next.epoch, seen, found: end } as const;
    // Callers got 503 meanwhile: their retries are no reuse.
    const outage = withOutage(times?.row, { silentFrom: noticedAt, answeringSince: at });
    return { outcome: next, next: [next, acceptance(at, next.epoch), outage], events: [acted(act, { at, by })] };
  });
}

/** Nodes accept a rollback themselves: the lost revocations are made again first. */
export async function resumeAfter({ lost }: Rollback, store: Store): Promise<void> {
  await revokeAgain(lost, store);
  await endOpenSteps({ store });
  // A node that was not known may have added acts meanwhile.
  const isSame = (rollback: Rollback) => isCovered(rollback) && rollback.lost.length === lost.length;
  await beginEpoch({ store, by: { as: 'service', why: 'rollback' } }, isSame);
}

export async function revokeAgain(lost: readonly LostAct[], store: Store): Promise<void> {
  const ended = lost.flatMap(({ type, subjectId, detail }) =>
    type === 'revoked' && subjectId !== undefined ? [{ id: subjectId as GrantId, reason: detail.reason }] : [],
  );
  for (let done = 0; done < ended.length; done += STEP)
    await Promise.all(ended.slice(done, done + STEP).map(({ id, reason }) => revokeById(id, reason, { store })));
}

/** What people had begun: some of it may have ended before the store was put back. */
export async function endOpenSteps({ store }: StorePort): Promise<void> {
  await spendDeviceCodes({ store });
  await changeEvery(store, sessions, endedNow);
}

/** Ends the device codes that could still be redeemed: some may have been before the store was put back. Returns how many. */
export function spendDeviceCodes({ store }: StorePort): Promise<number> {
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
  const changeOne = (row: Row) => writeRow(store, table, table.keyOf(row), (found, now) => found && next(found, now));
  for await (const page of pages(store, table, { limit: STEP }))
    changed += (await Promise.all(page.map(changeOne))).filter(Boolean).length;
  return changed;
}
